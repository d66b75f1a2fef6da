package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.protocol.name.FarmPath;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a newcomer does first. */
class FirstFarmTest {
    private static final Path SOURCES = Path.of("../../protocol/src").toAbsolutePath().normalize();
    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    /** One step after the other. */
    @Test
    void aSourceTreeIsSeenEverywhereOutlivesTheFarmsProcessesAndLeavesTheDisks()
            throws IOException {
        Path copy = farm.mount().resolve("src");
        farm.sh("cp -r %s %s".formatted(SOURCES, copy));
        requireAllOfIt(copy);
        requireAllOfIt(farm.mountOf("n2").resolve("src"));
        stopAndStart();
        requireAllOfIt(copy);
        whatIsRemovedLeavesTheDisks(copy);
    }

    private static void requireAllOfIt(Path copy) {
        farm.sh("diff -r %s %s".formatted(SOURCES, copy));
    }

    private static void stopAndStart() {
        farm.stop();
        farm.startAgain();
    }

    private static void whatIsRemovedLeavesTheDisks(Path copy) throws IOException {
        Set<String> objects = objectsOf(copy);
        assertThat(objects).isNotEmpty();
        assertThat(onDisks()).containsAll(objects);
        farm.sh("rm -rf " + copy);
        await("the nodes hold none of its objects")
                .atMost(Duration.ofSeconds(60))
                .until(() -> Collections.disjoint(onDisks(), objects));
    }

    /** The names that the plain files of its replicas have. */
    private static Set<String> objectsOf(Path copy) throws IOException {
        Set<String> objects = new HashSet<>();
        try (Stream<Path> all = Files.walk(copy)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                FarmPath path = FarmPath.of("/" + farm.mount().relativize(file));
                farm.client().where(path).getObjectsList().stream()
                        .map(located -> TestFarm.fileName(located.getObject()))
                        .forEach(objects::add);
            }
        }
        return objects;
    }

    private static Set<String> onDisks() {
        return farm.sh(
                        "find %s/n*/data/objects -type f -printf '%%f\\n'"
                                .formatted(farm.directory()))
                .lines()
                .collect(Collectors.toSet());
    }

    @Test
    void everyOtherMountSeesAChangeAtOnce() throws IOException {
        for (int i = 0; i < 50; i++) {
            Files.writeString(farm.mount().resolve("now-" + i), "written " + i);
            assertThat(farm.mountOf("n3").resolve("now-" + i)).hasContent("written " + i);
            Files.delete(farm.mountOf("n3").resolve("now-" + i));
            assertThat(farm.mount().resolve("now-" + i)).doesNotExist();
        }
    }

    @Test
    void commandsAndMountShowTheSameFiles() throws IOException {
        Path local = Files.writeString(Files.createTempFile("gf", ".txt"), "by command\n");
        farm.gf("mkdir", "/dir");
        farm.gf("put", local.toString(), "/dir/a.txt");
        assertThat(farm.mount().resolve("dir/a.txt")).hasContent("by command\n");
        Files.move(farm.mount().resolve("dir/a.txt"), farm.mount().resolve("dir/b.txt"));
        assertThat(farm.gf("ls", "/dir").strip()).isEqualTo("b.txt");
        assertThat(farm.gf("cat", "/dir/b.txt")).isEqualTo("by command\n");
        farm.gf("rm", "/dir/b.txt");
        assertThat(farm.mount().resolve("dir")).isEmptyDirectory();
        Files.delete(local);
    }

    /** A link that leads up and one that leads nowhere are what they are. */
    @Test
    void treesGoInAndOutAsTheyAre(@TempDir Path local) throws IOException {
        Path tree = Files.createDirectories(local.resolve("tree"));
        Path script = Files.writeString(tree.resolve("run.sh"), "#!/bin/sh\n");
        FileTime then = FileTime.from(Instant.parse("2020-02-02T02:02:02Z"));
        Files.setLastModifiedTime(script, then);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-x---"));
        Files.createSymbolicLink(tree.resolve("up"), Path.of(".."));
        Files.createSymbolicLink(tree.resolve("gone"), Path.of("nowhere"));
        farm.gf("put", "-r", tree.toString(), "/trees");
        farm.gf("get", "-r", "/trees", local.resolve("back").toString());
        for (Path copy : List.of(farm.mount().resolve("trees"), local.resolve("back"))) {
            assertThat(Files.getLastModifiedTime(copy.resolve("run.sh"))).isEqualTo(then);
            assertThat(Files.getPosixFilePermissions(copy.resolve("run.sh")))
                    .isEqualTo(PosixFilePermissions.fromString("rwxr-x---"));
            assertThat(Files.readSymbolicLink(copy.resolve("up"))).isEqualTo(Path.of(".."));
            assertThat(Files.readSymbolicLink(copy.resolve("gone"))).isEqualTo(Path.of("nowhere"));
        }
    }

    @Test
    void jobsRunWhereTheirInputLiesAndSayWhere() throws IOException {
        Files.createDirectory(farm.mount().resolve("in"));
        for (int i = 1; i <= 12; i++) {
            Files.writeString(farm.mount().resolve("in/f" + i), "line\n".repeat(i));
        }
        farm.gf("run", "wc -l < {} > {}.count", ":::", "/in/*");
        for (int i = 1; i <= 12; i++) {
            assertThat(farm.mountOf("n2").resolve("in/f" + i + ".count")).hasContent(i + "\n");
        }
        List<JsonNode> jobs = new ArrayList<>();
        farm.json("jobs", "--json", "--all", "--tasks").get("jobs").forEach(jobs::add);
        jobs.removeIf(job -> job.get("tasks").size() != 12); // of another test
        assertThat(jobs).hasSize(1);
        assertThat(jobs.getFirst().get("state").asString()).isEqualTo("succeeded");
        assertThat(jobs.getFirst().get("tasks"))
                .allSatisfy(task -> {
                    assertThat(task.get("node").asString()).matches("n[123]");
                    assertThat(task.get("locality").asString()).isIn("local", "rack", "remote");
                });
    }

    @Test
    void aJobOfOneTaskReturnsItsProgramsStatus() {
        assertThat(farm.tryGf("run", "exit 7").status()).isEqualTo(7);
    }

    /** The script itself is ASCII: what the shell makes of it no JVM has seen before. */
    @Test
    void namesAreBytesInEveryCommand() throws IOException {
        Path local = Files.createDirectory(farm.directory().resolve("names"));
        String script =
                """
                cd %1$s
                e=$(printf 'a\\351'); g=$(printf 'a\\350'); u=$(printf '\\303\\274')
                mkdir "d$e"; printf 1 >"d$e/$e"; printf 2 >"d$e/$g"; printf 3 >"d$e/$u"
                printf plain >@list
                gf put -r "d$e" @list /
                cmp @list %2$s/@list; rm %2$s/@list
                (cd "d$e"; gf get -r "/d$e" out; diff -r . out -x out; rm -r out)
                gf ls "/d$e" | LC_ALL=C sort >listed
                ls "d$e" | LC_ALL=C sort | cmp - listed
                gf mv "/d$e/$e" "/d$e/b$e"
                gf cat "/d$e/b$e"
                gf where --json "/d$e/$g" "/d$e/$u"
                printf '%%s\\n' "/d$e/$g" "/d$e/b$e" >files
                gf run -k 'cat {}; printf {/}' :::: files | od -An -c
                gf run "cat gf:/d$e/$g"
                gf run -k cat ::: "/d$e/?[!u]*" "/d$e/$u"
                gf rm -r "/d$e"
                gf stat "/d$e" 2>said || LC_ALL=C grep -c "/d$e: not found" said
                """
                        .formatted(local, farm.mount());
        String shown = farm.script(script);

        assertThat(shown).startsWith("1{\"files\":[{").contains("\"/da\\udce9/a\\udce8\"");
        assertThat(shown.substring(shown.indexOf("]}\n") + 3).lines().map(String::strip))
                .containsExactly("2   a 350   1   b   a 351", "22131");
    }

    @Test
    void timesThatTheFarmCannotHoldBecomeTheNearest() {
        String script =
                """
                cd %s
                for t in 9999-01-01 2400-01-01 2262-04-11T23:47:16.854775807Z 1969-12-31T23:59:58.5Z \\
                    1677-09-21T00:12:43.145224192Z 1600-01-01 0001-01-01; do
                    touch -d $t times
                    TZ=UTC stat -c '%%x|%%y' times
                done
                TZ=UTC stat -c %%y %s/times
                """
                        .formatted(farm.mount(), farm.mountOf("n2"));
        String last = "2262-04-11 23:47:16.854775807 +0000";
        String first = "1677-09-21 00:12:43.145224192 +0000";
        String half = "1969-12-31 23:59:58.500000000 +0000";
        assertThat(farm.script(script).lines())
                .containsExactly(
                        last + "|" + last,
                        last + "|" + last,
                        last + "|" + last,
                        half + "|" + half,
                        first + "|" + first,
                        first + "|" + first,
                        first + "|" + first,
                        first);
    }

    @Test
    void whatTheMountTellsOfItselfIsReadAsAnyFile() {
        String script =
                """
                cd %1$s/.gf
                cp --sparse=always stats %2$s/stats
                grep -c '^process ' %2$s/stats
                python3 -c 'import os
                f = os.open("stats", os.O_RDONLY)
                status = os.fstat(f)
                assert status.st_blocks * 512 >= status.st_size
                assert os.lseek(f, 3, os.SEEK_DATA) == 3
                assert os.lseek(f, 3, os.SEEK_HOLE) == status.st_size
                os.lseek(f, 0, os.SEEK_SET)
                assert len(os.read(f, 9999)) == status.st_size
                os.lseek(f, 0, os.SEEK_SET)
                copy = os.open("%1$s/copy-of-stats", os.O_RDWR | os.O_CREAT)
                assert os.copy_file_range(f, copy, 9999) == status.st_size
                os.fsync(f)'
                rm %1$s/copy-of-stats
                """
                        .formatted(farm.mount(), farm.directory());
        assertThat(farm.script(script)).isEqualTo("1\n");
    }
}

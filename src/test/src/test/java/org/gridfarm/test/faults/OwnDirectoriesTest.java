package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.util.concurrent.TimeUnit.SECONDS;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.cluster.Metrics;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A mount that decides by itself in the directories that it works in ({@code writebehind=on}):
 * every other mount sees at once what its programs were answered, and no process takes anything
 * along that dies.
 */
class OwnDirectoriesTest {
    private static final int KILLS = Tier.count("own.kills");
    private static final String DESCRIPTION = "%P %m %U %G %T@ %s\\n";

    private static TestFarm farm;
    private static Path here;
    private static Path there;

    @BeforeAll
    static void start() throws IOException {
        farm =
                TestFarm.start(
                        "--nodes",
                        "2",
                        "--schedulers",
                        "0",
                        "--no-node-mounts",
                        "-o",
                        "writebehind=on");
        here = farm.mount();
        there = farm.anotherMount("n2");
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) farm.close();
    }

    @Test
    void othersSeeWhatWasAnswered() throws IOException {
        Path mine = Files.createDirectory(here.resolve("seen"));
        Path theirs = there.resolve("seen");
        for (int i = 0; i < 30; i++) {
            Path directory = Files.createDirectory(mine.resolve("d" + i));
            Path file = directory.resolve("f");
            Files.writeString(file, "content " + i);
            Files.createSymbolicLink(directory.resolve("l"), Path.of("f"));
            Files.move(file, directory.resolve("g"));
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-x---"));
            Files.createFile(directory.resolve("gone"));
            Files.delete(directory.resolve("gone"));

            Path same = theirs.resolve("d" + i);
            assertThat(names(same)).containsExactly("g", "l");
            assertThat(Files.readString(same.resolve("g"))).isEqualTo("content " + i);
            assertThat(Files.readSymbolicLink(same.resolve("l"))).isEqualTo(Path.of("f"));
            assertThat(Files.getPosixFilePermissions(same))
                    .contains(PosixFilePermission.OWNER_EXECUTE, PosixFilePermission.GROUP_READ)
                    .doesNotContain(PosixFilePermission.OTHERS_READ);
            assertThat(Files.getLastModifiedTime(same))
                    .isEqualTo(Files.getLastModifiedTime(directory));
        }
    }

    /** Each of two mounts works in what the other has made, and asks for it back. */
    @Test
    void twoMountsTakeTurns() throws IOException {
        Path mine = Files.createDirectory(here.resolve("turns"));
        Path theirs = there.resolve("turns");
        for (int i = 0; i < 20; i++) {
            Path maker = i % 2 == 0 ? mine : theirs;
            Path taker = i % 2 == 0 ? theirs : mine;
            Path made = Files.createDirectory(maker.resolve("d" + i));
            for (int f = 0; f < 10; f++) Files.writeString(made.resolve("f" + f), "x");
            Path same = taker.resolve("d" + i);
            Files.move(same.resolve("f0"), same.resolve("f9"), StandardCopyOption.REPLACE_EXISTING);
            Files.writeString(same.resolve("new"), "y");
            assertThat(names(made)).hasSize(10).contains("new", "f9").doesNotContain("f0");
        }
        removeAll(theirs);
        assertThat(mine).doesNotExist();
    }

    /**
     * Whatever the kernel waits for at that moment, the next process answers as the first would.
     */
    @Test
    void killsOfItsProcessTakeNothingAlong() throws Exception {
        long seed = Tier.seed(1);
        Random random = new Random(seed);
        Path mine = Files.createDirectory(here.resolve("killed"));
        List<String> made = new ArrayList<>();
        for (int kill = 0; kill < KILLS; kill++) {
            ProcessHandle server = farm.mountServer();
            AtomicInteger count = new AtomicInteger();
            int after = 20 + random.nextInt(150);
            long moment = random.nextInt(3_000_000);
            Thread killer =
                    Thread.ofPlatform()
                            .start(() -> {
                                while (count.get() < after) Thread.onSpinWait();
                                long since = System.nanoTime();
                                while (System.nanoTime() - since < moment) Thread.onSpinWait();
                                server.destroyForcibly();
                            });
            Path directory = Files.createDirectory(mine.resolve("d" + kill));
            for (int i = 0; i < 200; i++) {
                Path at = directory.resolve("f" + i);
                make(Kind.values()[i % Kind.values().length], at);
                made.add("d" + kill + "/" + at.getFileName());
                count.incrementAndGet();
            }
            killer.join();
        }
        for (int i = 0; i < made.size(); i++) {
            Path same = there.resolve("killed").resolve(made.get(i));
            String name = same.getFileName().toString();
            switch (Kind.values()[i % 200 % Kind.values().length]) {
                case DIRECTORY -> assertThat(same).isDirectory();
                case LINK -> assertThat(Files.readSymbolicLink(same)).isEqualTo(Path.of(name));
                default -> assertThat(Files.readString(same)).isEqualTo(name);
            }
        }
        for (int kill = 0; kill < KILLS; kill++) {
            assertThat(names(there.resolve("killed/d" + kill))).hasSize(200);
        }
    }

    private enum Kind {
        DIRECTORY,
        FILE,
        LINK,
        RENAMED,
        LINKED
    }

    private static void make(Kind kind, Path at) throws IOException {
        String name = at.getFileName().toString();
        Path other = at.resolveSibling("other");
        switch (kind) {
            case DIRECTORY -> Files.createDirectory(at);
            case LINK -> Files.createSymbolicLink(at, Path.of(name));
            case FILE -> {
                Files.writeString(at, name);
                Files.setPosixFilePermissions(at, PosixFilePermissions.fromString("rw-r-----"));
            }
            case RENAMED -> {
                Files.writeString(other, name);
                Files.move(other, at);
            }
            case LINKED -> {
                Files.writeString(other, name);
                Files.createLink(at, other);
                Files.delete(other);
            }
        }
    }

    /** Each file's times, owner and mode are set while it is open and being written. */
    @Test
    void archivesAreUnpackedAsOnALocalDisk(@TempDir Path temporary) throws Exception {
        Path source = Files.createDirectory(temporary.resolve("source"));
        for (int d = 0; d < 10; d++) {
            Path directory = Files.createDirectory(source.resolve("d" + d));
            for (int f = 0; f < 40; f++) {
                Path file = Files.write(directory.resolve("f" + f), new byte[f * 500]);
                String mode = f % 3 == 0 ? "rwxr-x--x" : "rw-r-----";
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
                Files.setAttribute(file, "unix:gid", f);
                Files.setLastModifiedTime(file, FileTime.from(1_000_000_000L + f, SECONDS));
            }
        }
        Path archive = temporary.resolve("archive");
        run("tar", "cf", archive.toString(), "-C", source.toString(), ".");
        Path mine = Files.createDirectory(here.resolve("unpacked"));
        ProcessHandle server = farm.mountServer();
        Process tar =
                new ProcessBuilder("tar", "xf", archive.toString(), "-C", mine.toString())
                        .inheritIO()
                        .start();
        await().until(() -> Files.exists(mine.resolve("d2")) || !tar.isAlive());
        server.destroyForcibly();
        assertThat(tar.waitFor()).isZero();
        assertThat(described(mine)).isEqualTo(described(source));
        assertThat(described(there.resolve("unpacked"))).isEqualTo(described(source));
        run("diff", "-r", source.toString(), there.resolve("unpacked").toString());

        // Sets modes by ACLs.
        run("cp", "-a", source.toString(), here.resolve("copied").toString());
        assertThat(described(here.resolve("copied"))).isEqualTo(described(source));
        assertThat(described(there.resolve("copied"))).isEqualTo(described(source));
    }

    private static String described(Path directory) throws Exception {
        String all = run("find", directory.toString(), "-type", "f", "-printf", DESCRIPTION);
        return all.lines().sorted().collect(Collectors.joining("\n"));
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    @Test
    void whatWasWrittenHereIsOpenedWithoutTheLeader() throws IOException {
        Path mine = Files.createDirectory(here.resolve("read"));
        for (int i = 0; i < 50; i++) Files.writeString(mine.resolve("f" + i), "content " + i);
        double before = opens();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 50; i++) {
                assertThat(mine.resolve("f" + i)).hasContent("content " + i);
            }
        }
        assertThat(opens() - before).isLessThan(10);
    }

    private static double opens() throws IOException {
        return Metrics.calls(farm.component("meta1"), "open")
                + Metrics.calls(farm.component("cache1"), "open");
    }

    /** The leader has not heard of the reader when somebody else comes to the file. */
    @Test
    void whoReadsKeepsTheFileAndSeesWhatBecomesOfIt() throws Exception {
        Path mine = Files.createDirectory(here.resolve("kept"));
        for (boolean killed : new boolean[] {false, true}) {
            for (String name : List.of("removed", "removed here", "replaced", "changed")) {
                Files.writeString(mine.resolve(name), "as it was");
                assertThat(mine.resolve(name)).hasContent("as it was"); // and closed by its writer
            }
            try (FileChannel removed = FileChannel.open(mine.resolve("removed"));
                    FileChannel removedHere = FileChannel.open(mine.resolve("removed here"));
                    FileChannel replaced = FileChannel.open(mine.resolve("replaced"));
                    FileChannel changed = FileChannel.open(mine.resolve("changed"))) {
                if (killed) farm.mountServer().destroyForcibly();
                Files.delete(mine.resolve("removed here"));
                Path theirs = there.resolve("kept");
                Files.delete(theirs.resolve("removed"));
                Files.writeString(theirs.resolve("new"), "another");
                Files.move(
                        theirs.resolve("new"),
                        theirs.resolve("replaced"),
                        StandardCopyOption.REPLACE_EXISTING);
                Files.writeString(theirs.resolve("changed"), "as it is now");
                assertThat(content(removed)).isEqualTo("as it was");
                assertThat(content(removedHere)).isEqualTo("as it was");
                assertThat(content(replaced)).isEqualTo("as it was");
                assertThat(content(changed)).isEqualTo("as it is now");
            }
        }
    }

    private static String content(FileChannel file) throws IOException {
        ByteBuffer all = ByteBuffer.allocate((int) file.size());
        file.read(all, 0);
        return StandardCharsets.UTF_8.decode(all.flip()).toString();
    }

    @Test
    void nextLeaderIsToldOfEverything() throws Exception {
        Path mine = Files.createDirectory(here.resolve("led"));
        Set<String> made = new TreeSet<>();
        for (int i = 0; i < 300; i++) {
            String name = "f" + i;
            if (i == 100) farm.kill("meta1", "KILL"); // one of the two leads
            if (i == 150) farm.gf("cluster", "start", "--dir", farm.directory().toString());
            if (i == 200) farm.kill("cache1", "KILL");
            Files.writeString(mine.resolve(name), name);
            made.add(name);
        }
        farm.gf("cluster", "start", "--dir", farm.directory().toString());
        Path same = there.resolve("led");
        assertThat(names(same)).containsExactlyElementsOf(made);
        for (String name : made) assertThat(Files.readString(same.resolve(name))).isEqualTo(name);
    }

    @Test
    void whatIsSyncedIsWithTheMetaserver() throws IOException {
        Path mine = Files.createDirectory(here.resolve("synced"));
        Path file = mine.resolve("f");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            channel.write(StandardCharsets.UTF_8.encode("durable"));
            channel.force(true);
        }
        // A client of its own: it is told by the metaserver alone.
        assertThat(farm.gf("cat", "/synced/f")).isEqualTo("durable");
    }

    /** A tree of yesterday, in which somebody works again, and others look and work, too. */
    @Test
    void whoGoesOnInADirectoryOfBeforeDecidesThereAsWell() throws Exception {
        Path mine = Files.createDirectory(here.resolve("again"));
        Path theirs = there.resolve("again");
        Set<String> expected = new TreeSet<>();
        for (int i = 0; i < 40; i++) {
            Files.writeString(mine.resolve("old" + i), "old " + i);
            expected.add("old" + i);
        }
        farm.gf("delegations", "--return", "/again");
        for (boolean killed : new boolean[] {false, true}) {
            ProcessHandle server = farm.mountServer();
            becomesOurs(mine);
            for (int i = 0; i < 300; i++) {
                Path file = mine.resolve((killed ? "second" : "first") + i);
                Files.writeString(file, "new " + i);
                if (i % 3 == 0) Files.move(file, file.resolveSibling("moved"), REPLACE_EXISTING);
                else expected.add(file.getFileName().toString());
                if (i == 150 && killed) server.destroyForcibly();
                int old = i / 5;
                if (i % 5 == 0 && expected.remove("old" + old))
                    Files.delete(mine.resolve("old" + old));
            }
            expected.add("moved");
            assertThat(names(theirs)).containsExactlyElementsOf(expected);
            for (String name : expected) {
                assertThat(Files.readString(theirs.resolve(name)))
                        .isEqualTo(Files.readString(mine.resolve(name)));
            }
            Files.setPosixFilePermissions(theirs, PosixFilePermissions.fromString("rwxr-x--x"));
            assertThat(Files.getPosixFilePermissions(mine)).hasSize(6);
        }
        assertThat(stat("commands_different")).isZero();
    }

    /** Not before the others have let go of it. */
    private static void becomesOurs(Path directory) throws IOException {
        double taken = stat("directories_taken");
        await().until(() -> {
            Files.delete(Files.createFile(directory.resolve("probe")));
            return stat("directories_taken") > taken;
        });
    }

    @Test
    void whatAnotherMountHasMadeIsRemovedWithoutACallForEachName() throws Exception {
        Path theirs = Files.createDirectory(there.resolve("made there"));
        for (int d = 0; d < 3; d++) {
            Path below = Files.createDirectory(theirs.resolve("d" + d));
            for (int f = 0; f < 100; f++) Files.createFile(below.resolve("f" + f));
        }
        Path same = here.resolve("made there");
        for (int d = 0; d < 3; d++) becomesOurs(same.resolve("d" + d));
        double shipped = stat("commands_shipped");
        run("rm", "-r", same.toString());
        assertThat(theirs).doesNotExist();
        assertThat(stat("commands_shipped") - shipped).isGreaterThanOrEqualTo(300);
        assertThat(stat("commands_different")).isZero();
    }

    /** For whoever has to operate it. */
    @Test
    void administratorsSeeItAndEndIt() throws IOException {
        double opened = stat("opens_without_call");
        double wrong = otherwise();
        Path mine = Files.createDirectory(here.resolve("told"));
        Path below = Files.createDirectory(mine.resolve("below"));
        for (int i = 0; i < 5; i++) Files.writeString(below.resolve("f" + i), "x");
        farm.sh("sync " + here); // what is still being committed the metaserver would open
        for (int i = 0; i < 5; i++) assertThat(below.resolve("f" + i)).hasContent("x");
        await().until(() -> stat("commands_waiting") == 0);
        assertThat(stats()).contains("writebehind on\n", "oldest_waiting_millis 0\n");
        assertThat(stat("own_directories")).isGreaterThanOrEqualTo(2);
        assertThat(stat("own_inodes")).isGreaterThanOrEqualTo(3);
        assertThat(stat("shipments")).isPositive();
        assertThat(stat("commands_shipped")).isGreaterThanOrEqualTo(2);
        assertThat(stat("opens_without_call") - opened).isPositive();

        assertThat(farm.gf("delegations")).contains("mount " + here);
        assertThat(farm.gf("delegations", "--paths")).contains(" /told\n", " /told/below\n");
        assertThat(farm.gf("delegations", "--return", "/told")).isEqualTo("2 given back\n");
        assertThat(farm.gf("delegations", "--paths")).doesNotContain("/told");
        await().until(() -> told("gf_delegations_recalled_total", "") >= 2);
        assertThat(told("gf_delegations_shipments_total", "")).isPositive();
        assertThat(otherwise()).isEqualTo(wrong);
    }

    /** So many commands did not come to what the mount had said, or were refused. */
    private static double otherwise() throws IOException {
        return told("gf_delegations_commands_total", "result=\"different\"")
                + told("gf_delegations_commands_total", "result=\"refused\"")
                + stat("commands_different");
    }

    private static String stats() throws IOException {
        return Files.readString(here.resolve(".gf/stats"));
    }

    private static double stat(String name) throws IOException {
        String line =
                stats().lines().filter(one -> one.startsWith(name + " ")).findFirst().orElseThrow();
        return Double.parseDouble(line.substring(name.length() + 1));
    }

    /** By the leader, whichever it is: the other says 0. */
    private static double told(String metric, String tag) throws IOException {
        return Metrics.value(farm.component("meta1"), metric, tag)
                + Metrics.value(farm.component("cache1"), metric, tag);
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private static void removeAll(Path top) throws IOException {
        List<Path> all;
        try (Stream<Path> walked = Files.walk(top)) {
            all = new ArrayList<>(walked.toList());
        }
        for (Path path : all.reversed()) Files.delete(path);
    }
}

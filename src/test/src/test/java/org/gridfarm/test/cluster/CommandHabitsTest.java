package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.ArrayList;
import java.util.List;

/** Commands as people type them from habit, beside the same files seen through a mount. */
class CommandHabitsTest {
    private static final String TOP = "/habits";

    private static TestFarm farm;

    @BeforeAll
    static void lookForTheFarm() throws IOException {
        farm = TestFarm.shared();
        farm.gf("mkdir", "-p", TOP);
    }

    @AfterAll
    static void tidyUp() throws IOException {
        if (farm != null) {
            farm.gf("rm", "-rf", TOP);
            farm.close();
        }
    }

    private static Path mounted(String name) {
        return farm.mount().resolve(TOP.substring(1)).resolve(name);
    }

    /**
     * Whoever may write in the directory puts a link there, waits until it has been fetched, and
     * then puts something else in its place.
     */
    @Test
    void whatComesOutOfTheFarmIsNotWrittenThroughLinksThatCameBefore(@TempDir Path here)
            throws IOException {
        Path home = Files.createDirectories(here.resolve("home/.ssh"));
        Path keys = Files.writeString(home.resolve("keys"), "mine");
        Path tree = Files.createDirectories(mounted("links"));
        Files.createSymbolicLink(tree.resolve("file"), keys);
        Files.createSymbolicLink(tree.resolve("dir"), home);
        Files.createSymbolicLink(tree.resolve("loop"), Path.of("."));
        Files.createSymbolicLink(tree.resolve("up"), Path.of("../../../.."));
        Path into = Files.createDirectories(here.resolve("into"));
        for (int twice = 0; twice < 2; twice++) {
            farm.gf("get", "-r", TOP + "/links", into.toString());
            Path got = into.resolve("links");
            assertThat(Files.readSymbolicLink(got.resolve("file"))).isEqualTo(keys);
            assertThat(Files.readSymbolicLink(got.resolve("dir"))).isEqualTo(home);
            assertThat(Files.readSymbolicLink(got.resolve("loop"))).isEqualTo(Path.of("."));
            assertThat(Files.readSymbolicLink(got.resolve("up"))).isEqualTo(Path.of("../../../.."));
        }

        farm.gf("rm", TOP + "/links/file", TOP + "/links/dir");
        Files.writeString(tree.resolve("file"), "of another");
        Files.writeString(Files.createDirectory(tree.resolve("dir")).resolve("keys"), "of another");
        for (String command : List.of("get", "cp")) {
            Files.delete(into.resolve("links/file"));
            farm.sh("rm -r '%s'".formatted(into.resolve("links/dir")));
            Files.createSymbolicLink(into.resolve("links/file"), keys);
            Files.createSymbolicLink(into.resolve("links/dir"), home);
            farm.gf(
                    command,
                    "-r",
                    command.equals("get") ? TOP + "/links" : "gf:" + TOP + "/links",
                    into.toString());
            assertThat(keys).hasContent("mine");
            assertThat(home).isDirectoryContaining(keys::equals);
            assertThat(into.resolve("links/file")).hasContent("of another");
            assertThat(into.resolve("links/dir/keys")).hasContent("of another");
            assertThat(into.resolve("links/dir")).isDirectory().isNotEqualTo(home);
            assertThat(Files.isSymbolicLink(into.resolve("links/dir"))).isFalse();
        }

        // Two sources of one name, of which the first is a link.
        Path flat = Files.createDirectories(here.resolve("flat"));
        Files.createSymbolicLink(Files.createDirectories(mounted("one")).resolve("x"), home);
        Path second = Files.createDirectories(mounted("two/x"));
        Files.writeString(second.resolve("keys"), "of another");
        farm.gf("get", "-r", TOP + "/one/x", TOP + "/two/x", flat.toString());
        assertThat(keys).hasContent("mine");
        assertThat(flat.resolve("x/keys")).hasContent("of another");

        // What the user wrote himself is what he meant.
        Path own = Files.createSymbolicLink(here.resolve("own"), keys);
        farm.gf("get", TOP + "/links/file", own.toString());
        assertThat(keys).hasContent("of another");
    }

    /** The command itself asks each server twice, and so is in its own list. */
    @Test
    void topNamesWhoAsksOfWhichServers() {
        JsonNode shown = farm.json("top", "--json", "--delay", "0.5");
        assertThat(shown.get("silent")).isEmpty();
        JsonNode own = null;
        for (JsonNode client : shown.get("clients")) {
            if (client.get("user").asString().equals("root")) {
                own = client;
            }
        }
        assertThat(own).isNotNull();
        assertThat(own.get("requests").asLong()).isPositive();
        assertThat(own.get("who").asString()).contains("CN=");
        assertThat(farm.tryGf("top", "--delay", "0").status()).isEqualTo(64);
    }

    @Test
    void pathsBelowAMountUrlsAndPatternsMeanTheSameFiles() throws IOException {
        Files.createDirectories(mounted("paths/.hidden"));
        Files.writeString(mounted("paths/a.dat"), "one\ntwo\nthree\n");
        Files.writeString(mounted("paths/b.dat"), "12345");
        String plain = farm.gf("ls", TOP + "/paths");
        assertThat(plain).isEqualTo("a.dat\nb.dat\n");
        assertThat(farm.gf("ls", mounted("paths").toString())).isEqualTo(plain);
        assertThat(farm.gf("ls", "gfarm://" + TOP + "/paths")).isEqualTo(plain);
        assertThat(farm.gf("cat", TOP + "/paths/?.dat")).isEqualTo("one\ntwo\nthree\n12345");
        assertThat(farm.gf("tail", "-2", mounted("paths/a.dat").toString()))
                .isEqualTo("two\nthree\n");
        assertThat(farm.gf("du", "-sb", TOP + "/paths")).isEqualTo("19\t" + TOP + "/paths\n");
        assertThat(farm.gf("find", TOP + "/paths", "-name", "*.dat", "-size", "-6c"))
                .isEqualTo(TOP + "/paths/b.dat\n");
        Files.createDirectories(mounted("paths/nested/one/two/three"));
        farm.gf("find", TOP + "/paths/nested", "-type", "d", "-empty", "-delete");
        assertThat(mounted("paths/nested")).doesNotExist();
        TestFarm.Result partly = farm.tryGf("cat", TOP + "/paths/none", TOP + "/paths/b.dat");
        assertThat(partly.status()).isEqualTo(66);
        assertThat(partly.output()).isEqualTo("12345");
        assertThat(partly.errors()).contains(TOP + "/paths/none: not found");
    }

    @Test
    void whatTheyChangeIsWhatTheKernelSees() throws IOException {
        farm.gf("touch", "-d", "2026-01-02T03:04:05Z", TOP + "/made");
        farm.gf("chmod", "u=rw,g=r,o=", TOP + "/made");
        farm.gf("setfacl", "-m", "u:1:r", TOP + "/made");
        farm.gf("setfattr", "-n", "user.kind", "-v", "raw", TOP + "/made");
        farm.gf("ln", "-s", "made", TOP + "/link");
        assertThat(Files.getLastModifiedTime(mounted("made"))).hasToString("2026-01-02T03:04:05Z");
        assertThat(Files.getAttribute(mounted("made"), "user:kind"))
                .isEqualTo("raw".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        assertThat(Files.readSymbolicLink(mounted("link"))).hasToString("made");
        assertThat(farm.gf("getfacl", "-cn", TOP + "/made"))
                .isEqualTo("user::rw-\nuser:1:r--\ngroup::r--\nmask::r--\nother::---\n\n");
        assertThat(farm.gf("stat", "-c", "%a %Y", TOP + "/link", "-L"))
                .isEqualTo("640 1767323045\n");
    }

    @Test
    void syncCopiesWhatDiffersAndNoMore(@TempDir Path local) throws IOException {
        Path source = Files.createDirectories(local.resolve("a/sub dir")).getParent();
        Files.writeString(source.resolve("one"), "1");
        Files.writeString(source.resolve("sub dir/two"), "22");
        Files.setPosixFilePermissions(
                source.resolve("one"), PosixFilePermissions.fromString("rwxr-x---"));
        Files.createSymbolicLink(source.resolve("link"), Path.of("no/such"));
        String to = "gf:" + TOP + "/synced";
        assertThat(synced("--dry-run", source.toString(), to)).startsWith("copied 2, same 0");
        assertThat(mounted("synced")).doesNotExist();
        assertThat(synced(source.toString(), to)).startsWith("copied 2, same 0");
        assertThat(Files.getLastModifiedTime(mounted("synced/one")))
                .isEqualTo(Files.getLastModifiedTime(source.resolve("one")));
        assertThat(Files.getPosixFilePermissions(mounted("synced/one")))
                .isEqualTo(Files.getPosixFilePermissions(source.resolve("one")));
        assertThat(synced(source.toString(), to))
                .isEqualTo("copied 0, same 3, changed 0, removed 0");
        // The same size and time, other bytes: seen by who looks at these.
        FileTime time = Files.getLastModifiedTime(source.resolve("one"));
        Files.writeString(source.resolve("one"), "x");
        Files.setLastModifiedTime(source.resolve("one"), time);
        Files.writeString(mounted("synced/more"), "only there");
        assertThat(synced(source.toString(), to)).startsWith("copied 0, same 3");
        assertThat(synced("--checksum", "--delete", source.toString(), to))
                .isEqualTo("copied 1, same 2, changed 0, removed 1");
        assertThat(mounted("synced/more")).doesNotExist();
        String back = local.resolve("b").toString();
        assertThat(synced(to, back)).startsWith("copied 2, same 0");
        assertThat(synced(to, back)).startsWith("copied 0, same 3");
        assertThat(local.resolve("b/sub dir/two")).hasContent("22");
        assertThat(Files.readSymbolicLink(local.resolve("b/link"))).hasToString("no/such");
        assertThat(synced(to, "gf:" + TOP + "/again")).startsWith("copied 2, same 0");
        // A directory is not removed for a file unless it is said.
        Files.delete(source.resolve("one"));
        Files.createDirectory(source.resolve("one"));
        Files.delete(source.resolve("sub dir/two"));
        Files.delete(source.resolve("sub dir"));
        Files.writeString(source.resolve("sub dir"), "a file now");
        TestFarm.Result refused = farm.tryGf("sync", source.toString(), to);
        assertThat(refused.status()).isEqualTo(73);
        assertThat(refused.errors()).contains("sub dir").contains("--delete");
        assertThat(synced("--delete", source.toString(), to)).startsWith("copied 1, same 1");
        assertThat(mounted("synced/sub dir")).hasContent("a file now");
        assertThat(farm.tryGf("sync", "file:" + source, "./b").status()).isEqualTo(64);
    }

    private static String synced(String... words) {
        List<String> all = new ArrayList<>(List.of("sync", "--json"));
        all.addAll(List.of(words));
        JsonNode figures = farm.json(all.toArray(String[]::new));
        return "copied %s, same %s, changed %s, removed %s"
                .formatted(
                        figures.get("copied"),
                        figures.get("same"),
                        figures.get("changed"),
                        figures.get("removed"));
    }
}

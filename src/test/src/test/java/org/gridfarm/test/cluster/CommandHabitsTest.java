package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

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
}

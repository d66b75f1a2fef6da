package org.gridfarm.client.mount.fuse.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.gridfarm.client.mount.fuse.MountOptions;
import org.gridfarm.client.mount.fuse.memory.MemoryOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// What happens when the process that serves a mount dies.
@Timeout(60)
class TakeOverTest {

    private static final MountOptions OPTIONS = MountOptions.defaults().withPosixAcl(false);

    @TempDir(cleanup = CleanupMode.NEVER)
    Path point;

    @TempDir Path aside;

    @BeforeEach
    void fuse() {
        Shell.assumeFuse();
    }

    @AfterEach
    void unmount() throws IOException {
        Path real = point.toAbsolutePath();
        if (MountTable.at(real) != null) {
            Mounter.unmount(real, true);
        }
        Files.deleteIfExists(point);
    }

    private static List<String> child(Path log, String mode, SavedMount saved) {
        return List.of(
                ProcessHandle.current().info().command().orElseThrow(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ResumedProcess.class.getName(),
                log.toString(),
                mode,
                saved.text());
    }

    @Test
    void anotherProcessGoesOnWithTheMountAndGetsTheUnansweredRequestsAgain() throws Exception {
        LinuxMount mount = LinuxMount.prepare(point, OPTIONS);
        assumeTrue(
                mount.saved().negotiation().has(Abi.HAS_RESEND),
                "no resend before protocol 7.40 (Linux 6.9)");
        Path log = aside.resolve("log");
        int first = mount.spawn(child(log, "hold", mount.saved()), Map.of());
        Process mkdir =
                new ProcessBuilder("mkdir", point.resolve("d").toString()).inheritIO().start();
        await().atMost(Duration.ofSeconds(20)).until(() -> Files.exists(log));
        ProcessHandle.of(first).orElseThrow().destroyForcibly();
        assertThat(LinuxMount.waitFor(first)).isEqualTo(128 + 9);
        assertThat(mkdir.isAlive()).isTrue();

        int second = mount.spawn(child(log, "serve", mount.saved()), Map.of());
        assertThat(mkdir.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(mkdir.exitValue()).isZero();
        assertThat(Files.readString(log)).isEqualTo("hold d\nserve d again\n");
        assertThat(Shell.run("ls " + point).strip()).isEqualTo("d");

        mount.close();
        assertThat(LinuxMount.waitFor(second)).isZero();
    }

    @Test
    void aMountLeftByADeadProcessIsTakenOffFirst() throws Exception {
        LinuxMount dead = LinuxMount.prepare(point, OPTIONS);
        Libc.close(dead.saved().fd()); // what the end of a process does
        assertThat(Files.isDirectory(point)).isFalse();
        try (LinuxMount mount =
                LinuxMount.mount(point, OPTIONS, new MemoryOperations(Clock.systemUTC(), 0))) {
            Files.writeString(mount.point().resolve("f"), "x");
            assertThat(Files.readString(point.resolve("f"))).isEqualTo("x");
        }
        assertThat(MountTable.at(point.toRealPath())).isNull();
    }

    @Test
    void aSavedMountIsReadBack() {
        SavedMount saved = new SavedMount(7, Path.of("/mnt/a b"), 41, 45, 0x3f_8000_0001L, 1 << 20);
        assertThat(SavedMount.parse(saved.text())).isEqualTo(saved);
    }
}

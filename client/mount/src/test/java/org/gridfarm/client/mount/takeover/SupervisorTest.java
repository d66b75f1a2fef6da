package org.gridfarm.client.mount.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/** The script alone, with a program that serves nothing in the place of the mount's process. */
@Timeout(60)
class SupervisorTest {
    /** Says that it serves, beats as its heart file tells, and ends with the status in a file. */
    private static final String SERVER =
            """
            state=$2
            echo $$ >>"$0.starts"
            echo "$state" >"$0.state"
            : >"$state.served"
            [ ! -e "$0.stuck" ] || { rm "$0.stuck"; exec python3 -c "$STUCK" "$state"; }
            while :; do
                [ -e "$0.dumb" ] || { beat=$((beat + 1)); echo $beat >"$state.beat"; }
                [ ! -e "$0.end" ] || exit "$(cat "$0.end")"
                sleep 0.1
            done
            """;

    /**
     * Has the ledger locked, serves, and ends but for one thread, which the kernel keeps as far as
     * anybody can tell: its first thread is a zombie, and nobody can wait for it.
     */
    private static final String STUCK =
            """
            import ctypes, fcntl, sys, threading, time
            ledger = open(sys.argv[1], "r+")
            fcntl.lockf(ledger, fcntl.LOCK_EX)
            open(sys.argv[1] + ".beat", "w").write("1")
            threading.Thread(target=time.sleep, args=(600,)).start()
            ctypes.CDLL(None).pthread_exit(None)
            """;

    /** Well above a supervisor's patience with a silent server, whatever else the machine does. */
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir Path folder;
    private Path server;
    private Supervisor supervisor;
    private Process script;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/fuse")), "no /dev/fuse");
        assumeTrue(System.getProperty("user.name").equals("root"), "not root");
        server = Files.writeString(folder.resolve("server"), SERVER);
        supervisor = Supervisor.of(folder.resolve("mnt"));
        script = start("nostandby");
        await().atMost(SOON).until(supervisor::isServed);
    }

    private Process start(String word) throws IOException {
        // The word stands where a mount's options do.
        ProcessBuilder builder =
                new ProcessBuilder(
                        supervisor.command(
                                folder.resolve("mnt"),
                                false,
                                List.of(
                                        "/bin/sh",
                                        "-c",
                                        "shift; exec /bin/sh \"$0\" \"$@\"",
                                        server.toString(),
                                        word)));
        builder.environment().put("STUCK", STUCK);
        return builder.redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
    }

    @AfterEach
    void stop() {
        if (script != null) {
            supervisor.server().ifPresent(ProcessHandle::destroyForcibly);
            script.destroyForcibly();
            supervisor.clear();
        }
    }

    private long starts() throws IOException {
        Path file = folder.resolve("server.starts");
        return Files.exists(file) ? Files.readAllLines(file).size() : 0;
    }

    @Test
    void aServerThatIsKilledIsFollowedByAnother() throws Exception {
        supervisor.server().orElseThrow().destroyForcibly();
        await().atMost(SOON).until(() -> starts() == 2);
        assertThat(script.isAlive()).isTrue();
        assertThat(folder.resolve("log")).content().contains("another goes on");
    }

    @Test
    void aServerThatIsStoppedIsKilledAndFollowedByAnother() throws Exception {
        long stopped = supervisor.server().orElseThrow().pid();
        new ProcessBuilder("kill", "-s", "STOP", Long.toString(stopped)).start().waitFor();
        await().atMost(SOON).until(() -> starts() == 2);
    }

    @Test
    void aServerWhoseHeartStandsStillIsKilledAndFollowedByAnother() throws Exception {
        Path dumb = Files.writeString(folder.resolve("server.dumb"), "");
        await().atMost(SOON).until(() -> starts() == 2);
        Files.delete(dumb);
    }

    @Test
    void aServerOfWhichTheKernelKeepsAThreadIsFollowedByAnotherThatHasTheLedger() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/python3")), "no python3");
        Files.writeString(folder.resolve("server.stuck"), "");
        supervisor.server().orElseThrow().destroyForcibly();
        Path state = folder.resolve("server.state");
        await().atMost(SOON).until(() -> starts() == 3 && !Files.readString(state).isBlank());
        ProcessHandle stuck =
                ProcessHandle.of(
                                Long.parseLong(
                                        Files.readAllLines(folder.resolve("server.starts")).get(1)))
                        .orElseThrow();
        try (FileChannel ledger =
                FileChannel.open(
                        Path.of(Files.readString(state).strip()), StandardOpenOption.WRITE)) {
            assertThat(ledger.tryLock()).as("the ledger is free").isNotNull();
        } finally {
            stuck.destroyForcibly();
        }
        assertThat(folder.resolve("log")).content().contains("the kernel keeps a thread");
    }

    @Test
    void itEndsWithAMountThatEnded() throws Exception {
        Files.writeString(folder.resolve("server.end"), "0");
        assertThat(script.waitFor()).isZero();
        assertThat(supervisor.process()).isEmpty();
        assertThat(supervisor.isServed()).isFalse();
    }

    @Test
    void itEndsWhenItIsToldTo() throws Exception {
        script.destroy();
        assertThat(script.waitFor()).isZero();
        assertThat(starts()).isEqualTo(1);
    }
}

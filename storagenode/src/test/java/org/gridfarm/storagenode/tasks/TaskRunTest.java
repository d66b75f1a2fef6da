package org.gridfarm.storagenode.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Real processes. */
class TaskRunTest {
    private static final String PRINT = "printf '%s|%s|%s|' \"$1\" \"$2\" \"$A\"; cat; cat in*";

    @TempDir Path mount;

    private static int self(String attribute) throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:" + attribute);
    }

    /** A word as bytes; what stands for a byte becomes it. */
    private static ByteString text(String word) {
        return ByteString.copyFrom(NameText.bytes(word));
    }

    private static List<ByteString> words(String... words) {
        return Arrays.stream(words).map(TaskRunTest::text).toList();
    }

    private RunTaskRequest.Builder shell(String command) throws IOException {
        return RunTaskRequest.newBuilder()
                .setTask("1.1.1")
                .addAllArgv(words("/bin/sh", "-c", command))
                .setUser("tester")
                .setUid(self("uid"))
                .setGid(self("gid"));
    }

    private TaskRun start(RunTaskRequest request) {
        TaskRun run =
                new TaskRun(
                        request,
                        new TaskSettings(
                                2,
                                mount.toString(),
                                Duration.ofMillis(300),
                                mount.resolve("scratch")),
                        Clock.system());
        run.start();
        return run;
    }

    private RunTaskReply run(RunTaskRequest request) {
        return start(request).outcome().join();
    }

    private static boolean isAlive(Path pidFile) throws IOException {
        return ProcessHandle.of(Long.parseLong(Files.readString(pidFile).strip()))
                .map(ProcessHandle::isAlive)
                .orElse(false);
    }

    @Test
    void wordsAreBytesWhateverTheLocaleSays() throws IOException {
        StringBuilder every = new StringBuilder();
        for (int b = 1; b < 256; b++) {
            every.append(b < 0x80 ? Character.toString(b) : Character.toString(0xDC00 + b));
        }
        String all = every.append("\u00fc\n").toString();
        Path directory = Files.createDirectory(LocalPath.of(mount + "/d\udce9"));
        Files.writeString(LocalPath.of(directory.getParent() + "/d\udce9/in\udce8"), "read");
        RunTaskReply reply =
                run(
                        shell("")
                                .clearArgv()
                                .addAllArgv(words("/bin/sh", "-c", PRINT, "sh", all, "{mount}x"))
                                .putEnvironment("A", text("v\udcff"))
                                .setDirectory(text("/d\udce9"))
                                .setStdinPath(text("/d\udce9/in\udce8"))
                                .build());
        assertThat(reply.getFailure() + reply.getStderr().toStringUtf8()).isEmpty();
        assertThat(NameText.of(reply.getStdout().toByteArray()))
                .isEqualTo(all + "|" + mount + "x|v\udcff|readread");
    }

    @Test
    void aTaskSeesTheFarmItsEnvironmentAndItsDirectory() throws IOException {
        Files.createDirectory(mount.resolve("in"));
        Files.writeString(mount.resolve("in/x"), "one\ntwo\n");
        RunTaskReply reply =
                run(
                        shell(
                                        "wc -l < {mount}/in/x; echo $GF_JOB_ID; pwd; cat; echo oops >&2; exit 3")
                                .putEnvironment("GF_JOB_ID", text("17"))
                                .setDirectory(text("/in"))
                                .setStdinPath(text("/in/x"))
                                .build());
        assertThat(reply.getFailure()).isEmpty();
        assertThat(reply.getExitCode()).isEqualTo(3);
        assertThat(reply.getStdout().toStringUtf8())
                .isEqualTo("2\n17\n" + mount.toRealPath().resolve("in") + "\none\ntwo\n");
        assertThat(reply.getStderr().toStringUtf8()).isEqualTo("oops\n");
        assertThat(reply.getEnded()).isGreaterThanOrEqualTo(reply.getStarted());
    }

    @Test
    void outputPastTheLimitIsCutAndDoesNotBlock() throws IOException {
        RunTaskReply reply =
                run(
                        shell("head -c 3000000 /dev/zero; echo end >&2")
                                .setOutputBytesMax(1000)
                                .build());
        assertThat(reply.getExitCode()).isZero();
        assertThat(reply.getStdout().size()).isEqualTo(1000);
        assertThat(reply.getStdoutCut()).isTrue();
        assertThat(reply.getStderrCut()).isFalse();
    }

    @Test
    void aTaskPastItsTimeIsEndedWithAllThatItStarted() throws IOException {
        Path child = mount.resolve("child");
        RunTaskReply reply =
                run(
                        shell(
                                        "trap '' TERM; sleep 100 & echo $! > "
                                                + child
                                                + "; while :; do sleep 1; done")
                                .setTimeoutMillis(700)
                                .build());
        assertThat(reply.getSignal()).isEqualTo(9);
        assertThat(reply.getExitCode()).isEqualTo(137);
        await().until(() -> !isAlive(child));
    }

    @Test
    void whatATaskLeavesBehindIsEnded() throws IOException {
        Path child = mount.resolve("child");
        RunTaskReply reply = run(shell("sleep 100 & echo $! > " + child).build());
        assertThat(reply.getExitCode()).isZero();
        await().until(() -> !isAlive(child));
    }

    /** Often, since it may be killed while it is being started. */
    @RepeatedTest(20)
    void aTaskCanBeKilled() throws IOException {
        TaskRun run = start(shell("echo started; exec sleep 100").build());
        run.kill(0);
        RunTaskReply reply = run.outcome().join();
        assertThat(reply.getSignal()).isEqualTo(15);
    }

    @Test
    void aProgramThatIsNotThereIsAClearFailure() throws IOException {
        RunTaskReply reply = run(shell("").clearArgv().addArgv(text("/no/such/program")).build());
        assertThat(reply.getExitCode()).isNotZero();
        assertThat(reply.getFailure() + reply.getStderr().toStringUtf8())
                .contains("/no/such/program");
        assertThat(run(shell("true").setDirectory(text("/nowhere")).build()).getFailure())
                .contains("no directory /nowhere");
    }

    @Test
    void aTaskOfAnotherUserRunsAsThatUserOrFailsInOneSentence() throws IOException {
        RunTaskReply reply =
                run(shell("id -u; id -g").setUser("nobody").setUid(65534).setGid(65534).build());
        if (self("uid") == 0) {
            assertThat(reply.getStdout().toStringUtf8()).isEqualTo("65534\n65534\n");
        } else {
            assertThat(reply.getFailure()).contains("cannot become uid 65534");
        }
    }

    @Test
    void aFarmPathWithoutAMountIsAClearFailure() throws IOException {
        TaskRun run =
                new TaskRun(
                        shell("cat {mount}/x").build(),
                        new TaskSettings(1, "", Duration.ofSeconds(1), mount.resolve("scratch")),
                        Clock.system());
        run.start();
        assertThat(run.outcome().join().getFailure()).contains("no mount of the farm");
    }
}

package org.gridfarm.storagenode.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.wire.ReadTaskOutputReply;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.TaskUsage;
import org.gridfarm.protocol.wire.WriteTaskInputRequest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Real processes. */
class TaskRunTest {
    private static final String PRINT = "printf '%s|%s|%s|' \"$1\" \"$2\" \"$A\"; cat; cat in*";
    private static final ProcessTree.Maker HERE = ProcessTrees.ofThisHost();
    private static final int NOBODY = 65534;
    private static final Set<PosixFilePermission> ANYBODY =
            PosixFilePermissions.fromString("rwxrwxrwx");

    @TempDir Path mount;

    /** Tasks of root's tests are nobody's: root's own are refused. */
    @BeforeEach
    void letTheTasksIn() throws IOException {
        Files.setPosixFilePermissions(mount, ANYBODY);
    }

    private static int self(String attribute) throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:" + attribute);
    }

    private static int other(String attribute) throws IOException {
        return self("uid") == 0 ? NOBODY : self(attribute);
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
                .setUid(other("uid"))
                .setGid(other("gid"));
    }

    private TaskSettings settings(String where) {
        return new TaskSettings(
                2, where, Duration.ofMillis(300), mount, 1000, false, mount, 0, 1 << 30, 0);
    }

    private TaskRun start(RunTaskRequest request) {
        return start(request, settings(mount.toString()), HERE);
    }

    private static TaskRun start(
            RunTaskRequest request, TaskSettings settings, ProcessTree.Maker trees) {
        Spool spool = new Spool(settings.spool(), 0, Clock.system(), _ -> true);
        TaskRun run =
                new TaskRun(request, settings, trees, spool, Clock.system(), NoLocals.of(settings));
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

    /** A mount answers some closes before all is well: whoever trusts the task must hear of it. */
    @Test
    void aTaskHasNotSucceededBeforeItsOutputIsStored() throws IOException {
        String ends = "echo > out; mv \"$GF_MOUNT\" \"$GF_MOUNT.gone\"";
        Path farm = Files.createDirectory(mount.resolve("farm"));
        Files.setPosixFilePermissions(farm, ANYBODY);
        RunTaskReply reply =
                start(shell(ends).build(), settings(farm.toString()), HERE).outcome().join();
        assertThat(reply.getExitCode()).isEqualTo(74);
        assertThat(reply.getFailure()).contains("may not be stored", farm.toString());
        assertThat(run(shell("true").build()).getExitCode()).isZero();
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
                                .addAllArgv(words("/bin/sh", "-c", PRINT, "sh", all, "/{mount}x"))
                                .putEnvironment("A", text("v\udcff"))
                                .setDirectory(text("/d\udce9"))
                                .setStdinPath(text("/d\udce9/in\udce8"))
                                .build());
        assertThat(reply.getFailure() + reply.getStderr().toStringUtf8()).isEmpty();
        assertThat(NameText.of(reply.getStdout().toByteArray()))
                .isEqualTo(all + "|/{mount}x|v\udcff|readread");
    }

    /** Shells read ahead: none of what follows the script may be lost, however long that is. */
    @Test
    void inputThatIsSentIsAllThatTheTaskReads() throws Exception {
        for (int length : new int[] {1, 100_000}) {
            TaskRun run =
                    start(
                            shell("cat; printf %s \"$A\" | wc -c")
                                    .putEnvironment("A", text("v".repeat(length)))
                                    .setStreamsInput(true)
                                    .build());
            WriteTaskInputRequest piece =
                    WriteTaskInputRequest.newBuilder()
                            .setData(text("exit 1\n\0\udcff\n"))
                            .setEnd(true)
                            .build();
            run.input().write(piece).get(30, TimeUnit.SECONDS);
            RunTaskReply reply = run.outcome().get(30, TimeUnit.SECONDS);
            assertThat(reply.getFailure() + reply.getStderr().toStringUtf8()).isEmpty();
            assertThat(reply.getStdout()).isEqualTo(piece.getData().concat(text(length + "\n")));
        }
    }

    @Test
    void aTaskSeesTheFarmItsEnvironmentAndItsDirectory() throws IOException {
        Files.createDirectory(mount.resolve("in"));
        Files.writeString(mount.resolve("in/x"), "one\ntwo\n");
        RunTaskReply reply =
                run(
                        shell(
                                        "wc -l < $GF_MOUNT/in/x; echo $GF_JOB_ID; pwd; cat; echo oops >&2; exit 3")
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
    void outputOfAnyLengthIsKeptWholeAndItsBeginningIsToldWithTheOutcome() throws IOException {
        TaskRun run = start(shell("seq 1 400000; echo short >&2").build());
        RunTaskReply reply = run.outcome().join();
        assertThat(reply.getExitCode()).isZero();
        assertThat(reply.getStdoutBytes()).isEqualTo(2_688_895);
        assertThat(reply.getStdout().size()).isLessThanOrEqualTo(TaskOutput.HEAD_BYTES);
        assertThat(reply.getStderr().toStringUtf8()).isEqualTo("short\n");
        assertThat(reply.getStderrBytes()).isEqualTo(6);
        ByteString whole = ByteString.EMPTY;
        ReadTaskOutputReply part;
        do {
            part = run.output(false).read(whole.size(), 1 << 20, Duration.ZERO).join();
            whole = whole.concat(part.getData());
        } while (!part.getEnd());
        assertThat(whole.toStringUtf8()).startsWith("1\n2\n").endsWith("\n400000\n");
        assertThat(whole.size()).isEqualTo(2_688_895);
    }

    @Test
    void outputCanBeReadWhileTheTaskRuns() throws Exception {
        Path gate = mount.resolve("gate");
        new ProcessBuilder("mkfifo", "-m", "666", gate.toString()).start().waitFor();
        TaskRun run = start(shell("echo first; read line < " + gate + "; echo $line").build());
        TaskOutput output = run.output(false);
        ReadTaskOutputReply first = output.read(0, 100, Duration.ofSeconds(20)).join();
        assertThat(first.getData().toStringUtf8()).isEqualTo("first\n");
        assertThat(first.getEnd()).isFalse();
        assertThat(output.read(6, 100, Duration.ofMillis(1)).join().getData()).isEmpty();
        var second = output.read(6, 100, Duration.ofSeconds(20));
        Files.writeString(gate, "second\n");
        assertThat(second.join().getData().toStringUtf8()).isEqualTo("second\n");
        assertThat(output.read(13, 100, Duration.ofSeconds(20)).join().getEnd()).isTrue();
    }

    @Test
    void aTaskWhoseOutputFitsOnNoDiskFailsAndSaysSo() throws IOException {
        Spool full = new Spool(mount, Long.MAX_VALUE, Clock.system(), _ -> true);
        TaskRun run =
                new TaskRun(
                        shell("seq 1 400000").build(),
                        settings(mount.toString()),
                        HERE,
                        full,
                        Clock.system(),
                        NoLocals.of(settings(mount.toString())));
        run.start();
        RunTaskReply reply = run.outcome().join();
        assertThat(reply.getExitCode()).isNotZero();
        assertThat(reply.getFailure())
                .isEqualTo("its output cannot be kept on the node: No space left on device");
    }

    @Test
    void oldOutputIsRemovedAndThatOfTasksThatRunIsNot() throws IOException {
        Path old = Files.writeString(mount.resolve("1.0.1.out"), "old");
        Path running = Files.writeString(mount.resolve("2.0.1.out"), "runs");
        Path fresh = Files.writeString(mount.resolve("3.0.1.out"), "fresh");
        FileTime before = FileTime.from(Instant.now().minus(Spool.KEPT).minusSeconds(60));
        Files.setLastModifiedTime(old, before);
        Files.setLastModifiedTime(running, before);
        new Spool(mount, 0, Clock.system(), "2.0.1"::equals).cleanFromNowOn();
        assertThat(old).doesNotExist();
        assertThat(running).exists();
        assertThat(fresh).exists();
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
        assertThat(
                        run(shell("true").setDirectory(text("/nowhere")).build())
                                .getStderr()
                                .toStringUtf8())
                .contains("cannot enter directory /nowhere");
    }

    @Test
    void aTaskOfAnotherUserRunsAsThatUserOrFailsInOneSentence() throws IOException {
        RunTaskReply reply =
                run(shell("id -u; id -g; id -G").setUid(NOBODY).setGid(NOBODY).build());
        if (self("uid") == 0) {
            assertThat(reply.getStdout().toStringUtf8()).startsWith("65534\n65534\n65534");
        } else {
            assertThat(reply.getFailure()).contains("cannot become uid 65534");
        }
    }

    @Test
    void aTaskHasNoPrivilegeAndNoWayToOne() throws IOException {
        String said =
                run(shell("grep -E '^(NoNewPrivs|Cap)' /proc/self/status").build())
                        .getStdout()
                        .toStringUtf8();
        assertThat(said).contains("NoNewPrivs:\t1");
        if (self("uid") == 0) {
            assertThat(said.lines().filter(line -> line.startsWith("Cap")))
                    .hasSize(5)
                    .allMatch(line -> line.endsWith("\t0000000000000000"));
        }
    }

    /** The first program that root starts would be the one in the user's own directory. */
    @Test
    void aTasksEnvironmentIsHisAloneAndComesAfterTheDrop() throws IOException {
        Path setpriv = Files.writeString(mount.resolve("setpriv"), "#!/bin/sh\nid -u\n");
        Files.setPosixFilePermissions(setpriv, ANYBODY);
        RunTaskReply reply =
                run(
                        shell("tr '\\0' '\\n' </proc/self/environ; tr '\\0' ' ' </proc/$$/cmdline")
                                .putEnvironment("PATH", text(mount + ":/usr/bin:/bin"))
                                .putEnvironment("SECRET", text("it's $(mine)"))
                                .putEnvironment("GF_JOB_ID", text("17"))
                                .build());
        assertThat(reply.getFailure() + reply.getStderr().toStringUtf8()).isEmpty();
        assertThat(reply.getStdout().toStringUtf8().lines().filter(line -> line.contains("=")))
                .map(line -> line.replaceAll("=.*", ""))
                .contains("PATH", "SECRET", "GF_JOB_ID", "GF_MOUNT", "HOME", "LANG", "USER")
                .isSubsetOf(
                        "PATH",
                        "SECRET",
                        "GF_JOB_ID",
                        "GF_MOUNT",
                        "HOME",
                        "LANG",
                        "USER",
                        "LOGNAME",
                        "GF_ACCOUNT",
                        "PWD",
                        "GF_TASK_MARK");
        assertThat(reply.getStdout().toStringUtf8())
                .contains("SECRET=it's $(mine)\n", "HOME=" + mount + "\n");
    }

    @Test
    void variablesThatProgramsAreLoadedByAreRefused() throws IOException {
        for (String name : List.of("LD_PRELOAD", "GLIBC_TUNABLES", "A=B", "A B", "UID", "1A")) {
            assertThat(run(shell("echo ran").putEnvironment(name, text("x")).build()).getFailure())
                    .startsWith("environment " + name);
        }
    }

    @Test
    void noNameLeadsOutOfTheMount() throws IOException {
        Files.createDirectory(mount.resolve("etc"));
        Files.writeString(mount.resolve("etc/passwd"), "of the farm");
        RunTaskReply reply =
                run(
                        shell("pwd; cat")
                                .setDirectory(text("/../../../etc"))
                                .setStdinPath(text("../x/../../etc/passwd"))
                                .build());
        assertThat(reply.getStdout().toStringUtf8())
                .isEqualTo(mount.toRealPath() + "/etc\nof the farm");
        assertThat(
                        run(shell("cat").setStdinPath(text("/etc/shadow{mount}")).build())
                                .getStderr()
                                .toStringUtf8())
                .contains(mount + "/etc/shadow{mount}");
    }

    @Test
    void whatTheUserMayNotOpenIsNotOpenedForHim() throws IOException {
        Files.writeString(mount.resolve("secret"), "of another");
        Files.setPosixFilePermissions(
                mount.resolve("secret"), PosixFilePermissions.fromString("---------"));
        Files.createDirectory(mount.resolve("closed"));
        Files.setPosixFilePermissions(
                mount.resolve("closed"), PosixFilePermissions.fromString("---------"));
        RunTaskReply reply = run(shell("cat").setStdinPath(text("/secret")).build());
        assertThat(reply.getExitCode()).isNotZero();
        assertThat(reply.getStdout().isEmpty()).isTrue();
        assertThat(run(shell("true").setDirectory(text("/closed")).build()).getExitCode())
                .isEqualTo(126);
    }

    @Test
    void aCommandIsNoOptionOfTheProgramsThatStartIt() throws IOException {
        for (String word : List.of("-c", "--help", "")) {
            assertThat(
                            run(shell("").clearArgv().addAllArgv(words(word, "id")).build())
                                    .getFailure())
                    .contains("begins with the name of a program");
        }
        assertThat(run(shell("").clearArgv().build()).getFailure()).contains("name of a program");
        assertThat(run(shell("echo \0").build()).getFailure()).contains("zero byte");
    }

    private static Stream<ProcessTree.Maker> treesOfThisHost() {
        return Stream.concat(
                ControlGroup.maker().stream(),
                Stream.of(MarkedProcesses.maker(new java.util.Random(1))));
    }

    @ParameterizedTest
    @MethodSource("treesOfThisHost")
    void whatATaskPutElsewhereEndsWithIt(ProcessTree.Maker trees) throws IOException {
        String daemon =
                "(setsid sh -c 'trap \"\" TERM HUP; echo $$ > %s; exec sleep 100' >/dev/null 2>&1 &)";
        Path once = mount.resolve("once");
        Path twice = mount.resolve("twice");
        RunTaskReply reply =
                start(
                                shell(
                                                daemon.formatted(once)
                                                        + "; setsid sh -c \""
                                                        + daemon.formatted(twice)
                                                                .replace("\"", "\\\"")
                                                                .replace("$$", "\\$\\$")
                                                        + "\" >/dev/null 2>&1; while ! [ -s "
                                                        + once
                                                        + " -a -s "
                                                        + twice
                                                        + " ]; do :; done")
                                        .build(),
                                settings(mount.toString()),
                                trees)
                        .outcome()
                        .join();
        assertThat(reply.getFailure() + reply.getStderr().toStringUtf8()).isEmpty();
        // Killed by now; whoever took them as children has yet to wait for them.
        await().until(() -> !isAlive(once) && !isAlive(twice));
    }

    @Test
    void aTaskOfTheSameUserGoesOnWhenAnotherEnds() throws IOException {
        for (ProcessTree.Maker trees : treesOfThisHost().toList()) {
            TaskSettings settings = settings(mount.toString());
            TaskRun longer =
                    start(shell("echo on; read line; exec sleep 100").build(), settings, trees);
            TaskRun other = start(shell("exec sleep 100").build(), settings, trees);
            other.kill(9);
            assertThat(other.outcome().join().getSignal()).isEqualTo(9);
            assertThat(start(shell("true").build(), settings, trees).outcome().join().getExitCode())
                    .isZero();
            assertThat(longer.outcome().isDone()).isFalse();
            longer.kill(9);
            longer.outcome().join();
        }
    }

    @Test
    void aFarmPathWithoutAMountIsAClearFailure() throws IOException {
        TaskSettings unmounted = settings("");
        for (RunTaskRequest.Builder request :
                List.of(
                        shell("cat $GF_MOUNT/x").setNeedsMount(true),
                        shell("ls").setDirectory(text("/x")),
                        shell("cat").setStdinPath(text("/x")),
                        shell("ls $A").putEnvironment("A", text("{mount}/x")))) {
            assertThat(start(request.build(), unmounted, HERE).outcome().join().getFailure())
                    .contains("no mount of the farm");
        }
    }

    @Test
    void withoutAMountATaskWorksInADirectoryOfItsOwnThatGoesWithIt() throws IOException {
        RunTaskReply reply =
                start(
                                shell("mkdir -p d/e; echo x >d/e/f; pwd; stat -c '%a %u' .")
                                        .build(),
                                settings(""),
                                HERE)
                        .outcome()
                        .join();
        List<String> lines = reply.getStdout().toStringUtf8().lines().toList();
        assertThat(lines.get(0)).startsWith(mount.toRealPath() + "/gridfarm-task-");
        assertThat(lines.get(1)).isEqualTo("700 " + other("uid"));
        assertThat(Path.of(lines.get(0))).doesNotExist();
    }

    /** Of the whole tree, by /proc, where there is no control group. */
    @Test
    void whatATaskUsesIsSeenWhileItRuns() throws IOException {
        Path go = mount.resolve("go");
        TaskRun run =
                start(
                        shell(
                                        "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; head -c 3000000 /dev/zero | cat >"
                                                + " here; x=$(head -c 20000000 /dev/zero | tr '\\0' x);"
                                                + " while ! [ -e "
                                                + go
                                                + " ]; do sleep 0.05; done")
                                .build());
        await().untilAsserted(() -> {
            TaskUsage usage = run.usage();
            assertThat(usage.getCpuMicros()).isPositive();
            assertThat(usage.getMemoryNow()).isGreaterThan(20_000_000);
            assertThat(usage.getWrittenBytes()).isGreaterThanOrEqualTo(3_000_000);
        });
        Files.createFile(go);
        TaskUsage all = run.outcome().join().getUsage();
        assertThat(all.getMemoryPeak()).isGreaterThan(20_000_000);
        assertThat(all.getMemoryNow()).isZero();
    }

    @Test
    void aTaskThatHasMoreMemoryThanItAskedForIsEndedAndToldSo() throws IOException {
        RunTaskReply reply =
                run(
                        shell("x=$(head -c 60000000 /dev/zero | tr '\\0' x); sleep 600")
                                .setMemoryMax(30 << 20)
                                .build());
        assertThat(reply.getFailure()).startsWith("out of memory").endsWith("30 MiB of --mem");
        assertThat(reply.getSignal()).isEqualTo(9);
    }
}

package org.gridfarm.client.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** From a command line to a job, and from its tasks to what is written about them. */
class CommandLineTest {
    @TempDir Path directory;

    private static TaskSpec plain(String... words) {
        return PlainCommand.task(
                List.of(words),
                word -> word.startsWith("/in") ? Optional.of(word) : Optional.empty(),
                path -> path.startsWith("/in/"));
    }

    private static String ran(TaskSpec task) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(
                        task.getArgvList().stream().map(ByteString::toStringUtf8).toList());
        builder.environment().put("GF_MOUNT", "/mnt");
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void aProgramGetsItsArgumentsAsTheyAreAndFindsTheFarmsFiles() throws Exception {
        TaskSpec task = plain("printf", "%s|", "a  b", "$HOME", "-k", "/in/x y", "/etc/z", "/in");
        assertThat(ran(task)).isEqualTo("a  b|$HOME|-k|/mnt/in/x y|/etc/z|/mnt/in|");
        assertThat(task.getInputsList()).containsExactly(ByteString.copyFromUtf8("/in/x y"));
        assertThat(task.getNeedsMount()).isTrue();
        assertThat(plain("echo", "x").getNeedsMount()).isFalse();
    }

    @Test
    void aSingleWordIsTheTextOfAShell() throws Exception {
        TaskSpec task = plain("echo {} gf:/in/a > /dev/stdout; echo \"$GF_MOUNT\" gf:/out/b");
        assertThat(ran(task)).isEqualTo("{} /mnt/in/a\n/mnt /mnt/out/b\n");
        assertThat(task.getInputsList()).containsExactly(ByteString.copyFromUtf8("/in/a"));
    }

    @Test
    void whatLiesBelowAMountIsInTheFarm() {
        List<String> table =
                List.of(
                        "42 27 0:39 / /mnt/a\\040farm rw - fuse.gf gf rw,user_id=0",
                        "43 27 8:1 / /mnt/disk rw - ext4 /dev/sda rw");
        Mounted outside = Mounted.of(table, Path.of("/home"));
        assertThat(outside.inFarm("/mnt/a farm/in/x")).contains("/in/x");
        assertThat(outside.inFarm("../mnt/a farm/./y/../x")).contains("/x");
        assertThat(outside.inFarm("/mnt/a farm")).contains("/");
        assertThat(outside.inFarm("/mnt/a farm2/x")).isEmpty();
        assertThat(outside.inFarm("/mnt/disk/x")).isEmpty();
        assertThat(outside.directoryInFarm()).isEmpty();
        Mounted inside = Mounted.of(table, Path.of("/mnt/a farm/in"));
        assertThat(inside.inFarm("x")).contains("/in/x");
        assertThat(inside.directoryInFarm()).contains("/in");
    }

    private static TaskInfo task(int index, int exit) {
        return TaskInfo.newBuilder()
                .setIndex(index)
                .setNode("n1")
                .setAttempts(1)
                .setExitCode(exit)
                .setStarted(1_700_000_000_250L)
                .setEnded(1_700_000_001_000L)
                .setInputBytes(100)
                .setInputBytesLocal(60)
                .setStdoutBytes(7)
                .build();
    }

    @Test
    void theLogHasTheNineColumnsOfGnuParallelAndCanBeResumedFrom() throws Exception {
        Path file = directory.resolve("log");
        try (JobLog log = JobLog.open(file, false)) {
            log.ended(1, task(0, 0), "wc a\tb\nc");
            log.ended(2, TaskInfo.getDefaultInstance(), "never started");
        }
        try (JobLog log = JobLog.open(file, true)) {
            log.ended(3, task(2, 137).toBuilder().setSignal(9).build(), "wc d");
        }
        assertThat(Files.readAllLines(file))
                .containsExactly(
                        "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand",
                        "1\tn1\t1700000000.250\t     0.750\t40\t7\t0\t0\twc a\\tb\\nc",
                        "3\tn1\t1700000000.250\t     0.750\t40\t7\t137\t9\twc d");
        assertThat(JobLog.read(file))
                .hasSize(2)
                .containsEntry(1, new JobLog.Ended(true, "wc a\\tb\\nc"))
                .containsEntry(3, new JobLog.Ended(false, "wc d"));
        assertThat(JobLog.read(directory.resolve("none"))).isEmpty();
        Files.writeString(file, "what is this\nfor\n");
        assertThatThrownBy(() -> JobLog.read(file)).hasMessageContaining("line 2 is not of a log");
    }

    private static TaskList list(String... commands) {
        List<JobRun.Task> tasks = new ArrayList<>();
        List<TaskSpec> specs = new ArrayList<>();
        for (String command : commands) {
            tasks.add(new JobRun.Task(tasks.size() + 1, List.of(), command));
            specs.add(TaskSpec.getDefaultInstance());
        }
        return new TaskList(tasks, specs, Optional.empty());
    }

    @Test
    void whatHasEndedIsLeftOutAndALogOfOtherCommandsIsRefused() {
        var ended =
                java.util.Map.of(1, new JobLog.Ended(true, "a"), 2, new JobLog.Ended(false, "b"));
        assertThat(list("a", "b", "c").without(ended, false).tasks())
                .extracting(JobRun.Task::number)
                .containsExactly(3);
        assertThat(list("a", "b", "c").without(ended, true).tasks())
                .extracting(JobRun.Task::number)
                .containsExactly(2, 3);
        assertThatThrownBy(() -> list("a", "other").without(ended, true))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("another command for task 2");
    }

    @Test
    void resultsAreInTheTreeOfGnuParallelWhateverTheValues() {
        Results results = new Results(Path.of("r"));
        assertThat(results.place(1, List.of(Argument.of("/in/a+b"), Argument.of("c"))))
                .isEqualTo(Path.of("r/1/+zin+za++b/2/c"));
        assertThat(results.place(7, List.of(Argument.of("..")))).isEqualTo(Path.of("r/1/+7"));
        assertThat(results.place(7, List.of(Argument.of("x".repeat(300)))))
                .isEqualTo(Path.of("r/1/+7"));
        assertThat(results.place(1, List.of())).isEqualTo(Path.of("r/1"));
    }

    @Test
    void whatAllCommandsBeginWithIsSentOnce() {
        List<TaskSpec> tasks = new ArrayList<>();
        for (String value : List.of("a", "b")) {
            tasks.add(Template.of(List.of("wc {}")).task(1, List.of(Argument.of(value))));
        }
        SubmitJobRequest request = JobRequest.of(SubmitJobRequest.newBuilder(), tasks);
        assertThat(request.getArgvPrefixCount()).isEqualTo(4);
        assertThat(request.getTasks(1).getArgvList()).containsExactly(ByteString.copyFromUtf8("b"));
        SubmitJobRequest one = JobRequest.of(SubmitJobRequest.newBuilder(), tasks.subList(0, 1));
        assertThat(one.getTasks(0).getArgvCount()).isEqualTo(1);
    }

    @Test
    void aSubmissionThatFitsIntoNoMessageIsRefusedWithTheLimit() {
        List<TaskSpec> tasks = new ArrayList<>();
        ByteString large = ByteString.copyFrom(new byte[1 << 20]);
        for (int i = 0; i < 9; i++) {
            tasks.add(TaskSpec.newBuilder().addArgv(large).build());
        }
        assertThatThrownBy(() -> JobRequest.of(SubmitJobRequest.newBuilder(), tasks))
                .hasMessageContaining("at most 8 MiB");
    }

    @Test
    void aFileOfAffinityAloneDecidesThePlace() {
        List<TaskSpec> tasks =
                List.of(Template.of(List.of("wc {}")).task(1, List.of(Argument.of("/in/a"))));
        assertThat(JobRequest.withInputs(tasks, List.of("/more"), Optional.empty(), 2))
                .allMatch(task -> task.getInputsCount() == 2 && task.getSlots() == 2)
                .extracting(TaskSpec::getArgument)
                .containsExactly(ByteString.copyFromUtf8("/in/a"));
        assertThat(JobRequest.withInputs(tasks, List.of(), Optional.of("/g"), 1).getFirst())
                .extracting(TaskSpec::getInputsList)
                .isEqualTo(List.of(ByteString.copyFromUtf8("/g")));
    }

    @Test
    void timesHaveUnits() {
        assertThat(JobRequest.time("1.5")).isEqualTo(Duration.ofMillis(1500));
        assertThat(JobRequest.time("10m")).isEqualTo(Duration.ofMinutes(10));
        assertThat(JobRequest.time("2d")).isEqualTo(Duration.ofDays(2));
        assertThatThrownBy(() -> JobRequest.time("soon")).hasMessageContaining("such as 90s");
    }

    @Test
    void theBarSaysHowFarAndHowLocal() {
        JobInfo job =
                JobInfo.newBuilder()
                        .setTasks(10)
                        .setSucceeded(4)
                        .setFailed(1)
                        .setRunning(2)
                        .setInputBytesLocal(900)
                        .setInputBytesRemote(100)
                        .build();
        assertThat(Bar.line(job, 2))
                .isEqualTo(
                        "5 of 10 (50 %), 2 running, 1 failed, 2.5/s, 2 s left, 90 % of 1000B local");
    }

    @Test
    void valuesCanBeTakenSeveralAtATime() {
        Sources sources =
                Sources.parse(List.of("c", ":::", "1", "2", "3"), _ -> List.of(), _ -> List.of());
        assertThat(sources.combinations(2)).hasSize(2);
        assertThat(sources.combinations(2).getLast())
                .extracting(Argument::text)
                .containsExactly("3");
        Sources linked =
                Sources.parse(
                        List.of("c", ":::", "1", "2", ":::", "a", "b"),
                        new Sources.Reading(_ -> List.of(), _ -> List.of(), Argument::of, true));
        assertThat(linked.combinations(1)).hasSize(2);
        assertThatThrownBy(() -> linked.combinations(2)).hasMessageContaining("one input source");
    }
}

package org.gridfarm.scheduler.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class JobTest {
    private static final RunTaskReply GOOD = RunTaskReply.getDefaultInstance();
    private static final RunTaskReply BAD = RunTaskReply.newBuilder().setExitCode(3).build();

    private static Job job(int tasks, int retries, String halt) {
        SubmitJobRequest.Builder request =
                SubmitJobRequest.newBuilder().setRetries(retries).setHalt(halt).setName("j");
        for (int i = 0; i < tasks; i++) {
            request.addTasks(
                    TaskSpec.newBuilder()
                            .addArgv(ByteString.copyFromUtf8("true"))
                            .setArgument(ByteString.copyFromUtf8("a" + i)));
        }
        return new Job(1, "alice", request.build(), 100);
    }

    private static void takeAll(Job job) {
        while (job.hasUntaken()) {
            job.takeNext();
        }
    }

    private static Task run(Job job, int index) {
        Task task = job.tasks().get(index);
        takeAll(job);
        job.start(task, "n1", "local", 200);
        return task;
    }

    @Test
    void aJobSucceedsWhenAllItsTasksDid() {
        Job job = job(2, 0, "never");
        job.finish(run(job, 0), GOOD, 300);
        assertThat(job.state()).isEqualTo("running");
        job.finish(run(job, 1), GOOD, 400);
        assertThat(job.state()).isEqualTo("succeeded");
        assertThat(job.info("").getEnded()).isEqualTo(400);
        assertThat(job.info("").getLocalTasks()).isEqualTo(2);
    }

    @Test
    void aFailedTaskIsTriedAgainAsOftenAsAllowedUnderANewAttemptName() {
        Job job = job(1, 1, "never");
        Task task = run(job, 0);
        String first = task.attemptId();
        job.finish(task, BAD, 300);
        assertThat(task.state()).isEqualTo(TaskState.PENDING);
        run(job, 0);
        assertThat(task.attemptId()).isNotEqualTo(first);
        job.finish(task, BAD, 400);
        assertThat(job.state()).isEqualTo("failed");
        assertThat(task.info(false).getExitCode()).isEqualTo(3);
    }

    @Test
    void haltSoonStartsNothingMoreAndHaltNowKillsWhatRuns() {
        Job soon = job(3, 0, "soon");
        Task running = run(soon, 1);
        assertThat(soon.finish(run(soon, 0), BAD, 300)).isFalse();
        assertThat(soon.hasPending()).isFalse();
        soon.finish(running, GOOD, 400);
        assertThat(soon.info("").getSucceeded()).isEqualTo(1);
        assertThat(soon.info("").getCancelled()).isEqualTo(1);

        Job now = job(3, 0, "now");
        run(now, 1);
        assertThat(now.finish(run(now, 0), BAD, 300)).isTrue();
    }

    @Test
    void aTaskWhoseNodeWasLostRunsAgainWithoutCountingAsAFailure() {
        Job job = job(1, 0, "never");
        Task task = run(job, 0);
        job.giveBack(task, "node n1 was lost", 250);
        assertThat(job.pending()).containsExactly(task);
        job.finish(run(job, 0), GOOD, 300);
        assertThat(job.state()).isEqualTo("succeeded");
    }

    private static SubmitJobRequest request(Job job) {
        SubmitJobRequest.Builder whole = job.request().toBuilder();
        job.tasks().forEach(task -> whole.addTasks(task.spec()));
        return whole.build();
    }

    /** From the rows of those that were started, as they are kept. */
    private static Job restored(Job job, Task... started) {
        List<Job.KeptTask> rows = new ArrayList<>();
        for (Task task : started) {
            rows.add(new Job.KeptTask(task.row(), task.state(), task.finishOrder()));
        }
        return Job.restored(1, "alice", request(job), 100, job.halted(), rows);
    }

    @Test
    void aRestoredJobHasTheSameCountsAndGoesOn() {
        Job job = job(3, 0, "never");
        Task ended = run(job, 0);
        job.finish(ended, GOOD, 300);
        Task running = run(job, 1);
        Job again = restored(job, ended, running);
        assertThat(again.info("").toBuilder().setChange(0).build())
                .isEqualTo(job.info("").toBuilder().setChange(0).build());
        assertThat(again.running())
                .extracting(Task::attemptId)
                .containsExactly(running.attemptId());
        assertThat(again.pending()).hasSize(1);
        assertThat(again.takeNext().index()).isEqualTo(2);
        assertThat(again.hasUntaken()).isFalse();
    }

    @Test
    void aCancelledJobIsRestoredFromTheRowsOfWhatHadStartedAndInTheSameOrder() {
        Job job = job(6, 1, "never");
        Task before = run(job, 4);
        job.finish(before, GOOD, 300);
        Task again = run(job, 2);
        job.finish(again, BAD, 310); // waits for its second attempt
        Task running = run(job, 1);
        job.cancel(Job.CANCELLED, 400);

        Job restored = restored(job, before, again, running);
        assertThat(restored.finished())
                .extracting(Task::index)
                .isEqualTo(job.finished().stream().map(Task::index).toList())
                .containsExactly(4, 0, 2, 3, 5);
        assertThat(restored.hasPending()).isFalse();
        assertThat(restored.isDone()).isFalse();
        restored.finish(restored.tasks().get(1), GOOD, 500);
        assertThat(restored.isDone()).isTrue();
        assertThat(restored.info("").getCancelled()).isEqualTo(4);
    }

    @Test
    void halfOfTheTasksMayFailUnderAPercentage() {
        Job job = job(4, 0, "soon,fail=50%");
        job.finish(run(job, 0), BAD, 300);
        assertThat(job.hasPending()).isTrue();
        job.finish(run(job, 1), BAD, 300);
        assertThat(job.hasPending()).isFalse();
        assertThat(job.info("").getCancelled()).isEqualTo(2);
    }

    @Test
    void theFirstSuccessCanEndTheOthers() {
        Job job = job(3, 0, "now,success=1");
        run(job, 1);
        assertThat(job.finish(run(job, 0), GOOD, 300)).isTrue();
        assertThat(job.info("").getCancelled()).isEqualTo(1);
    }

    @Test
    void timesOfATaskAreMilliseconds() {
        Job job = job(1, 0, "never");
        Task task = run(job, 0);
        job.finish(
                task,
                RunTaskReply.newBuilder()
                        .setStarted(1_700_000_000_000_250L)
                        .setEnded(1_700_000_000_270_250L)
                        .build(),
                300);
        assertThat(task.info(false).getStarted()).isEqualTo(1_700_000_000_000L);
        assertThat(task.info(false).getEnded()).isEqualTo(1_700_000_000_270L);
    }

    @Test
    void clientsHearOfWhatIsWrittenDown() {
        Job job = job(2, 0, "never");
        Task task = run(job, 0);
        job.finish(task, GOOD, 300);
        assertThat(job.told()).isEmpty();
        long before = job.change();
        job.durable(1);
        assertThat(job.told()).containsExactly(task);
        assertThat(job.change()).isGreaterThan(before);
    }

    @Test
    void cancellingEndsWhatHasNotStarted() {
        Job job = job(2, 0, "never");
        Task running = run(job, 0);
        job.cancel(Job.CANCELLED, 300);
        assertThat(job.isDone()).isFalse();
        job.finish(running, RunTaskReply.newBuilder().setExitCode(143).setSignal(15).build(), 400);
        assertThat(job.state()).isEqualTo("cancelled");
    }
}

package org.gridfarm.scheduler.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.junit.jupiter.api.Test;

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

    private static Task run(Job job, int index) {
        Task task = job.tasks().get(index);
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
        assertThat(job.info().getEnded()).isEqualTo(400);
        assertThat(job.info().getLocalTasks()).isEqualTo(2);
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
        assertThat(soon.info().getSucceeded()).isEqualTo(1);
        assertThat(soon.info().getCancelled()).isEqualTo(1);

        Job now = job(3, 0, "now");
        run(now, 1);
        assertThat(now.finish(run(now, 0), BAD, 300)).isTrue();
    }

    @Test
    void aTaskWhoseNodeWasLostRunsAgainWithoutCountingAsAFailure() {
        Job job = job(1, 0, "never");
        Task task = run(job, 0);
        job.giveBack(task, "node n1 was lost");
        assertThat(job.pending()).containsExactly(task);
        job.finish(run(job, 0), GOOD, 300);
        assertThat(job.state()).isEqualTo("succeeded");
    }

    @Test
    void aRestoredJobHasTheSameCountsAndGoesOn() {
        Job job = job(3, 0, "never");
        job.finish(run(job, 0), GOOD, 300);
        Task running = run(job, 1);
        List<Job.KeptTask> rows =
                List.of(
                        new Job.KeptTask(job.tasks().get(0).info(true), TaskState.SUCCEEDED, 1),
                        new Job.KeptTask(running.info(true), TaskState.RUNNING, 0));
        Job again = Job.restored(1, "alice", job.request(), 100, rows);
        assertThat(again.info().toBuilder().setChange(0).build())
                .isEqualTo(job.info().toBuilder().setChange(0).build());
        assertThat(again.running())
                .extracting(Task::attemptId)
                .containsExactly(running.attemptId());
        assertThat(again.pending()).hasSize(1);
    }

    @Test
    void cancellingEndsWhatHasNotStarted() {
        Job job = job(2, 0, "never");
        Task running = run(job, 0);
        job.cancel(300);
        assertThat(job.isDone()).isFalse();
        job.finish(running, RunTaskReply.newBuilder().setExitCode(143).setSignal(15).build(), 400);
        assertThat(job.state()).isEqualTo("cancelled");
    }
}

package org.gridfarm.scheduler.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.job.TaskState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** In which order an attempt is run, written down and published. */
class PublisherTest {
    private static final int SECONDS_MAX = 30;

    private final List<String> steps = new CopyOnWriteArrayList<>();
    private final Map<String, RunTaskReply> replies = new ConcurrentHashMap<>(); // by task
    private final Recorder recorder =
            new Recorder(
                    (rows, _) ->
                            rows.forEach(row ->
                                    steps.add(
                                            row.info().getPublishing()
                                                    ? "written: publishing"
                                                    : "written")),
                    _ -> {});
    private final Slots slots = new Slots();
    private final Publisher publisher =
            new Publisher(
                    new Nodes(),
                    slots,
                    recorder,
                    Clock.system(),
                    Runnable::run,
                    (_, task, attempt) -> task.attempt(attempt).isPresent());
    private final Job job =
            new Job(
                    7,
                    "ann",
                    SubmitJobRequest.newBuilder()
                            .setHalt("never")
                            .addTasks(
                                    TaskSpec.newBuilder()
                                            .addArgv(ByteString.copyFromUtf8("true"))
                                            .addOutputs(ByteString.copyFromUtf8("/out/a")))
                            .build(),
                    0);

    private final class Nodes implements UnaskedRunner {
        @Override
        public CompletableFuture<RunTaskReply> run(String address, RunTaskRequest request) {
            steps.add(address + " " + request.getTask());
            return address.equals("away:1")
                    ? CompletableFuture.failedFuture(
                            new FarmException(ErrorKind.DISCONNECTED, "run", address, "away"))
                    : CompletableFuture.completedFuture(
                            replies.getOrDefault(
                                    request.getTask(), RunTaskReply.getDefaultInstance()));
        }
    }

    private Task started() {
        slots.learn(
                List.of(
                        NodeInfo.newBuilder()
                                .setName("n1")
                                .setAddress("n1:1")
                                .setState("up")
                                .setSlots(2)
                                .build()));
        Task task = job.takeNext();
        job.start(task, "n1", "none", 0);
        return task;
    }

    private RunTaskReply run(Task task) throws Exception {
        return run(job, task);
    }

    private RunTaskReply run(Job of, Task task) throws Exception {
        Accounts.Account ann = new Accounts.Account(1000, 1000, List.of());
        return publisher
                .run(slots.address(task.node()), of, task, ann, List.of())
                .get(SECONDS_MAX, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        recorder.close();
    }

    @Test
    void aSuccessIsWrittenDownBeforeItsOutputIsPublished() throws Exception {
        assertEquals(0, run(started()).getExitCode());

        assertEquals(List.of("n1:1 7.0.1", "written: publishing", "n1:1 7.0.1.publish"), steps);
    }

    @Test
    void aFailureIsDiscardedAndToldAsItWas() throws Exception {
        replies.put("7.0.1", RunTaskReply.newBuilder().setExitCode(3).build());

        Task task = started();
        assertEquals(3, run(task).getExitCode());

        assertEquals(List.of("n1:1 7.0.1", "n1:1 7.0.1.discard"), steps);
        assertFalse(task.isPublishing());
    }

    @Test
    void anOutputThatCannotBePublishedMakesTheTaskFailWithTheReason() throws Exception {
        replies.put(
                "7.0.1.publish",
                RunTaskReply.newBuilder()
                        .setExitCode(73)
                        .setStderr(ByteString.copyFromUtf8("mv: Permission denied\n"))
                        .build());

        RunTaskReply reply = run(started());

        assertEquals(73, reply.getExitCode());
        assertEquals("its output cannot be published: mv: Permission denied", reply.getFailure());
        assertEquals("n1:1 7.0.1.discard", steps.getLast());
    }

    @Test
    void aSchedulerThatStartsAgainEndsThePublicationAndRunsNothingElse() throws Exception {
        Task before = started();
        before.publish(
                RunTaskReply.newBuilder()
                        .setStdout(ByteString.copyFromUtf8("said"))
                        .setStarted(5_000_000)
                        .setEnded(6_000_000)
                        .build());
        Job restored =
                Job.restored(
                        7,
                        "ann",
                        job.request().toBuilder().addTasks(before.spec()).build(),
                        0,
                        "",
                        List.of(new Job.KeptTask(before.row(), TaskState.RUNNING, 0)));
        Task task = restored.running().getFirst();
        assertTrue(task.isPublishing());

        RunTaskReply reply = run(restored, task);

        assertEquals(List.of("n1:1 7.0.1.publish"), steps);
        assertEquals("said", reply.getStdout().toStringUtf8());
        assertEquals(5_000_000, reply.getStarted());
    }

    @Test
    void whereTheNodeIsNotKnownAnyMoreAnotherOnePublishes() throws Exception {
        Task task = started();
        task.publish(RunTaskReply.getDefaultInstance());
        slots.learn(
                List.of(
                        NodeInfo.newBuilder()
                                .setName("n0")
                                .setAddress("away:1")
                                .setState("up")
                                .setSlots(2)
                                .build(),
                        NodeInfo.newBuilder()
                                .setName("n2")
                                .setAddress("n2:1")
                                .setState("up")
                                .setSlots(2)
                                .build()));

        assertEquals(0, run(task).getExitCode());

        assertEquals(List.of("away:1 7.0.1.publish", "n2:1 7.0.1.publish"), steps);
    }

    /** Of two attempts the slower one may end well, too; its output is removed and nothing else. */
    @Test
    void ofTwoAttemptsTheSlowerOneIsNotPublishedAndRemovesNothingOfTheOther() throws Exception {
        Task task = started();
        Task second = job.startSecond(task, "n1", "none", 0);
        replies.put("7.0.2", RunTaskReply.newBuilder().setExitCode(1).build());
        assertEquals(1, run(second).getExitCode());
        assertEquals(List.of("n1:1 7.0.2", "n1:1 7.0.2.discard"), steps);

        replies.clear();
        steps.clear();
        job.settle(task, task, "was slower");
        assertEquals(0, run(second).getExitCode());
        assertEquals(List.of("n1:1 7.0.2", "n1:1 7.0.2.discard"), steps);
    }
}

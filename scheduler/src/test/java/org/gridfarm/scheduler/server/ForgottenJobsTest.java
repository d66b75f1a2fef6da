package org.gridfarm.scheduler.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.After;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.WaitJobReply;
import org.gridfarm.protocol.wire.WaitJobRequest;
import org.gridfarm.scheduler.job.Job;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** In a heap so small that of the jobs that have ended the newest alone stays in memory. */
class ForgottenJobsTest extends DispatcherFixture {
    @Override
    JobRoom room() {
        return new JobRoom(1);
    }

    private static SubmitJobRequest afterSuccess(long... jobs) {
        SubmitJobRequest.Builder request = job("", "").toBuilder();
        for (long job : jobs) {
            request.addAfter(After.newBuilder().setJob(job));
        }
        return request.build();
    }

    private boolean isForgotten(long id) {
        return asked(() -> dispatcher.find(id).isEmpty());
    }

    private void awaitAttempt(String attempt) {
        await().until(() -> outcomes.containsKey(attempt));
    }

    private void succeed(String attempt) {
        Objects.requireNonNull(outcomes.get(attempt)).complete(RunTaskReply.getDefaultInstance());
    }

    @SafeVarargs
    private void table(long job, Supplier<Optional<String>>... answers) {
        ends.put(job, new ConcurrentLinkedQueue<>(List.of(answers)));
    }

    @Test
    void whatCameAfterAJobThatSucceededRunsAlthoughThatIsForgottenAtOnce() {
        held.add("alice");
        begin(List.of(), "n1", "n2");
        submit(5, "alice", job("", ""));
        submit(6, "bob", afterSuccess(5));
        submit(7, "carol", job("", ""));
        awaitState(7, "succeeded");
        awaitAttempt("5.0.1");
        succeed("5.0.1");
        await().until(() -> order.contains("6.0.1"));
        await().until(() -> isForgotten(5));
    }

    @Test
    void soItIsWhereItHasToWaitForAnotherOneStill() {
        held.add("alice");
        begin(List.of(), "n1", "n2", "n3");
        submit(4, "alice", job("", ""));
        submit(5, "alice", job("", ""));
        submit(6, "bob", afterSuccess(5, 4));
        submit(7, "carol", job("", ""));
        awaitState(7, "succeeded");
        awaitAttempt("4.0.1");
        awaitAttempt("5.0.1");
        succeed("5.0.1");
        await().until(() -> isForgotten(5));
        succeed("4.0.1");
        await().until(() -> order.contains("6.0.1"));
    }

    private Job restored(long id, SubmitJobRequest request) {
        return new Job(id, "bob", request, 0);
    }

    @Test
    void theTableKnowsHowAJobEndedThatWasNotReadAtTheStart() {
        table(1, () -> Optional.of("succeeded"));
        table(
                2,
                () -> {
                    throw new FarmException(ErrorKind.UNAVAILABLE, "load", "job table");
                },
                () -> Optional.of("succeeded"));
        table(3, () -> Optional.of("failed"));
        begin(
                List.of(
                        restored(11, afterSuccess(1, 2)),
                        restored(12, afterSuccess(3)),
                        restored(13, afterSuccess(4))),
                "n1");
        await().until(() -> order.contains("11.0.1"));
        await().until(() -> halted.stream().anyMatch(row -> row.halted().equals("job 3 failed")));
        await().until(() ->
                halted.stream()
                        .anyMatch(row -> row.halted().equals("job 4 is not known any more")));
        assertThat(order).containsExactly("11.0.1");
    }

    /** What it came after may be gone from the table, too. */
    @Test
    void whatHasBegunBeforeTheSchedulerStartedAnewGoesOn() {
        SubmitJobRequest request =
                job("", "", "").toBuilder().addAllAfter(afterSuccess(1).getAfterList()).build();
        Job begun = restored(11, request);
        begun.start(begun.takeNext(), "n1", "none", 1);
        begin(List.of(begun), "n1");
        awaitState(11, "succeeded");
    }

    /**
     * Whoever waits for it hears of it from memory, and asks the table for what he has not heard.
     */
    @Test
    void aJobIsNotForgottenBeforeItIsWrittenDownAndTold() {
        held.add("alice");
        List<String> asked = new CopyOnWriteArrayList<>();
        Waiters waiters =
                asked(() ->
                        new Waiters(
                                dispatcher,
                                events,
                                Clock.system(),
                                (_, job, work) -> {
                                    asked.add(job + " " + dispatcher.find(job).isPresent());
                                    work.run();
                                }));
        begin(List.of(), "n1", "n2");
        submit(5, "alice", job("", ""));
        submit(7, "carol", job("", ""));
        awaitState(7, "succeeded");
        awaitAttempt("5.0.1");
        writing.acquireUninterruptibly();
        succeed("5.0.1");
        awaitState(5, "succeeded");
        long change = asked(() -> dispatcher.require(5).change());
        CompletableFuture<Object> answer =
                CompletableFuture.supplyAsync(() ->
                        Answers.<WaitJobRequest, WaitJobReply>answered(
                                new Identity(
                                        "/CN=alice",
                                        Role.USER,
                                        List.of("alice"),
                                        Optional.empty(),
                                        false),
                                WaitJobRequest.newBuilder()
                                        .setJob(5)
                                        .setChange(change)
                                        .setWaitMillis(5_000)
                                        .build(),
                                exchange -> events.execute(() -> waiters.park(exchange))));
        await().until(() -> asked(waiters::count) == 1);
        writing.release();
        assertThat(answer.join())
                .isInstanceOfSatisfying(
                        WaitJobReply.class, reply -> assertThat(reply.getFinishedCount()).isOne());
        assertThat(asked).containsExactly("5 true");
        await().until(() -> isForgotten(5));
    }
}

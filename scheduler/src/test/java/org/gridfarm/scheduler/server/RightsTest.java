package org.gridfarm.scheduler.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.CancelJobRequest;
import org.gridfarm.protocol.wire.HoldJobRequest;
import org.gridfarm.protocol.wire.JobUsageRequest;
import org.gridfarm.protocol.wire.RenewDelegationRequest;
import org.gridfarm.protocol.wire.RetryJobRequest;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInputRequest;
import org.gridfarm.protocol.wire.TaskOutputRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.protocol.wire.WhyJobRequest;
import org.gridfarm.scheduler.worker.Farm;
import org.gridfarm.scheduler.worker.Runner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** What others than its owner may do with a job: nothing, and administrators some of it. */
class RightsTest {
    private static final Identity OTHER =
            new Identity("/CN=mallory", Role.USER, List.of("mallory"), Optional.empty(), false);
    private static final Identity ADMIN =
            new Identity("/CN=root", Role.ADMIN, List.of("root"), Optional.empty(), false);

    private final ExecutorService events = Executors.newSingleThreadExecutor();
    private final Recorder recorder = new Recorder((_, _) -> {}, _ -> {});
    private final Dispatcher dispatcher =
            new Dispatcher(
                    unused(Farm.class),
                    unused(Runner.class),
                    recorder,
                    Clock.system(),
                    events,
                    user -> CompletableFuture.failedFuture(new IllegalStateException(user)),
                    JobRoom.ofThisProcess(),
                    _ -> CompletableFuture.completedFuture(Optional.empty()));
    private final JobService service = service();

    /** None of these calls comes to the table or to a node. */
    @SuppressWarnings("NullAway")
    private JobService service() {
        return new JobService(
                dispatcher,
                null,
                1,
                user -> CompletableFuture.failedFuture(new IllegalStateException(user)),
                events,
                events,
                Clock.system(),
                null,
                null);
    }

    private static <T> T unused(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, _) -> {
                            throw new UnsupportedOperationException(method.getName());
                        }));
    }

    @AfterEach
    void end() {
        recorder.close();
        events.shutdownNow();
    }

    private List<Supplier<Object>> ownersAlone(Identity caller) {
        return List.of(
                () ->
                        Answers.answer(
                                caller,
                                RetryJobRequest.newBuilder().setJob(1).build(),
                                JobService::retry,
                                service),
                () ->
                        Answers.answer(
                                caller,
                                TaskInputRequest.newBuilder().setJob(1).build(),
                                JobService::input,
                                service),
                () ->
                        Answers.answer(
                                caller,
                                RenewDelegationRequest.newBuilder().setJob(1).build(),
                                JobService::renew,
                                service));
    }

    private List<Supplier<Object>> ownersAndAdministrators(Identity caller) {
        return List.of(
                () ->
                        Answers.answer(
                                caller,
                                TaskOutputRequest.newBuilder().setJob(1).setMax(1).build(),
                                JobService::output,
                                service),
                () ->
                        Answers.answer(
                                caller,
                                HoldJobRequest.newBuilder().setJob(1).build(),
                                JobService::hold,
                                service),
                () ->
                        Answers.answer(
                                caller,
                                WhyJobRequest.newBuilder().setJob(1).build(),
                                JobService::why,
                                service),
                () ->
                        Answers.answer(
                                caller,
                                JobUsageRequest.newBuilder().setJob(1).build(),
                                JobService::usage,
                                service),
                () ->
                        Answers.answer(
                                caller,
                                CancelJobRequest.newBuilder().setJob(1).build(),
                                JobService::cancel,
                                service));
    }

    private void submitted() {
        SubmitJobRequest request =
                SubmitJobRequest.newBuilder()
                        .setHeld(true)
                        .setStreamsInput(true)
                        .addTasks(TaskSpec.getDefaultInstance())
                        .build();
        events.execute(() -> dispatcher.submitted(1, "alice", request));
    }

    private static void refused(Supplier<Object> call) {
        assertThat(call.get())
                .isInstanceOfSatisfying(
                        FarmException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(ErrorKind.NOT_PERMITTED));
    }

    @Test
    void othersMayNothing() {
        submitted();
        ownersAlone(OTHER).forEach(RightsTest::refused);
        ownersAndAdministrators(OTHER).forEach(RightsTest::refused);
    }

    /** Whose own the tasks would be. */
    @Test
    void administratorsRunNothingAsSomebodyElse() {
        submitted();
        ownersAlone(ADMIN).forEach(RightsTest::refused);
        assertThat(ownersAndAdministrators(ADMIN).get(2).get())
                .isNotInstanceOf(FarmException.class);
    }

    @Test
    void whatAnAdministratorHoldsHisUserDoesNotRelease() {
        submitted();
        events.execute(() -> dispatcher.hold(dispatcher.require(1), "root"));
        Identity alice =
                new Identity("/CN=alice", Role.USER, List.of("alice"), Optional.empty(), false);
        refused(() ->
                Answers.answer(
                        alice,
                        HoldJobRequest.newBuilder().setJob(1).setRelease(true).build(),
                        JobService::hold,
                        service));
    }
}

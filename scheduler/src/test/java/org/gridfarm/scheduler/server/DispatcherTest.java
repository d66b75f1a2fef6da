package org.gridfarm.scheduler.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import static java.util.concurrent.TimeUnit.SECONDS;

import org.gridfarm.client.core.NodePattern;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.After;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.NodeVerdict;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.protocol.wire.WaitJobReply;
import org.gridfarm.protocol.wire.WaitJobRequest;
import org.gridfarm.protocol.wire.WhyJobReply;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.queue.JobStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;

/** One bad user, job or node beside good ones. */
class DispatcherTest extends DispatcherFixture {
    @Test
    void aUserWithoutAnAccountFailsHisOwnTasksAlone() {
        begin(List.of(), "n1");
        submit(1, "stranger", job("", "", ""));
        submit(2, "alice", job("", ""));
        awaitState(2, "succeeded");
        awaitState(1, "failed");
        assertThat(reason(1)).contains("no account");
    }

    @Test
    void nothingThatATaskBringsToLightStopsOthers() {
        begin(List.of(), "n1");
        submit(1, "defect", job("", ""));
        submit(2, "alice", job("", "/defect"));
        submit(3, "alice", job("[", "")); // refused when it is submitted, by now
        submit(4, "alice", job("", "/in"));
        awaitState(4, "succeeded");
        awaitState(1, "failed");
        awaitState(3, "failed");
        assertThat(reason(1)).contains("TestedFarmDefect");
        assertThat(reason(2)).contains("cannot be located");
    }

    @Test
    void soItIsWithTasksThatRanWhenTheSchedulerStarted() {
        List<Job> restored = new ArrayList<>();
        for (String user : List.of("stranger", "defect", "alice")) {
            Job job = new Job(restored.size() + 1L, user, job("", ""), 0);
            job.start(job.takeNext(), "n1", "none", 0);
            restored.add(job);
        }
        begin(restored, "n1");
        awaitState(3, "succeeded");
        awaitState(2, "failed");
        awaitState(1, "failed");
    }

    @Test
    void aWatcherThatFailsKeepsNobodyFromHearing() {
        List<String> heard = new CopyOnWriteArrayList<>();
        dispatcher.onChange(() -> {
            throw new TestedFarmDefect();
        });
        dispatcher.onChange(() -> heard.add("change"));
        begin(List.of(), "n1");
        submit(1, "alice", job("", ""));
        await().until(() -> !heard.isEmpty());
    }

    @Test
    void aJobRunsOnTheNodesThatItNamesAlone() {
        begin(List.of(), "n1", "n2", "n3");
        submit(1, "alice", job("n[23]", "", "", "", "", "", ""));
        awaitState(1, "succeeded");
        assertThat(ran).hasSize(6);
        assertThat(ran.values()).containsOnly("n2:1", "n3:1");
    }

    @Test
    void aJobWaitsForItsNodeAndSaysSoWhileOthersRun() {
        nodes.add(NodeInfo.newBuilder().setName("gpu1").setState("down").setSlots(2).build());
        begin(List.of(), "n1");
        submit(1, "alice", job("gpu*", "", ""));
        submit(2, "alice", job("", ""));
        awaitState(2, "succeeded");
        assertThat(asked(() -> dispatcher.info(dispatcher.require(1))).getWaiting())
                .isEqualTo("waits for a node or group named gpu*: gpu1 is down");
    }

    @Test
    void aJobOfOneTaskDoesNotWaitBehindThoseOfAnotherUser() {
        held.add("alice");
        begin(List.of(), "n1");
        String[] many = new String[50];
        java.util.Arrays.fill(many, "");
        submit(1, "alice", job("", many));
        await().until(() -> order.size() == 1);
        submit(2, "bob", job("", ""));
        held.clear();
        release();
        awaitState(2, "succeeded");
        awaitState(1, "succeeded");
        assertThat(order.get(1)).isEqualTo("2.0.1");
    }

    @Test
    void ofOneUserTheJobWithTheHighestPriorityGoesFirst() {
        held.add("alice");
        begin(List.of(), "n1");
        submit(1, "alice", job("", "", ""));
        await().until(() -> order.size() == 1);
        submit(2, "alice", job("", ""));
        submit(3, "alice", job("", "").toBuilder().setPriority(5).build());
        held.clear();
        release();
        awaitState(1, "succeeded");
        awaitState(2, "succeeded");
        assertThat(order).containsExactly("1.0.1", "3.0.1", "1.1.1", "2.0.1");
    }

    @Test
    void whoWaitsIsToldForWhat() {
        held.add("alice");
        begin(List.of(), "n1");
        submit(1, "alice", job("", ""));
        await().until(() -> order.size() == 1);
        submit(2, "bob", job("", ""));
        assertThat(asked(() -> dispatcher.info(dispatcher.require(2))).getWaiting())
                .isEqualTo("waits for a free slot: all 1 are taken");
    }

    private static SubmitJobRequest after(long job, boolean any) {
        return job("", "").toBuilder().addAfter(After.newBuilder().setJob(job).setAny(any)).build();
    }

    @Test
    void aJobStartsAfterAnotherAndIsCancelledIfThatWasToSucceed() {
        held.add("alice");
        begin(List.of(), "n1", "n2");
        submit(1, "alice", job("", ""));
        await().until(() -> order.size() == 1);
        submit(2, "bob", after(1, true));
        submit(3, "bob", after(1, false));
        submit(4, "bob", after(2, false));
        assertThat(asked(() -> dispatcher.info(dispatcher.require(3))).getWaiting())
                .isEqualTo("waits for job 1 to succeed");
        assertThat(order).containsExactly("1.0.1");
        running.getFirst().complete(RunTaskReply.newBuilder().setExitCode(3).build());
        awaitState(2, "succeeded");
        awaitState(3, "cancelled");
        awaitState(4, "succeeded");
        assertThat(reason(3)).isEqualTo("job 1 failed");
        assertThat(order).containsExactly("1.0.1", "2.0.1", "4.0.1");
    }

    @Test
    void aCancelledJobOfManyTasksIsWrittenDownAsOneRow() {
        held.add("alice");
        begin(List.of(), "n1");
        String[] many = new String[1_000];
        java.util.Arrays.fill(many, "");
        submit(1, "alice", job("", many));
        await().until(() -> order.size() == 1);
        asked(() -> {
            dispatcher.cancel(dispatcher.require(1), Job.CANCELLED, 15);
            return 0;
        });
        release();
        awaitState(1, "cancelled");
        await().until(() -> halted.contains(new JobStore.JobRow(1, "cancelled", true)));
        assertThat(rows).extracting(row -> row.info().getIndex()).containsOnly(0);
    }

    /** Only what a waiter is asked and told. */
    private static final class Call implements InvocationHandler {
        final WaitJobRequest request;
        final CompletableFuture<Object> answer = new CompletableFuture<>();

        Call(long job, long change) {
            request =
                    WaitJobRequest.newBuilder()
                            .setJob(job)
                            .setChange(change)
                            .setFromFinished(1)
                            .setWaitMillis(5_000)
                            .build();
        }

        @SuppressWarnings("unchecked")
        Exchange<WaitJobRequest, WaitJobReply> exchange() {
            return (Exchange<WaitJobRequest, WaitJobReply>)
                    Proxy.newProxyInstance(
                            Call.class.getClassLoader(),
                            new Class<?>[] {Exchange.class, Peer.class},
                            this);
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] words) {
            return switch (method.getName()) {
                case "request" -> request;
                case "peer" -> proxy;
                case "identity" ->
                        new Identity(
                                "/CN=alice", Role.USER, List.of("alice"), Optional.empty(), false);
                case "isCancelled" -> false;
                case "reply", "failWith" -> {
                    answer.complete(Objects.requireNonNull(words)[0]);
                    yield null;
                }
                default -> throw new UnsupportedOperationException(method.getName());
            };
        }
    }

    @Test
    void aWaiterOnAJobThatIsForgottenIsAnsweredAndSoAreTheOthers() {
        Waiters waiters =
                asked(() ->
                        new Waiters(
                                dispatcher, events, Clock.system(), (_, _, work) -> work.run()));
        begin(List.of(), "n1");
        submit(1, "alice", job("", ""));
        await().until(() -> asked(() -> dispatcher.require(1).isTold()));
        Call forgotten = new Call(1, asked(() -> dispatcher.require(1).change()));
        Call other = new Call(Limits.DONE_JOBS_KEPT + 2, 0);
        events.execute(() -> waiters.park(forgotten.exchange()));
        for (int id = 2; id <= Limits.DONE_JOBS_KEPT + 1; id++) {
            submit(id, "alice", job(""));
        }
        submit(Limits.DONE_JOBS_KEPT + 2, "alice", job("", "", ""));
        events.execute(() -> waiters.park(other.exchange()));
        assertThat(forgotten.answer.orTimeout(20, SECONDS).join())
                .isInstanceOfSatisfying(
                        FarmException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(ErrorKind.NOT_FOUND));
        assertThat(other.answer.orTimeout(20, SECONDS).join()).isInstanceOf(WaitJobReply.class);
    }

    @Test
    void whatNoNodeIsNamedIsRefused() {
        begin(List.of(), "n1", "n2");
        submit(1, "alice", job("", ""));
        awaitState(1, "succeeded"); // so the nodes are known
        assertThatThrownBy(
                        () -> {
                            asked(() -> {
                                dispatcher.requireRunnable(NodePattern.of("m*"), Needs.NOTHING, 1);
                                return 0;
                            });
                        })
                .hasRootCauseInstanceOf(FarmException.class)
                .hasMessageContaining("no node or group has such a name; there are n1, n2");
        assertThat(
                        asked(() -> {
                            dispatcher.requireRunnable(NodePattern.of("{n2,m1}"), Needs.NOTHING, 1);
                            return "taken";
                        }))
                .isEqualTo("taken");
    }

    private static SubmitJobRequest.Builder needing(long memory, int gpus, int tasks) {
        return job("", new String[] {""}).toBuilder()
                .clearTasks()
                .addAllTasks(Collections.nCopies(tasks, TaskSpec.getDefaultInstance()))
                .setMemoryBytes(memory)
                .setGpus(gpus);
    }

    private void awaitOffers() {
        await().until(() -> {
            try {
                return asked(() -> {
                    dispatcher.requireRunnable(NodePattern.ANY, new Needs(Long.MAX_VALUE, 0, 0), 1);
                    return false;
                });
            } catch (CompletionException e) {
                return true;
            }
        });
    }

    @Test
    void whatNoNodeCanEverRunIsRefusedWithWhatEachNodeHas() {
        begin(List.of(), "n1", "n2");
        awaitOffers();
        for (Needs tooMuch :
                List.of(new Needs(9L << 30, 0, 0), new Needs(0, 1, 0), new Needs(0, 0, 3))) {
            assertThatThrownBy(() ->
                            asked(() -> {
                                dispatcher.requireRunnable(NodePattern.ANY, tooMuch, 1);
                                return 0;
                            }))
                    .hasRootCauseInstanceOf(FarmException.class)
                    .hasMessageContaining("no node can ever run such a task: n1 has")
                    .hasMessageContaining("n2 has");
        }
    }

    @Test
    void tasksShareTheMemoryAndTheGpusOfANodeAndSayWhatTheyWaitFor() {
        for (int i = 0; i < 4; i++) {
            nodes.add(
                    NodeInfo.newBuilder()
                            .setName("n" + i)
                            .setGroup(i == 0 ? "gpu" : "default")
                            .setAddress("n" + i + ":1")
                            .setState("up")
                            .setSlots(i == 0 ? 4 : 0)
                            .build());
        }
        begin(List.of());
        awaitOffers();
        held.add("alice");
        submit(1, "alice", needing(3L << 30, 0, 3).build());
        await().until(() -> running.size() == 2);
        String against =
                asked(() -> dispatcher.why(dispatcher.require(1), 0).getNodes(0).getAgainst(0));
        assertThat(against)
                .isEqualTo("6.0 GiB of its 8.0 GiB of memory are taken, a task needs 3.0 GiB");
        submit(2, "alice", needing(0, 2, 2).setNodePattern("gpu").build());
        await().until(() -> running.size() == 3);
        assertThat(asked(() -> dispatcher.require(2).tasks().get(0).gpus())).containsExactly(0, 1);
        release();
        await().until(() -> running.size() == 5);
        assertThat(asked(() -> dispatcher.require(2).tasks().get(1).gpus())).containsExactly(0, 1);
        release();
        awaitState(1, "succeeded");
        awaitState(2, "succeeded");
    }

    @Test
    void aHeldJobStartsWhenItIsReleasedAndHoldsNobodyBack() {
        begin(List.of(), "n1");
        submit(1, "alice", job("", "", "").toBuilder().setHeld(true).build());
        submit(2, "alice", job("", ""));
        awaitState(2, "succeeded");
        assertThat(asked(() -> dispatcher.info(dispatcher.require(1)).getWaiting()))
                .isEqualTo("is held by alice: gf job release 1");
        assertThat(asked(() -> dispatcher.require(1).state())).isEqualTo("pending");
        events.execute(() -> dispatcher.hold(dispatcher.require(1), ""));
        awaitState(1, "succeeded");
    }

    @Test
    void eachNodeIsJudgedByWhatItHoldsAndWhetherItMayRunTheTask() {
        begin(List.of(), "n1", "n2", "n3");
        held.add("alice");
        submit(1, "alice", job("n{1,2}", "", "", "").toBuilder().setPrefer("n2").build());
        await().until(() -> running.size() == 2);
        WhyJobReply why = asked(() -> dispatcher.why(dispatcher.require(1), 3));
        assertThat(why.getTask()).isEqualTo(3);
        assertThat(why.getNodesList().stream().map(NodeVerdict::getNode))
                .containsExactly("n1", "n2", "n3");
        assertThat(why.getNodes(0).getAgainstList()).containsExactly("1 of 1 slots are taken");
        assertThat(why.getNodes(1).getInFavourList()).containsExactly("preferred");
        assertThat(why.getNodes(2).getWaitSeconds()).isNegative();
        assertThat(why.getNodes(2).getAgainstList()).containsExactly("is not named by --on n{1,2}");
        release();
    }
}

package org.gridfarm.client.core.transfer.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.util.concurrent.CompletableFuture.completedFuture;

import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.client.core.transfer.node.Peers;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.MemberFailure;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.Replica;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * From the failure of a member to the commands that are sent again: what, in which order, to whom.
 */
class ObjectChainMendingTest {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private record Report(Set<String> failed, boolean full, CompletableFuture<Void> answer) {}

    /** What was sent, by name, with the chain that it was sent on. */
    private record Sent(String name, Chain chain, CompletableFuture<ChainOutcome> answer) {}

    private final SimClock clock = new SimClock();
    private final List<Sent> sent = new ArrayList<>();
    private final List<Report> reports = new ArrayList<>();
    private int written;
    private List<Replica> members = List.of(replica("n1"), replica("n2"));
    private final ObjectChain chain =
            new ObjectChain(
                    0,
                    new ObjectChain.Source() {
                        @Override
                        public CompletableFuture<Chain> chain(int stripe, boolean claimed) {
                            return completedFuture(
                                    new Chain(ObjectId.getDefaultInstance(), members, false, 1, 0));
                        }

                        @Override
                        public CompletableFuture<Void> mend(
                                int stripe, Set<String> failed, boolean full, String reason) {
                            Report report = new Report(failed, full, new CompletableFuture<>());
                            reports.add(report);
                            return report.answer;
                        }

                        @Override
                        public void written(int stripe) {
                            written++;
                        }
                    },
                    new Nodes(name -> address -> completedFuture(Peers.peer(() -> true)), clock),
                    clock,
                    new AtomicLong());

    private static Replica replica(String node) {
        return Replica.newBuilder().setNode(node).setAddress("127.0.0.1:1").build();
    }

    private class Named implements ObjectChain.Command {
        private final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public CompletableFuture<ChainOutcome> send(Peer head, Chain on, Duration deadline) {
            Sent one = new Sent(name, on, new CompletableFuture<>());
            sent.add(one);
            return one.answer;
        }
    }

    private CompletableFuture<ChainOutcome> submit(String name) {
        return chain.submit(new Named(name), DEADLINE);
    }

    private void answer(int nth) {
        sent.get(nth).answer.complete(ChainOutcome.getDefaultInstance());
    }

    private void fail(int nth, ErrorKind kind) {
        sent.get(nth).answer.completeExceptionally(new FarmException(kind, "write", "n1"));
    }

    private List<String> names() {
        return sent.stream().map(Sent::name).toList();
    }

    @Test
    void whatIsUnfinishedIsSentAgainInItsOrderAndWhatCameMeanwhileBehindIt() {
        CompletableFuture<ChainOutcome> a = submit("a");
        CompletableFuture<ChainOutcome> b = submit("b");
        fail(1, ErrorKind.UNAVAILABLE);
        CompletableFuture<ChainOutcome> c = submit("c");
        assertThat(reports).as("a is under way").isEmpty();
        fail(0, ErrorKind.UNAVAILABLE);
        assertThat(reports).hasSize(1);
        assertThat(reports.get(0).failed).containsExactly("n1");
        assertThat(names()).containsExactly("a", "b");
        members = List.of(replica("n2"));
        reports.get(0).answer.complete(null);
        assertThat(names()).containsExactly("a", "b", "a", "b", "c");
        for (int i = 2; i <= 4; i++) {
            assertThat(sent.get(i).chain.head().getNode()).isEqualTo("n2");
            answer(i);
        }
        assertThat(List.of(a, b, c)).allMatch(CompletableFuture::isDone);
        assertThat(written).isEqualTo(3);
    }

    /** What is still on its way from before is refused by nodes that know of the higher fence. */
    @Test
    void theFenceIsHigherAfterEveryMending() {
        submit("a");
        fail(0, ErrorKind.UNAVAILABLE);
        reports.get(0).answer.complete(null);
        fail(1, ErrorKind.UNAVAILABLE);
        reports.get(1).answer.complete(null);
        assertThat(sent)
                .extracting(one -> one.chain.fence())
                .isSorted()
                .doesNotHaveDuplicates()
                .hasSize(3);
    }

    /** It stands on n1: it is done when n2 is known to lack it, and is not sent a second time. */
    @Test
    void whatStandsOnTheOthersIsDoneWhenTheFailureIsRecorded() {
        CompletableFuture<ChainOutcome> a = submit("a");
        sent.get(0)
                .answer
                .complete(
                        ChainOutcome.newBuilder()
                                .addFailures(MemberFailure.newBuilder().setNode("n2"))
                                .build());
        assertThat(a).isNotDone();
        assertThat(reports.get(0).failed).containsExactly("n2");
        reports.get(0).answer.complete(null);
        assertThat(a).isCompleted();
        assertThat(names()).containsExactly("a");
        assertThat(written).isEqualTo(1);
    }

    @Test
    void theOnlyMemberIsWaitedForAndNotStruckOff() {
        members = List.of(replica("n1"));
        CompletableFuture<ChainOutcome> a = submit("a");
        fail(0, ErrorKind.UNAVAILABLE);
        assertThat(reports.get(0).failed).isEmpty();
        reports.get(0).answer.complete(null);
        assertThat(names()).as("not at once").containsExactly("a");
        clock.advance(TransferLimits.RETRY_PAUSE);
        answer(1);
        assertThat(a).isCompleted();
    }

    @Test
    void whoIsOnlyBusyIsNotStruckOff() {
        submit("a");
        fail(0, ErrorKind.OVERLOADED);
        assertThat(reports.get(0).failed).isEmpty();
    }

    @Test
    void whatNoOtherNodeWouldDoEitherIsRefusedAtOnce() {
        CompletableFuture<ChainOutcome> a = submit("a");
        fail(0, ErrorKind.INVALID);
        assertThatThrownBy(a::join).hasMessageContaining(ErrorKind.INVALID.phrase());
        assertThat(reports).isEmpty();
    }

    @Test
    void aChainThatCannotBeMendedFailsWhatWaitsForIt() {
        CompletableFuture<ChainOutcome> a = submit("a");
        fail(0, ErrorKind.UNAVAILABLE);
        CompletableFuture<ChainOutcome> b = submit("b");
        reports.get(0)
                .answer
                .completeExceptionally(new FarmException(ErrorKind.BAD_HANDLE, "write", ""));
        assertThatThrownBy(a::join).hasMessageContaining(ErrorKind.BAD_HANDLE.phrase());
        assertThatThrownBy(b::join).hasMessageContaining(ErrorKind.BAD_HANDLE.phrase());
        CompletableFuture<ChainOutcome> c = submit("c");
        answer(1);
        assertThat(c).as("later ones begin afresh").isCompleted();
    }

    @Test
    void aLeaderThatIsAwayIsAskedAgain() {
        CompletableFuture<ChainOutcome> a = submit("a");
        fail(0, ErrorKind.UNAVAILABLE);
        reports.get(0)
                .answer
                .completeExceptionally(new FarmException(ErrorKind.NOT_READY, "write", ""));
        assertThat(a).isNotDone();
        clock.advance(TransferLimits.RETRY_PAUSE);
        assertThat(reports).hasSize(2);
        assertThat(reports.get(1).failed).containsExactly("n1");
        reports.get(1).answer.complete(null);
        answer(1);
        assertThat(a).isCompleted();
    }

    /** An append that may have been done is looked for before it is sent again. */
    @Test
    void whatMustNotBeDoneTwiceIsAskedForFirst() {
        ChainOutcome found = ChainOutcome.newBuilder().setSize(7).build();
        CompletableFuture<ChainOutcome> append =
                chain.submit(
                        new Named("append") {
                            @Override
                            public CompletableFuture<@Nullable ChainOutcome> doneBefore(
                                    Peer head, Chain on, Duration deadline) {
                                return completedFuture(found);
                            }
                        },
                        DEADLINE);
        fail(0, ErrorKind.UNAVAILABLE);
        reports.get(0).answer.complete(null);
        assertThat(append.join()).isEqualTo(found);
        assertThat(names()).containsExactly("append");
    }

    /** What came later would be there before it. */
    @Test
    void nothingIsSentWhileAnAppendIsLookedFor() {
        CompletableFuture<@Nullable ChainOutcome> look = new CompletableFuture<>();
        chain.submit(
                new Named("append") {
                    @Override
                    public CompletableFuture<@Nullable ChainOutcome> doneBefore(
                            Peer head, Chain on, Duration deadline) {
                        return look;
                    }
                },
                DEADLINE);
        fail(0, ErrorKind.UNAVAILABLE);
        submit("a");
        reports.get(0).answer.complete(null);
        submit("b");
        assertThat(names()).containsExactly("append");
        look.complete(null);
        assertThat(names()).containsExactly("append", "append", "a", "b");
    }

    /** Those who had it are struck off along with those who had not: it is nowhere. */
    @Test
    void whatNobodyHasAnyMoreIsSentAgain() {
        CompletableFuture<ChainOutcome> a = submit("a");
        submit("b");
        sent.get(0)
                .answer
                .complete(
                        ChainOutcome.newBuilder()
                                .addFailures(MemberFailure.newBuilder().setNode("n2"))
                                .build());
        fail(1, ErrorKind.DISCONNECTED);
        assertThat(reports.get(0).failed).containsExactlyInAnyOrder("n1", "n2");
        members = List.of(replica("n3"), replica("n4"));
        reports.get(0).answer.complete(null);
        assertThat(a).isNotDone();
        assertThat(names()).containsExactly("a", "b", "a", "b");
        answer(2);
        assertThat(a).isCompleted();
    }

    /** Nor does a chain that could not be moved count as full from then on. */
    @Test
    void whatFailsAfterAMoveThatFailedIsNotTakenForFull() {
        submit("a");
        fail(0, ErrorKind.NO_SPACE);
        assertThat(reports.get(0).full).isTrue();
        reports.get(0)
                .answer
                .completeExceptionally(new FarmException(ErrorKind.BAD_HANDLE, "write", ""));
        submit("b");
        fail(1, ErrorKind.UNAVAILABLE);
        assertThat(reports.get(1).full).isFalse();
    }

    /** A commit that follows is to know how long the file has become. */
    @Test
    void whoWaitsForWhatHeSentFindsDoneWhatFollowsFromIt() {
        List<String> order = new ArrayList<>();
        submit("a").thenRun(() -> order.add("the size is known"));
        chain.drained().thenRun(() -> order.add("committed"));
        answer(0);
        assertThat(order).containsExactly("the size is known", "committed");
    }

    @Test
    void whoWaitsForWhatHeSentDoesNotWaitForTheBackground() {
        CompletableFuture<ChainOutcome> a = submit("a");
        chain.submitAside(new Named("copy"), DEADLINE);
        CompletableFuture<Void> drained = chain.drained();
        assertThat(drained).isNotDone();
        answer(0);
        assertThat(a).isCompleted();
        assertThat(drained).isCompleted();
        assertThat(names()).containsExactly("a", "copy");
    }
}

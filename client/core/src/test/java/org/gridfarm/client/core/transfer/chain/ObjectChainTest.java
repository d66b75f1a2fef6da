package org.gridfarm.client.core.transfer.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.util.concurrent.CompletableFuture.completedFuture;

import org.gridfarm.client.core.transfer.known.Chain;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.client.core.transfer.node.Peers;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.MemberFailure;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.Replica;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

class ObjectChainTest {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final SimClock clock = new SimClock();
    private final Nodes nodes =
            new Nodes(
                    name -> address -> CompletableFuture.completedFuture(Peers.peer(() -> true)),
                    clock);
    private final List<CompletableFuture<ChainOutcome>> sent = new ArrayList<>();
    private final List<CompletableFuture<Void>> mending = new ArrayList<>();
    private final List<Set<String>> reported = new ArrayList<>(); // of each mending
    private List<Replica> members = List.of(replica("n1"), replica("n2"));
    private CompletableFuture<Void> claim = completedFuture(null); // the head knows of the object
    private final ObjectChain chain =
            new ObjectChain(
                    0,
                    new ObjectChain.Source() {
                        @Override
                        public CompletableFuture<Chain> chain(int stripe, boolean claimed) {
                            return claimed
                                    ? claim.thenApply(done -> known())
                                    : completedFuture(known());
                        }

                        private Chain known() {
                            return new Chain(ObjectId.getDefaultInstance(), members, false, 1, 0);
                        }

                        @Override
                        public CompletableFuture<Void> mend(
                                int stripe, Set<String> failed, boolean full, String reason) {
                            CompletableFuture<Void> one = new CompletableFuture<>();
                            mending.add(one);
                            reported.add(failed);
                            return one;
                        }

                        @Override
                        public void written(int stripe) {}
                    },
                    nodes,
                    clock,
                    new AtomicLong());

    private static Replica replica(String node) {
        return Replica.newBuilder().setNode(node).setAddress("127.0.0.1:1").build();
    }

    private CompletableFuture<ChainOutcome> submit() {
        return chain.submit(
                (head, members, deadline) -> {
                    CompletableFuture<ChainOutcome> one = new CompletableFuture<>();
                    sent.add(one);
                    return one;
                },
                DEADLINE);
    }

    private static ChainOutcome failedAt(String node, ErrorKind kind) {
        return ChainOutcome.newBuilder()
                .addFailures(MemberFailure.newBuilder().setNode(node).setErrorKind(kind.number()))
                .build();
    }

    /** One waits for the failure to be recorded, the other to be sent. */
    @Test
    void nobodyWaitsLongerThanHisDeadlineForAChainThatIsMended() {
        CompletableFuture<ChainOutcome> first = submit();
        sent.get(0).complete(failedAt("n2", ErrorKind.TIMED_OUT));
        CompletableFuture<ChainOutcome> second = submit();
        clock.advance(DEADLINE.minusMillis(1));
        assertThat(first).isNotDone();
        assertThat(second).isNotDone();
        clock.advance(Duration.ofMillis(1));
        Peers.assertTimedOut(first);
        Peers.assertTimedOut(second);
        mending.get(0).complete(null);
        assertThat(sent).hasSize(1);
        CompletableFuture<ChainOutcome> third = submit();
        sent.get(1).complete(ChainOutcome.getDefaultInstance());
        assertThat(third).isCompleted();
    }

    @Test
    void theMoveToNodesWithRoomIsNotCountedAgainstAnybody() {
        CompletableFuture<ChainOutcome> first = submit();
        sent.get(0).complete(failedAt("n2", ErrorKind.NO_SPACE));
        CompletableFuture<ChainOutcome> second = submit();
        clock.advance(DEADLINE.multipliedBy(6));
        assertThat(first).isNotDone();
        mending.get(0).complete(null);
        assertThat(first).isCompleted();
        clock.advance(DEADLINE.minusMillis(1));
        assertThat(second).isNotDone();
        sent.get(1).complete(ChainOutcome.getDefaultInstance());
        assertThat(second).isCompleted();
    }

    /** Else what no node has room for would go round between them for ever. */
    @Test
    void nodesThatWereFullBeforeAreReportedAgain() {
        submit();
        sent.get(0).completeExceptionally(new FarmException(ErrorKind.NO_SPACE, "write", ""));
        members = List.of(replica("n3"));
        mending.get(0).complete(null);
        sent.get(1).completeExceptionally(new FarmException(ErrorKind.NO_SPACE, "write", ""));
        assertThat(reported.get(0)).containsExactly("n1");
        assertThat(reported.get(1)).containsExactlyInAnyOrder("n1", "n3");
        members = List.of(replica("n4"));
        mending.get(1).complete(null);
        sent.get(2).complete(ChainOutcome.getDefaultInstance());
        submit();
        sent.get(3).completeExceptionally(new FarmException(ErrorKind.NO_SPACE, "write", ""));
        assertThat(reported.get(2)).as("of another write").containsExactly("n4");
    }

    /** More may be asked for than anybody has: that is told, and others go on where they are. */
    @Test
    void whatIsNotWorthAMoveIsRefused() {
        CompletableFuture<ChainOutcome> one = chain.submit(new Reserving(), DEADLINE);
        sent.get(0).completeExceptionally(new FarmException(ErrorKind.NO_SPACE, "allocate", ""));
        assertThatThrownBy(one::join).hasMessageContaining(ErrorKind.NO_SPACE.phrase());
        assertThat(mending).isEmpty();
        CompletableFuture<ChainOutcome> another = submit();
        sent.get(1).complete(ChainOutcome.getDefaultInstance());
        assertThat(another).isCompleted();
    }

    /** A staged file is claimed once: along with the command that does it, or before any other. */
    @Test
    void aCommandThatClaimsIsSentAtOnceAndOthersWhenTheHeadKnows() {
        claim = new CompletableFuture<>();
        CompletableFuture<ChainOutcome> sync = chain.submit(new Claiming(), DEADLINE);
        assertThat(sent).hasSize(1);
        CompletableFuture<ChainOutcome> write = submit();
        assertThat(sent).hasSize(1);
        sent.get(0).complete(ChainOutcome.getDefaultInstance());
        assertThat(sync).isCompleted();
        assertThat(sent).hasSize(1);
        claim.complete(null);
        assertThat(sent).hasSize(2);
        sent.get(1).complete(ChainOutcome.getDefaultInstance());
        assertThat(write).isCompleted();
    }

    /** Its answers are given by the test. */
    private class Sending implements ObjectChain.Command {
        @Override
        public CompletableFuture<ChainOutcome> send(Peer head, Chain members, Duration deadline) {
            CompletableFuture<ChainOutcome> one = new CompletableFuture<>();
            sent.add(one);
            return one;
        }
    }

    private final class Reserving extends Sending {
        @Override
        public boolean movesWhenFull() {
            return false;
        }
    }

    private final class Claiming extends Sending {
        @Override
        public boolean claims() {
            return true;
        }
    }
}

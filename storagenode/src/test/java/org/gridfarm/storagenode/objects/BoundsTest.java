package org.gridfarm.storagenode.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.AppendSeen;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.NodeAddress;
import org.gridfarm.protocol.wire.NodeAddresses;
import org.gridfarm.protocol.wire.StatObjectRequest;
import org.gridfarm.storagenode.replica.ObjectKey;
import org.gridfarm.storagenode.replica.StoreLimits;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Whatever a client can make a node remember ends somewhere: who asks for more is told so, and what
 * others have is still there.
 */
class BoundsTest {
    private final SimClock clock = new SimClock();

    private static ObjectKey key(long inode) {
        return new ObjectKey(inode, 0, 1);
    }

    private static void refused(ErrorKind kind, Runnable call) {
        FarmException failure = catchThrowableOfType(FarmException.class, call::run);
        assertThat(failure).isNotNull();
        assertThat(failure.kind()).isEqualTo(kind);
    }

    @Test
    void appendsOfManyWritersAreRememberedUpToABoundAndForgottenWithTime() {
        Fences fences = new Fences(clock);
        Fences.Turn other = new Fences.Turn(7, 1, 0, 5);
        assertThat(fences.placeOf(key(1), other, 99)).isEqualTo(-1);
        fences.appended(key(1), other, 99, 4711);
        refused(
                ErrorKind.OVERLOADED,
                () -> {
                    for (long writer = 10; writer < 10 + Fences.WRITERS_MAX; writer++) {
                        Fences.Turn turn = new Fences.Turn(writer, 1, 0, 5);
                        for (long id = 1; id <= Fences.APPENDS_KEPT_MAX; id++) {
                            fences.placeOf(key(2), turn, id);
                            fences.appended(key(2), turn, id, id);
                        }
                    }
                });
        assertThat(fences.placeOf(key(1), other, 99)).isEqualTo(4711);
        clock.advance(Fences.KEPT.plusSeconds(1));
        assertThatCode(() -> fences.placeOf(key(3), new Fences.Turn(3, 1, 0, 5), 1))
                .doesNotThrowAnyException();
    }

    @Test
    void ofOneWriterTheLastAppendsAreRemembered() {
        Fences fences = new Fences(clock);
        Fences.Turn turn = new Fences.Turn(7, 1, 0, 5);
        for (long id = 1; id <= 5000; id++) {
            assertThat(fences.placeOf(key(1), turn, id)).isEqualTo(-1);
            fences.appended(key(1), turn, id, 10 * id);
            assertThat(fences.placeOf(key(1), turn, Math.max(1, id - 1000)))
                    .isEqualTo(10 * Math.max(1, id - 1000));
        }
        assertThat(fences.placeOf(key(1), turn, 3000)).isEqualTo(-1);
    }

    @Test
    void logsThatAreAppendedToForLongTakeRoomForTheLastAppendsAlone() {
        Fences fences = new Fences(clock);
        int logs = Fences.APPENDS_ALL_MAX / Fences.APPENDS_KEPT_MAX + 1;
        Fences.Turn turn = new Fences.Turn(7, 1, 0, 5);
        for (long id = 1; id <= Fences.APPENDS_KEPT_MAX; id++) {
            for (long log = 1; log <= logs; log++) {
                assertThat(fences.placeOf(key(log), turn, id)).isEqualTo(-1);
                fences.appended(key(log), turn, id, 10 * id);
            }
            clock.advance(Duration.ofSeconds(2));
            long kept = Math.max(1, id - 30);
            assertThat(fences.placeOf(key(logs), turn, kept)).isEqualTo(10 * kept);
        }
    }

    @Test
    void thatAnAppendWasNotDoneIsSaidByThoseAloneWhoWouldRememberIt() {
        Fences fences = new Fences(clock);
        Duration copiedNow = Duration.ZERO;
        StatObjectRequest.Append sent =
                StatObjectRequest.Append.newBuilder().setWriter(7).setId(99).setFence(3).build();
        assertThat(fences.find(key(1), sent, 5, copiedNow))
                .isEqualTo(new Fences.Found(AppendSeen.APPEND_NOT_KNOWN, -1));

        fences.admit(key(1), new Fences.Turn(7, 3, 0, 5));
        fences.admit(key(2), new Fences.Turn(7, 4, 0, 5)); // after a restart
        assertThat(fences.find(key(1), sent, 5, copiedNow).seen())
                .isEqualTo(AppendSeen.APPEND_NOT_DONE);
        assertThat(fences.find(key(1), sent, 6, copiedNow).seen())
                .isEqualTo(AppendSeen.APPEND_NOT_KNOWN);
        assertThat(fences.find(key(2), sent, 5, copiedNow).seen())
                .isEqualTo(AppendSeen.APPEND_NOT_KNOWN);

        fences.appended(key(1), new Fences.Turn(7, 4, 0, 5), 99, 4711);
        assertThat(fences.find(key(1), sent, 5, copiedNow))
                .isEqualTo(new Fences.Found(AppendSeen.APPEND_DONE, 4711));

        clock.advance(Fences.KEPT.plusSeconds(1));
        assertThat(fences.find(key(3), sent, 5, copiedNow).seen())
                .isEqualTo(AppendSeen.APPEND_NOT_KNOWN);
        assertThat(fences.find(key(3), sent, 5, Fences.KEPT.plusSeconds(1)).seen())
                .isEqualTo(AppendSeen.APPEND_NOT_DONE);
    }

    @Test
    void writersWithFencesAreToldToWaitWhenThereAreTooMany() {
        Fences fences = new Fences(clock);
        fences.admit(key(1), new Fences.Turn(1, 5, 0, 5));
        refused(
                ErrorKind.OVERLOADED,
                () -> {
                    for (long writer = 2; writer < 2 + Fences.WRITERS_MAX; writer++) {
                        fences.admit(key(1), new Fences.Turn(writer, 1, 0, 5));
                    }
                });
        refused(
                ErrorKind.WRONG_GENERATION,
                () -> fences.admit(key(1), new Fences.Turn(1, 4, 0, 5)));
    }

    @Test
    void localWritersOfTooManyReplicasAreRefusedAndStagingEndsBeforeClaiming() {
        Grants grants = new Grants(100);
        for (int i = 0; i < 100; i++) {
            grants.add(i, new Grants.Grant(key(i), "alice", 0, () -> {}));
        }
        assertThat(grants.room()).isZero();
        refused(
                ErrorKind.OVERLOADED,
                () -> grants.add(1000, new Grants.Grant(key(1000), "alice", 0, () -> {})));
        grants.add(1001, new Grants.Grant(key(5), "alice", 0, () -> {})); // open anyway
        grants.add(1002, new Grants.Grant(key(1002), "alice", 77, () -> {})); // has bytes already
        refused(
                ErrorKind.OVERLOADED,
                () -> {
                    for (int i = 2000; i < 2200; i++) {
                        grants.add(i, new Grants.Grant(key(i), "alice", i, () -> {}));
                    }
                });
        refused(
                ErrorKind.OVERLOADED,
                () -> {
                    for (int i = 3000; i < 3000 + Grants.EACH_MAX; i++) {
                        grants.add(i, new Grants.Grant(key(7), "alice", 0, () -> {}));
                    }
                });
        for (int i = 0; i < 2200; i++) {
            Object unused = grants.remove(i);
        }
        assertThat(grants.room()).isEqualTo(99); // 7 is written into by others
    }

    @Test
    void whatIsGrantedFollowsTheDescriptorsThatTheProcessMayHave() {
        StoreLimits limits = new StoreLimits(1024, 8, Duration.ZERO, Duration.ZERO);
        assertThat(limits.localMax(20_000)).isBetween(5000, 6000);
        assertThat(limits.localMax(1 << 20)).isEqualTo(8192);
        assertThat(limits.localMax(1024)).isEqualTo(16);
    }

    @Test
    void aClientThatAsksForTooMuchAtOnceLeavesRoomForOthers() {
        Intake intake = new Intake(new Nobody());
        refused(
                ErrorKind.OVERLOADED,
                () -> {
                    for (int i = 0; i <= Intake.REQUESTS_EACH_MAX; i++) {
                        intake.take("greedy", false, 0, "read");
                    }
                });
        intake.take("other", false, 1000, "write");
        refused(ErrorKind.OVERLOADED, () -> intake.take("other", false, Intake.BYTES_MAX, "write"));
        intake.take("a node", true, Intake.BYTES_MAX, "write"); // took it in already
        intake.done("a node", Intake.BYTES_MAX);
        intake.done("greedy", 0);
        intake.take("greedy", false, 0, "read");
    }

    private static final class Nobody implements Doorkeeper {
        @Override
        public Shown admit(
                org.gridfarm.protocol.rpc.Peer caller,
                ObjectKey key,
                com.google.protobuf.ByteString ticket,
                Right right) {
            return new Shown(0, 0);
        }

        @Override
        public void admitBeyond(
                org.gridfarm.protocol.rpc.Peer caller, ObjectKey key, List<ChainMember> members) {}

        @Override
        public boolean isNode(org.gridfarm.protocol.rpc.Peer caller) {
            return false;
        }
    }

    private static ChainMember at(String node, int port) {
        return ChainMember.newBuilder().setNode(node).setAddress("127.0.0.1:" + port).build();
    }

    private static NodeAddresses addresses(String node, int port) {
        return NodeAddresses.newBuilder()
                .setVersion(port)
                .addNodes(NodeAddress.newBuilder().setNode(node).setAddress("127.0.0.1:" + port))
                .build();
    }

    private CompletableFuture<?> stat(PeerNodes peerNodes, ChainMember member) {
        return peerNodes.call(
                member,
                StorageMethods.STAT,
                StatObjectRequest.getDefaultInstance(),
                null,
                Duration.ofSeconds(9));
    }

    /** Who is in a chain, and where, is what a client says. */
    @Test
    void onlyNodesThatTheMetaserverToldOfAreDialled() {
        List<String> dialled = new ArrayList<>();
        FarmNodes nodes = new FarmNodes(clock);
        PeerNodes peerNodes =
                new PeerNodes(
                        (node, address) -> {
                            dialled.add(node + " " + address);
                            return CompletableFuture.failedFuture(
                                    new FarmException(ErrorKind.UNAVAILABLE, "dial", node));
                        },
                        nodes,
                        clock);
        nodes.told(addresses("n2", 7000));
        assertThat(stat(peerNodes, at("n2", 7000))).isCompletedExceptionally();
        assertThat(dialled).containsExactly("n2 127.0.0.1:7000");

        CompletableFuture<?> elsewhere = stat(peerNodes, at("n2", 22));
        CompletableFuture<?> stranger = stat(peerNodes, at("n3", 7000));
        CompletableFuture<?> early = stat(peerNodes, at("n2", 7001));
        nodes.upToDate(clock.nanoTime() - 1); // asked before: it may know more by now
        assertThat(elsewhere).isNotDone();
        clock.advance(Duration.ofMillis(1));
        nodes.told(addresses("n2", 7001));
        nodes.upToDate(clock.nanoTime());
        assertThat(early).isCompletedExceptionally(); // by the dialler
        assertThat(elsewhere).isCompletedExceptionally();
        assertThat(stranger).isCompletedExceptionally();
        assertThat(dialled).containsExactly("n2 127.0.0.1:7000", "n2 127.0.0.1:7001");
        assertThat(stat(peerNodes, at("n4", 7000))).isNotDone();
        assertThat(peerNodes.kept()).isLessThan(4);
    }

    @Test
    void nodesThatNobodyToldOfAreHeldForAShortTimeAndFew() {
        PeerNodes peerNodes =
                new PeerNodes(
                        (node, address) -> CompletableFuture.failedFuture(new AssertionError()),
                        new FarmNodes(clock),
                        clock);
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < 3 * PeerNodes.KEPT_MAX; i++) {
            calls.add(stat(peerNodes, at("n" + i, 1 + i % 60_000)));
        }
        assertThat(calls.stream().filter(call -> !call.isDone())).hasSize(FarmNodes.ASKED_MAX);
        clock.advance(FarmNodes.TOLD_WITHIN);
        assertThat(calls).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(stat(peerNodes, at("n0", 1))).isNotDone();
        assertThat(peerNodes.kept()).isLessThanOrEqualTo(FarmNodes.ASKED_MAX + 1);
    }

    @Test
    void aChainOfMoreMembersThanAnyFileHasIsRefused() {
        refused(
                ErrorKind.INVALID,
                () ->
                        ForwardQueue.requireShort(
                                Collections.nCopies(
                                        ForwardQueue.MEMBERS_MAX + 1,
                                        ChainMember.getDefaultInstance())));
    }

    @Test
    void filesWhoseChainsAreBusyAreBoundedAndIdleOnesForgotten() {
        ForwardQueues queues = new ForwardQueues(clock);
        List<CompletableFuture<ChainOutcome>> unanswered = new ArrayList<>();
        ForwardQueue.Forward silent =
                (_, _, _, _) -> {
                    CompletableFuture<ChainOutcome> never = new CompletableFuture<>();
                    unanswered.add(never);
                    return never;
                };
        List<ChainMember> rest = List.of(ChainMember.newBuilder().setNode("n2").build());
        refused(
                ErrorKind.OVERLOADED,
                () -> {
                    for (int i = 0; i <= ForwardQueues.BUSY_MAX; i++) {
                        CompletableFuture<ChainOutcome> unused =
                                queues.of(key(i)).send(rest, silent);
                    }
                });
        ForwardQueue busy = queues.of(key(5));
        assertThat(busy.isIdle()).isFalse();
        unanswered.forEach(one -> one.complete(ChainOutcome.getDefaultInstance()));
        assertThat(queues.of(key(1 << 20)).isIdle()).isTrue();
    }
}

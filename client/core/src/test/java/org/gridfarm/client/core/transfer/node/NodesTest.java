package org.gridfarm.client.core.transfer.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

class NodesTest {
    private static final Duration WITHIN = TransferLimits.CONNECTED_WITHIN;

    private final SimClock clock = new SimClock();
    private final List<CompletableFuture<Peer>> dialled = new ArrayList<>();
    private final Nodes nodes =
            new Nodes(
                    name ->
                            address -> {
                                CompletableFuture<Peer> peer = new CompletableFuture<>();
                                dialled.add(peer);
                                return peer;
                            },
                    clock);
    private boolean open = true;

    private CompletableFuture<Peer> connect() {
        return nodes.connect("n1", "127.0.0.1:1");
    }

    /** A stopped process is connected to, and says nothing. */
    @Test
    void aSilentNodeIsWaitedForOnceAndNotByEveryCall() {
        CompletableFuture<Peer> first = connect();
        clock.advance(WITHIN.minusMillis(1));
        assertThat(first).isNotDone();
        clock.advance(Duration.ofMillis(1));
        Peers.assertTimedOut(first);
        CompletableFuture<Peer> second = connect();
        clock.advance(Duration.ZERO);
        Peers.assertTimedOut(second);
        assertThat(dialled).hasSize(1);
    }

    @Test
    void aConnectionThatIsMadeLateIsUsed() {
        assertThat(connect()).isNotDone();
        clock.advance(WITHIN);
        dialled.get(0).complete(Peers.peer(() -> open));
        assertThat(connect()).isCompleted();
        assertThat(dialled).hasSize(1);
    }

    @Test
    void aFailedOrLostConnectionIsMadeAnew() {
        CompletableFuture<Peer> first = connect();
        dialled.get(0)
                .completeExceptionally(new FarmException(ErrorKind.DISCONNECTED, "connect", ""));
        assertThat(first).isCompletedExceptionally();
        CompletableFuture<Peer> second = connect();
        assertThat(dialled).hasSize(2);
        dialled.get(1).complete(Peers.peer(() -> open));
        assertThat(second).isCompleted();
        open = false;
        assertThat(connect()).isNotDone();
        assertThat(dialled).hasSize(3);
    }
}

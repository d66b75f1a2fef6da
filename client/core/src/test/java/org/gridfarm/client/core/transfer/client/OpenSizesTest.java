package org.gridfarm.client.core.transfer.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.LocalBlocks;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What the members of a chain say of an object's size. */
@SuppressWarnings("NullAway") // no file of this process is asked for
class OpenSizesTest {
    private static final long SIZE = 100;

    private final Map<String, CompletableFuture<ChainOutcome>> answers = new HashMap<>();
    private final OpenSizes sizes =
            new OpenSizes(
                    new Nodes(
                            name ->
                                    address ->
                                            CompletableFuture.completedFuture(
                                                    node(name.toString())),
                            new SimClock()),
                    null,
                    () -> LocalBlocks.UNKNOWN,
                    null);

    @Test
    void whatNobodyHasCommittedNeedNotBeThere() {
        answers.put("n1", absent());
        assertThat(ask(ReplicaState.WRITING, "n1").join()).containsExactly((ChainOutcome) null);
    }

    /** Else it would be committed as empty, and every copy of it be cut. */
    @Test
    void whatWasCommittedAndIsNotThereIsNotEmpty() {
        answers.put("n1", absent());
        answers.put("n2", CompletableFuture.completedFuture(outcome()));
        assertThat(ask(ReplicaState.VALID, "n1", "n2").join()).containsExactly(outcome());
        assertThat(ask(ReplicaState.VALID, "n1")).isCompletedExceptionally();
    }

    private CompletableFuture<List<ChainOutcome>> ask(ReplicaState state, String... members) {
        ObjectLocation.Builder location = ObjectLocation.newBuilder();
        for (String member : members) {
            location.addReplicas(
                    Replica.newBuilder().setNode(member).setAddress("x:1").setState(state));
        }
        return sizes.ask(Layout.newBuilder().addObjects(location).build());
    }

    private static ChainOutcome outcome() {
        return ChainOutcome.newBuilder().setSize(SIZE).build();
    }

    private static CompletableFuture<ChainOutcome> absent() {
        return CompletableFuture.failedFuture(
                new FarmException(ErrorKind.OBJECT_ABSENT, "stat", ""));
    }

    private Peer node(String name) {
        return (Peer)
                Proxy.newProxyInstance(
                        Peer.class.getClassLoader(),
                        new Class<?>[] {Peer.class},
                        (self, method, arguments) ->
                                switch (method.getName()) {
                                    case "isOpen" -> true;
                                    case "callPlain" -> answers.get(name);
                                    default -> throw new AssertionError(method);
                                });
    }
}

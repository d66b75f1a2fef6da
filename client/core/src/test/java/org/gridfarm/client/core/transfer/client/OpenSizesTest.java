package org.gridfarm.client.core.transfer.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.LocalCalls;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.file.FarmFileHandle;
import org.gridfarm.client.core.transfer.file.OpenInode;
import org.gridfarm.client.core.transfer.file.Wiring;
import org.gridfarm.client.core.transfer.file.Wirings;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.client.core.transfer.node.Peers;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** What the members of a chain say of an object's size. */
@SuppressWarnings("NullAway") // no farm is asked
class OpenSizesTest {
    private static final long INODE = 7;
    private static final long SIZE = 100;
    private static final long TICK = 1_700_000_000_000_000_000L;

    private final Wiring wiring = Wirings.attachedTo("", Clock.system());
    private final OpenInodes open = new OpenInodes(wiring);

    private final Map<String, CompletableFuture<ChainOutcome>> answers = new HashMap<>();
    private final OpenSizes sizes =
            new OpenSizes(
                    new Nodes(
                            name ->
                                    address ->
                                            CompletableFuture.completedFuture(
                                                    Peers.answering(request ->
                                                            answers.get(name.toString()))),
                            new SimClock()),
                    open,
                    () -> LocalCalls.UNKNOWN,
                    wiring.attached().disk());

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

    /** The kernel dates what it writes by ticks: the object seems to be as old as that call. */
    @Test
    void aWriteOfThisProcessIsShownThoughATimeWasSetWithinTheSameTick() {
        answers.put("n1", CompletableFuture.completedFuture(outcome()));
        Attributes set =
                Attributes.newBuilder()
                        .setInode(INODE)
                        .setVersion(5)
                        .setMtime(1)
                        .setCtime(TICK)
                        .setToldUntil(TICK)
                        .build();
        OpenInode file = open.ofInode(INODE);
        file.opened(
                new FarmFileHandle(
                        wiring,
                        null,
                        file,
                        1,
                        OpenFlags.READ_WRITE,
                        Credentials.getDefaultInstance()),
                OpenReply.newBuilder().setAttributes(set).setMode(DataMode.EXCLUSIVE).build());
        Layout layout = layout(ReplicaState.WRITING, "n1");
        assertThat(sizes.refine(set, layout, false).join().getMtime()).isEqualTo(1);
        file.outcome(0, outcome());
        file.wrote(SIZE);
        assertThat(sizes.refine(set, layout, false).join().getMtime()).isEqualTo(TICK);
    }

    private CompletableFuture<List<ChainOutcome>> ask(ReplicaState state, String... members) {
        return sizes.ask(layout(state, members));
    }

    private static Layout layout(ReplicaState state, String... members) {
        ObjectLocation.Builder location = ObjectLocation.newBuilder();
        for (String member : members) {
            location.addReplicas(
                    Replica.newBuilder().setNode(member).setAddress("x:1").setState(state));
        }
        return Layout.newBuilder().addObjects(location).build();
    }

    private static ChainOutcome outcome() {
        return ChainOutcome.newBuilder().setSize(SIZE).setMtime(TICK).build();
    }

    private static CompletableFuture<ChainOutcome> absent() {
        return CompletableFuture.failedFuture(
                new FarmException(ErrorKind.OBJECT_ABSENT, "stat", ""));
    }
}

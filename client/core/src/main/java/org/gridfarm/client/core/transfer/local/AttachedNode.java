package org.gridfarm.client.core.transfer.local;

import org.gridfarm.client.core.transfer.LocalCalls;
import org.gridfarm.client.core.transfer.Shares;
import org.gridfarm.client.core.transfer.known.Stripes;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The storage node on this host, and what this process has from it: its replicas as plain files.
 *
 * @param name empty: there is none
 * @param ground which local files it may name
 * @param staged what files created here may be made of
 * @param givenBack grants of local files that have ended
 * @param known where local files lie that may be read again soon
 * @param calls about local files that the JDK lacks
 * @param descriptors for local files, by the user who opens them
 * @param disk where they are waited for
 */
public record AttachedNode(
        String name,
        Nodes nodes,
        Clock clock,
        LocalGround ground,
        StagedFiles staged,
        GivenBack givenBack,
        KnownReplicas known,
        AtomicReference<LocalCalls> calls,
        Shares descriptors,
        LocalDisk disk) {
    /** Long past: asked for anew by whoever needs a ticket. */
    private static final long NO_TICKETS = 1;

    /**
     * @param data below which it may name files; empty: in any data directory
     */
    public static AttachedNode of(String name, List<Path> data, Nodes nodes, Clock clock) {
        return new AttachedNode(
                name,
                nodes,
                clock,
                new LocalGround(clock, data),
                new StagedFiles(nodes, clock),
                new GivenBack(clock),
                new KnownReplicas(clock),
                new AtomicReference<>(LocalCalls.UNKNOWN),
                new Shares(Descriptors.forReplicas()),
                new LocalDisk());
    }

    /**
     * What is known of a file that nobody writes, without asking: it is empty, or its replica here
     * was in use a moment ago. Whoever needs a ticket asks for it. Null: neither.
     *
     * @param now the file's attributes
     */
    public @Nullable OpenReply opened(Attributes now) {
        Layout.Builder layout = Layout.newBuilder().setStripeCount(1).setTicketExpiry(NO_TICKETS);
        if (now.getSize() > 0) {
            ObjectId object =
                    ObjectId.newBuilder()
                            .setInode(now.getInode())
                            .setGeneration(now.getGeneration())
                            .build();
            if (!known.has(object)) {
                return null;
            }
            layout.addObjects(
                    ObjectLocation.newBuilder()
                            .setObject(object)
                            .addReplicas(
                                    Replica.newBuilder()
                                            .setNode(name)
                                            .setState(ReplicaState.VALID)
                                            .setLive(true)));
        }
        return OpenReply.newBuilder()
                .setAttributes(now)
                .setMode(DataMode.READ_SHARED)
                .setCacheable(true)
                .setLayout(layout)
                .build();
    }

    /** The file is opened for writing: its replica here may miss what is written. */
    public void changes(Layout layout) {
        ObjectId object = Stripes.onlyObject(layout);
        if (object != null) {
            known.forget(object);
        }
    }

    public LocalCalls localCalls() {
        return Objects.requireNonNull(calls.get());
    }
}

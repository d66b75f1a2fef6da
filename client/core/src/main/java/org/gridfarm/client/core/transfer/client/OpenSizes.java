package org.gridfarm.client.core.transfer.client;

import org.gridfarm.client.core.metadata.SizeSource;
import org.gridfarm.client.core.transfer.LocalCalls;
import org.gridfarm.client.core.transfer.file.Content;
import org.gridfarm.client.core.transfer.file.OpenInode;
import org.gridfarm.client.core.transfer.local.LocalDisk;
import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.attributes.WriteTimes;
import org.gridfarm.protocol.env.SharedThread;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.layout.Striping;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.StatObjectRequest;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Size and times of files that are being written: this process' own knowledge where it writes
 * alone, the plain file's where the kernel writes that, the chain's otherwise.
 */
final class OpenSizes implements SizeSource {
    private static final Duration DEADLINE =
            Duration.ofSeconds(2); // per member; then the next one of the chain is asked

    private final Nodes nodes;
    private final OpenInodes open;
    private final Supplier<LocalCalls> calls;
    private final LocalDisk disk;

    OpenSizes(Nodes nodes, OpenInodes open, Supplier<LocalCalls> calls, LocalDisk disk) {
        this.nodes = nodes;
        this.open = open;
        this.calls = calls;
        this.disk = disk;
    }

    @Override
    public CompletableFuture<Attributes> refine(
            Attributes attributes, Layout layout, boolean onlyWriter) {
        return open.find(attributes.getInode()) == null
                ? refined(attributes, layout, onlyWriter)
                : disk.call(() -> refined(attributes, layout, onlyWriter));
    }

    private CompletableFuture<Attributes> refined(
            Attributes attributes, Layout layout, boolean onlyWriter) {
        Attributes known = onlyWriter ? own(attributes) : null;
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        OpenInode own = open.find(attributes.getInode());
        Striping striping =
                new Striping(Math.max(1, layout.getStripeCount()), layout.getStripeUnit());
        if (own == null || !(own.content() instanceof Content.Plain plain)) {
            long since = WriteTimes.told(attributes);
            // A write of ours may have the time of the tick in which somebody set the time.
            Attributes told = own == null ? attributes : own.shown(attributes);
            return ask(layout).thenApply(outcomes -> combined(told, since, striping, outcomes));
        }
        if (plain.file().isLost()) {
            return CompletableFuture.completedFuture(
                    attributes.toBuilder().setSize(plain.file().replica.size()).build());
        }
        Attributes told = own.shown(attributes);
        long since = own.timesKnownUpTo();
        return ask(layout).thenApply(outcomes -> combined(told, since, striping, outcomes));
    }

    @Override
    public @Nullable Attributes own(Attributes leased) {
        OpenInode own = open.find(leased.getInode());
        if (own == null || !own.writesAlone()) {
            return null;
        }
        boolean isHere = own.content().file() != null;
        if (isHere && SharedThread.isCurrent()) {
            return null; // to look at the file may take its time
        }
        boolean byKernel = isHere && !own.plain.areNone();
        ChainOutcome file = byKernel ? measured(own) : null;
        if (byKernel && file == null) {
            return null;
        }
        long since = own.timesKnownUpTo();
        // What a commit of ours has changed is not recalled from us.
        Attributes told = own.shown(leased);
        return file == null ? told : combined(told, since, own.striping(), List.of(file));
    }

    /** The file that the kernel writes says what its node would; null: that has to be asked. */
    private @Nullable ChainOutcome measured(OpenInode own) {
        ChainOutcome now =
                own.content() instanceof Content.Plain plain && !plain.file().isLost()
                        ? plain.file().replica.measured(calls.get())
                        : null;
        // Else another client may have written before the file was looked at, and after.
        return own.writesAlone() ? now : null;
    }

    /** What the chain of each object says; null for one that nobody has written yet. */
    public CompletableFuture<List<@Nullable ChainOutcome>> ask(Layout layout) {
        List<CompletableFuture<@Nullable ChainOutcome>> asked = new ArrayList<>();
        for (ObjectLocation location : layout.getObjectsList()) {
            asked.add(stat(location, 0, ""));
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> {
                    List<@Nullable ChainOutcome> outcomes = new ArrayList<>();
                    asked.forEach(one -> outcomes.add(one.join()));
                    return outcomes;
                });
    }

    private CompletableFuture<@Nullable ChainOutcome> stat(
            ObjectLocation location, int member, String silent) {
        if (member >= location.getReplicasCount()) {
            return location.getReplicasCount() == 0
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(
                            new FarmException(
                                    ErrorKind.DATA_UNAVAILABLE,
                                    "stat",
                                    "",
                                    "no node of its chain answers:" + silent));
        }
        Replica replica = location.getReplicas(member);
        StatObjectRequest request =
                StatObjectRequest.newBuilder()
                        .setObject(location.getObject())
                        .setStaged(location.getStaged())
                        .setTicket(replica.getTicket())
                        .build();
        return nodes.connect(replica)
                .thenCompose(peer -> peer.callPlain(StorageMethods.STAT, request, DEADLINE))
                .handle((outcome, thrown) -> {
                    if (thrown == null) {
                        return CompletableFuture.<@Nullable ChainOutcome>completedFuture(outcome);
                    }
                    FarmException failure = FarmException.of(thrown, "stat", replica.getNode());
                    boolean absent = failure.kind() == ErrorKind.OBJECT_ABSENT;
                    // Of what was committed it was lost there: that says nothing of the size.
                    return absent && replica.getState() == ReplicaState.WRITING
                            ? CompletableFuture.<@Nullable ChainOutcome>completedFuture(null)
                            : stat(location, member + 1, silent + " " + failure.getMessage());
                })
                .thenCompose(outcome -> outcome);
    }

    private static Attributes combined(
            Attributes attributes,
            long since,
            Striping striping,
            List<@Nullable ChainOutcome> outcomes) {
        long size = 0;
        long allocated = 0;
        long changed = 0;
        for (int stripe = 0; stripe < outcomes.size(); stripe++) {
            ChainOutcome outcome = outcomes.get(stripe);
            if (outcome == null) {
                continue;
            }
            size = Math.max(size, striping.fileSize(stripe, outcome.getSize()));
            allocated += outcome.getAllocated();
            changed = Math.max(changed, outcome.getMtime());
        }
        Attributes.Builder now = attributes.toBuilder().setSize(size).setAllocated(allocated);
        if (changed > since) {
            WriteTimes.show(now, changed);
        }
        return now.build();
    }

    /**
     * When the kernel last wrote into it; 0: it writes none. Empty: it is not to be looked at now.
     */
    OptionalLong writtenAt(long inode) {
        OpenInode own = open.find(inode);
        if (own == null || own.content().file() == null) return OptionalLong.of(0);
        return SharedThread.isCurrent() ? OptionalLong.empty() : own.writtenAt();
    }

    @Override
    public boolean isWriting(long inode) {
        OpenInode own = open.find(inode);
        return own != null && own.hasWriter();
    }

    @Override
    public CompletableFuture<Void> modificationTimeSet(long inode) {
        OpenInode own = open.find(inode);
        return own == null ? CompletableFuture.completedFuture(null) : own.modificationTimeSet();
    }
}

package org.gridfarm.client.core.transfer.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.StageReply;
import org.gridfarm.protocol.wire.StageRequest;
import org.gridfarm.protocol.wire.StagedFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Empty plain files that the attached node has made ahead: a file that is created takes one, the
 * kernel writes into it, and the node hears of it only when there is something to make a replica
 * of. Filled up beside its use. Thread-safe.
 */
public final class StagedFiles {
    private static final Logger log = LoggerFactory.getLogger(StagedFiles.class);

    private static final int AT_ONCE = 64;
    private static final int LOW = 96;

    /** Well before the node removes it. */
    private static final Duration AGE_MAX = Duration.ofMinutes(20);

    /** A node that made none is left alone for so long: it has no room, or is away. */
    private static final Duration REFUSED_FOR = Duration.ofSeconds(1);

    /** By then all of this host that knew of its use has forgotten it: microseconds. */
    private static final Duration UNUSED_FROM = Duration.ofMillis(5);

    /**
     * @param since monotonic nanoseconds, when the node made it
     */
    private record Waiting(StagedFile file, long since) {}

    /**
     * @param from monotonic nanoseconds, when its node may be told
     */
    private record Unused(long number, long from) {}

    private final Nodes nodes;
    private final Clock clock;

    @GuardedBy("this")
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    @GuardedBy("this")
    private final Deque<Unused> unused = new ArrayDeque<>();

    @GuardedBy("this")
    private List<Long> unwanted = new ArrayList<>();

    @GuardedBy("this")
    private @Nullable Replica node; // the attached one, once a layout has named it

    @GuardedBy("this")
    private boolean asking;

    @GuardedBy("this")
    private boolean refused; // a moment ago

    StagedFiles(Nodes nodes, Clock clock) {
        this.nodes = nodes;
        this.clock = clock;
    }

    /** How the attached node is reached. */
    public void at(Replica attached) {
        synchronized (this) {
            node = attached;
        }
        fillUp();
    }

    /** Null: there is none at this moment. */
    public @Nullable StagedFile take() {
        StagedFile taken = null;
        synchronized (this) {
            long now = clock.nanoTime();
            while (taken == null && !waiting.isEmpty()) {
                Waiting oldest = waiting.remove();
                if (now - oldest.since > AGE_MAX.toNanos()) {
                    unwanted.add(oldest.file.getNumber());
                } else {
                    taken = oldest.file;
                }
            }
        }
        fillUp();
        return taken;
    }

    /**
     * Nothing was written into it, nobody could read it, and of the file that it was to become
     * nothing is open any more: the next may be made of it. A node that made one anew for each
     * empty file would have to delete as many, and some file systems look long for an inode after
     * that. It comes back under another number: as long as the metaserver takes the former file for
     * written, it tells others that this number stands for it, and they would be shown the next
     * file's bytes.
     */
    public synchronized void putBack(long number) {
        unused.add(new Unused(number, clock.nanoTime() + UNUSED_FROM.toNanos()));
    }

    /** It was not used: nothing was written into it. */
    public void giveBack(long number) {
        synchronized (this) {
            unwanted.add(number);
        }
    }

    private void fillUp() {
        Replica attached;
        StageRequest request;
        List<Long> discarded;
        synchronized (this) {
            attached = node;
            if (attached == null || asking || refused || waiting.size() > LOW) {
                return;
            }
            asking = true;
            List<Long> again = unusedNow();
            discarded = unwanted;
            discarded.addAll(again); // by a node that gives none out again
            unwanted = new ArrayList<>();
            request =
                    StageRequest.newBuilder()
                            .setCount(AT_ONCE - again.size())
                            .addAllUnused(again)
                            .addAllDiscard(discarded)
                            .build();
        }
        nodes.connect(attached)
                .thenCompose(peer ->
                        peer.callPlain(StorageMethods.STAGE, request, TransferLimits.HEDGE_AFTER))
                .whenComplete((reply, thrown) -> answered(discarded, reply, thrown));
    }

    @GuardedBy("this")
    private List<Long> unusedNow() {
        List<Long> numbers = new ArrayList<>();
        long now = clock.nanoTime();
        while (numbers.size() < AT_ONCE && !unused.isEmpty() && now - unused.element().from >= 0) {
            numbers.add(unused.remove().number);
        }
        return numbers;
    }

    private synchronized void answered(
            List<Long> discarded, @Nullable StageReply reply, @Nullable Throwable thrown) {
        asking = false;
        if (reply == null) {
            log.debug("no files are staged: {}", String.valueOf(thrown));
            unwanted.addAll(discarded);
            refused = true; // asked again with a later file
            clock.after(REFUSED_FOR, this::mayAskAgain);
            return;
        }
        long now = clock.nanoTime();
        reply.getFilesList().forEach(file -> waiting.add(new Waiting(file, now)));
    }

    private synchronized void mayAskAgain() {
        refused = false;
    }
}

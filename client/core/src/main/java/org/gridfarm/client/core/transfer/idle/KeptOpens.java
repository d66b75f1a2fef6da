package org.gridfarm.client.core.transfer.idle;

import org.gridfarm.client.core.metadata.GivenUp;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.Replica;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Files that were read and closed a moment ago and are still open at the metaserver: the same user
 * opens such a file again without a call, as long as its attributes are leased and have not
 * changed. One is given up when the answer to its open is a while old, with the change by this
 * client that concerns the file, and before a recall of the file is answered. Thread-safe.
 */
public final class KeptOpens implements GivenUp {
    public static final Duration KEPT = Duration.ofSeconds(5);
    static final int KEPT_MAX = 1024;

    /**
     * @param reply what the open was answered
     * @param until on the clock: what the answer says of nodes is too old then
     * @param ended completes when the metaserver is told of the close, or another open has the
     *     handle
     */
    public record Kept(
            long handle,
            Credentials who,
            OpenFlags flags,
            OpenReply reply,
            long until,
            CompletableFuture<Void> ended) {}

    private final Releases releases;
    private final Clock clock;

    private final Aging<Kept> byInode;

    public KeptOpens(Releases releases, Clock clock) {
        this.releases = releases;
        this.clock = clock;
        this.byInode = new Aging<>(clock, Kept::until, this::over);
    }

    /** Of a file that nobody writes. */
    public static OpenReply answer(Attributes attributes, Layout layout) {
        return OpenReply.newBuilder()
                .setAttributes(attributes)
                .setMode(DataMode.READ_SHARED)
                .setLayout(layout)
                .build();
    }

    /**
     * All replicas can be read, as far as the answer says: one whose node was away then would not
     * be asked as long as the answer is used, though the node comes back.
     */
    public static boolean isWhole(OpenReply reply) {
        return reply.getLayout().getObjectsList().stream()
                .flatMap(object -> object.getReplicasList().stream())
                .allMatch(Replica::getLive);
    }

    public void add(long inode, Kept kept) {
        release(byInode.remove(inode));
        if (byInode.size() >= KEPT_MAX) {
            release(byInode.removeEldest());
        }
        if (!byInode.addIfAbsent(inode, kept)) {
            release(kept);
        }
    }

    /**
     * The handle of the same user's open of the same kind, which is the caller's from now on; null:
     * the metaserver is to be asked.
     *
     * @param version of the inode's attributes, which are leased
     */
    public @Nullable Kept take(long inode, Credentials who, OpenFlags flags, long version) {
        Kept found = byInode.get(inode);
        if (found == null) {
            return null;
        }
        boolean over =
                found.reply.getAttributes().getVersion() != version
                        || clock.nanoTime() - found.until >= 0;
        boolean fits = !over && found.who.equals(who) && found.flags.equals(flags);
        if ((!fits && !over) || !byInode.remove(inode, found)) {
            return null;
        }
        if (!fits) {
            release(found);
            return null;
        }
        found.ended.complete(null);
        return found;
    }

    /** The metaserver hears of it soon. */
    public void giveUp(long inode) {
        release(remove(inode));
    }

    /** Nobody opens it again without asking; it is to be {@linkplain #closeNow closed}. */
    public @Nullable Kept remove(long inode) {
        return byInode.remove(inode);
    }

    /** Completes when the metaserver knows, or a moment later. */
    public CompletableFuture<Void> closeNow(@Nullable Kept removed) {
        if (removed == null) {
            return CompletableFuture.completedFuture(null);
        }
        removed.ended.complete(null);
        return releases.releaseNow(removed.handle);
    }

    public void giveUpAll() {
        byInode.removeAll().forEach(this::release);
    }

    private void over(long inode, Kept kept) {
        if (byInode.remove(inode, kept)) {
            release(kept);
        }
    }

    private void release(@Nullable Kept kept) {
        if (kept != null) {
            kept.ended.complete(null);
            releases.release(kept.handle);
        }
    }

    // ---- along with changes

    @Override
    public List<Long> take(long[] concerned) {
        for (long inode : concerned) {
            giveUp(inode);
        }
        return releases.take();
    }

    @Override
    public @Nullable CompletableFuture<Void> beforeChange(long[] concerned) {
        return null;
    }

    @Override
    public CompletableFuture<Void> unnamed(long inode) {
        return closeNow(remove(inode));
    }

    @Override
    public void putBack(List<Long> handles) {
        releases.putBack(handles);
    }
}

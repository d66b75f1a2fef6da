package org.gridfarm.client.core.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.metadata.GivenUp;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.OpenReply;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Files that were read and closed a moment ago and are still open at the metaserver: the same user
 * opens such a file again without a call, as long as its attributes are leased and have not
 * changed. One is given up when it has not been opened again for a while, with the change by this
 * client that concerns the file, and before a recall of the file is answered. Thread-safe.
 */
final class KeptOpens implements GivenUp {
    static final Duration KEPT = Duration.ofSeconds(5);
    static final int KEPT_MAX = 1024;

    /**
     * @param reply what the open was answered
     * @param ended completes when the metaserver is told of the close, or another open has the
     *     handle
     */
    record Kept(
            long handle,
            Credentials who,
            OpenFlags flags,
            OpenReply reply,
            CompletableFuture<Void> ended) {}

    private record Waiting(Kept kept, long until) {}

    private final Releases releases;
    private final Clock clock;

    @GuardedBy("this")
    private final Map<Long, Waiting> byInode = new LinkedHashMap<>(); // the oldest first

    @GuardedBy("this")
    private boolean looksSoon;

    KeptOpens(Releases releases, Clock clock) {
        this.releases = releases;
        this.clock = clock;
    }

    /** Of a file that nobody writes. */
    static OpenReply answer(Attributes attributes, Layout layout) {
        return OpenReply.newBuilder()
                .setAttributes(attributes)
                .setMode(DataMode.READ_SHARED)
                .setLayout(layout)
                .build();
    }

    void add(long inode, Kept kept) {
        Kept before = remove(inode);
        Kept eldest = null;
        synchronized (this) {
            if (byInode.size() >= KEPT_MAX) {
                Iterator<Waiting> all = byInode.values().iterator();
                eldest = all.next().kept;
                all.remove();
            }
            byInode.put(inode, new Waiting(kept, clock.nanoTime() + KEPT.toNanos()));
            lookSoon();
        }
        release(before);
        release(eldest);
    }

    /**
     * The handle of the same user's open of the same kind, which is the caller's from now on; null:
     * the metaserver is to be asked.
     *
     * @param version of the inode's attributes, which are leased
     */
    @Nullable Kept take(long inode, Credentials who, OpenFlags flags, long version) {
        Waiting found;
        boolean fits;
        synchronized (this) {
            found = byInode.get(inode);
            if (found == null) {
                return null;
            }
            boolean changed = found.kept.reply.getAttributes().getVersion() != version;
            fits = !changed && found.kept.who.equals(who) && found.kept.flags.equals(flags);
            if (!fits && !changed) {
                return null;
            }
            byInode.remove(inode);
        }
        if (!fits) {
            release(found.kept);
            return null;
        }
        found.kept.ended.complete(null);
        return found.kept;
    }

    /** The metaserver hears of it soon. */
    void giveUp(long inode) {
        release(remove(inode));
    }

    /** Nobody opens it again without asking; it is to be {@linkplain #closeNow closed}. */
    @Nullable Kept remove(long inode) {
        Waiting found;
        synchronized (this) {
            found = byInode.remove(inode);
        }
        return found == null ? null : found.kept;
    }

    /** Completes when the metaserver knows, or a moment later. */
    CompletableFuture<Void> closeNow(@Nullable Kept removed) {
        if (removed == null) {
            return CompletableFuture.completedFuture(null);
        }
        removed.ended.complete(null);
        return releases.releaseNow(removed.handle);
    }

    void giveUpAll() {
        List<Waiting> all;
        synchronized (this) {
            all = List.copyOf(byInode.values());
            byInode.clear();
        }
        all.forEach(found -> release(found.kept));
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
    public CompletableFuture<Void> unnamed(long inode) {
        return closeNow(remove(inode));
    }

    @Override
    public void putBack(List<Long> handles) {
        releases.putBack(handles);
    }

    // ---- after a while

    @GuardedBy("this")
    private void lookSoon() {
        if (!looksSoon && !byInode.isEmpty()) {
            looksSoon = true;
            clock.after(KEPT.dividedBy(4), this::look);
        }
    }

    private void look() {
        List<Kept> over = new ArrayList<>();
        synchronized (this) {
            looksSoon = false;
            Iterator<Waiting> all = byInode.values().iterator();
            while (all.hasNext()) {
                Waiting next = all.next();
                if (clock.nanoTime() - next.until < 0) {
                    break;
                }
                over.add(next.kept);
                all.remove();
            }
            lookSoon();
        }
        over.forEach(this::release);
    }
}

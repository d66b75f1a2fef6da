package org.gridfarm.client.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.SetAttributes;
import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was removed through this mount and no server knows any more, while a program may still refer
 * to it: directories that are open or worked in, FIFOs and devices that are open, what was opened
 * with O_PATH. Their attributes live on here, changes included, until the kernel forgets them, as
 * those of an open file live on at the metaserver; what else there was of them is gone. A file that
 * was open when it lost its last name goes with its last close, perhaps by another mount: that a
 * server says first. Thread-safe.
 */
final class Remains {
    /** The kernel forgets at once what nobody refers to; of more than these the eldest go. */
    private static final int NODES_MAX = 10_000;

    private final Clock clock;

    @GuardedBy("this")
    private final Map<Long, Attributes> nodes = new Bounded();

    /** Removed through this mount while somebody had them open; as they were then. */
    @GuardedBy("this")
    private final Map<Long, Attributes> unnamed = new Bounded();

    Remains(Clock clock) {
        this.clock = clock;
    }

    /** To be called before the caller is told that it is removed. */
    synchronized void removed(Attributes last) {
        nodes.put(last.getInode(), last);
    }

    /** It has lost its last name, and is there as long as somebody has it open. */
    synchronized void unnamed(Attributes last) {
        unnamed.put(last.getInode(), last);
    }

    /** Whether a call failed since the node went with the last close of a file removed here. */
    boolean areOf(long node, Throwable failure) {
        return FarmException.of(failure, "stat", "").kind() == ErrorKind.STALE && gone(node);
    }

    private synchronized boolean gone(long node) {
        Attributes last = unnamed.remove(node);
        if (last != null) nodes.put(node, last);
        return nodes.containsKey(node);
    }

    synchronized void forget(long node) {
        nodes.remove(node);
        unnamed.remove(node);
    }

    /** Null: not held. */
    synchronized @Nullable Attributes of(long node) {
        return nodes.isEmpty() ? null : nodes.get(node);
    }

    /** As they are after the change, which the kernel has allowed; null: not held. */
    synchronized @Nullable Attributes change(long node, SetAttributes change) {
        Attributes before = nodes.get(node);
        if (before == null) {
            return null;
        }
        Attributes now = changed(before, change);
        nodes.put(node, now);
        return now;
    }

    private Attributes changed(Attributes from, SetAttributes change) {
        long now = clock.epochNanos();
        Attributes.Builder to = from.toBuilder().setCtime(now);
        if (change.hasMode()) {
            to.setMode(change.getMode());
        }
        if (change.hasUid()) {
            to.setUid(change.getUid());
        }
        if (change.hasGid()) {
            to.setGid(change.getGid());
        }
        if (change.getClearSuidSgid()) {
            to.setMode(to.getMode() & ~(Flags.SET_UID | Flags.SET_GID));
        }
        if (change.getAtimeNow() || change.hasAtime()) {
            to.setAtime(change.getAtimeNow() ? now : change.getAtime());
        }
        if (change.getMtimeNow() || change.hasMtime()) {
            to.setMtime(change.getMtimeNow() ? now : change.getMtime());
        }
        return to.build();
    }

    private static final class Bounded extends LinkedHashMap<Long, Attributes> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Attributes> eldest) {
            return size() > NODES_MAX;
        }
    }
}

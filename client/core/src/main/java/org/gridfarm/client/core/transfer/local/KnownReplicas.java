package org.gridfarm.client.core.transfer.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.transfer.FileIdentity;
import org.gridfarm.client.core.transfer.LocalFile;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where local replicas lie that were in use a moment ago: whoever opens such a file again for
 * reading need not ask its node. The metaserver has answered that open with a valid replica of the
 * same object at this node, and the path still leads to the same file: the node would grant nothing
 * else, as long as it would not verify the file first. Thread-safe.
 */
public final class KnownReplicas {
    private record Known(LocalFile file, Peer node, long until) {}

    private final Clock clock;

    @GuardedBy("this")
    private final Map<ObjectId, Known> known = // the one that was opened longest ago first
            new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<ObjectId, Known> eldest) {
                    return size() > TransferLimits.KNOWN_REPLICAS_MAX;
                }
            };

    KnownReplicas(Clock clock) {
        this.clock = clock;
    }

    /**
     * @param file as it lies now
     * @param node has granted it
     * @param fresh for so long its node would not verify it; zero also where it was not asked: what
     *     is known of it stays
     */
    public synchronized void add(ObjectId object, LocalFile file, Peer node, Duration fresh) {
        Duration most = TransferLimits.REPLICA_KNOWN;
        Duration good = fresh.compareTo(most) < 0 ? fresh : most;
        if (good.isZero()) return;
        known.put(object, new Known(file, node, clock.nanoTime() + good.toNanos()));
    }

    /** Whether {@link #open} would find it, unless it was removed or replaced meanwhile. */
    public boolean has(ObjectId object) {
        return find(object) != null;
    }

    /** It is about to change. */
    public synchronized void forget(ObjectId object) {
        known.remove(object);
    }

    /** Opened for reading; null: the node is to be asked. */
    public @Nullable LocalReplica open(ObjectId object) {
        Known found = find(object);
        LocalReplica replica = found == null ? null : opened(found);
        if (found != null && replica == null) {
            forget(object, found);
        }
        return replica;
    }

    private synchronized @Nullable Known find(ObjectId object) {
        Known found = known.get(object);
        boolean old = found != null && clock.nanoTime() - found.until >= 0;
        return old ? null : found;
    }

    private synchronized void forget(ObjectId object, Known found) {
        known.remove(object, found);
    }

    private static @Nullable LocalReplica opened(Known found) {
        OpenLocalReply granted =
                OpenLocalReply.newBuilder()
                        .setPath(found.file.path())
                        .setSize(found.file.size())
                        .build();
        try {
            LocalReplica replica = LocalReplica.open(granted, false, found.node);
            FileIdentity identity = replica.file.identity();
            if (identity != null && identity.equals(found.file.identity())) {
                return replica;
            }
            replica.close();
            return null;
        } catch (IOException e) {
            return null; // its node tells why
        }
    }
}

package org.gridfarm.storagenode.objects;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.NodeAddresses;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Where the nodes of the farm are, as the metaserver tells it. Clients name the members of a chain
 * with their addresses, which may be any host and port; this node calls on none that the metaserver
 * has not told it of under that very name. A node that has just come is known to clients before it
 * is known here, by a heartbeat: so long its calls are held. Thread-safe.
 */
public final class FarmNodes {
    /** Held for what the metaserver may still tell; of all, most are somebody's malice. */
    static final int ASKED_MAX = 64;

    /** Two heartbeats and their answers take less. */
    static final Duration TOLD_WITHIN = Duration.ofSeconds(2);

    private record Asked(String node, String address, long since, CompletableFuture<Void> answer) {}

    private final Clock clock;

    @GuardedBy("this")
    private final Map<String, String> addresses = new HashMap<>(); // by name

    @GuardedBy("this")
    private long version;

    @GuardedBy("this")
    private List<Asked> asked = new ArrayList<>();

    public FarmNodes(Clock clock) {
        this.clock = clock;
    }

    /** Of what is known here; 0: nothing is. */
    public synchronized long version() {
        return version;
    }

    /** All nodes, in the place of what was known before. */
    public void told(NodeAddresses now) {
        synchronized (this) {
            addresses.clear();
            now.getNodesList().forEach(node -> addresses.put(node.getNode(), node.getAddress()));
            version = now.getVersion();
        }
        answer(Long.MIN_VALUE);
    }

    /**
     * The metaserver knew no more than is known here.
     *
     * @param asked by {@link Clock#nanoTime}, when it was asked
     */
    public void upToDate(long asked) {
        answer(asked);
    }

    private void answer(long upTo) {
        List<Asked> known = new ArrayList<>();
        List<Asked> unknown = new ArrayList<>();
        synchronized (this) {
            List<Asked> left = new ArrayList<>();
            for (Asked one : asked) {
                if (isAt(one.node, one.address)) {
                    known.add(one);
                } else if (upTo != Long.MIN_VALUE && one.since - upTo < 0) {
                    unknown.add(one);
                } else {
                    left.add(one);
                }
            }
            asked = left;
        }
        known.forEach(one -> one.answer.complete(null));
        unknown.forEach(FarmNodes::refuse);
    }

    private static void refuse(Asked one) {
        one.answer.completeExceptionally(
                new FarmException(
                        ErrorKind.UNAVAILABLE,
                        "connect",
                        "node " + one.node + " at " + one.address,
                        "the metaserver knows no such node there"));
    }

    synchronized boolean isAt(String node, String address) {
        return address.equals(addresses.get(node));
    }

    /**
     * Completes when the metaserver has said that the node is there; UNAVAILABLE when it has said
     * that it is not, or says nothing for long; OVERLOADED when too many others are asked for.
     */
    CompletableFuture<Void> confirm(String node, String address) {
        Asked one = new Asked(node, address, clock.nanoTime(), new CompletableFuture<>());
        synchronized (this) {
            if (isAt(node, address)) {
                return CompletableFuture.completedFuture(null);
            }
            if (asked.size() >= ASKED_MAX) {
                return CompletableFuture.failedFuture(
                        new FarmException(
                                ErrorKind.OVERLOADED,
                                "connect",
                                "node " + node,
                                "too many nodes are asked for that nobody knows"));
            }
            asked.add(one);
        }
        Clock.Timer timer =
                clock.after(
                        TOLD_WITHIN,
                        () -> {
                            synchronized (this) {
                                asked.remove(one);
                            }
                            refuse(one);
                        });
        one.answer.whenComplete((_, _) -> timer.cancel());
        return one.answer;
    }
}

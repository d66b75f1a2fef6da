package org.gridfarm.metaserver.server;

import org.gridfarm.metaserver.coherence.Effect;
import org.gridfarm.metaserver.coherence.LeaderCoherence;
import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.server.state.Batches;
import org.gridfarm.metaserver.server.state.Events;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.ServerIdentity;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.metaserver.server.state.Tenure;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.CacheLeaseReply;
import org.gridfarm.protocol.wire.CacheStatus;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.CommitBatch;
import org.gridfarm.protocol.wire.FollowReply;
import org.gridfarm.protocol.wire.FollowRequest;
import org.gridfarm.protocol.wire.PrepareBatch;
import org.gridfarm.protocol.wire.SnapshotReply;
import org.gridfarm.protocol.wire.SnapshotRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The cache servers at the leader: who follows, what each is sent, who has marked what. Event
 * thread.
 *
 * <p>A follower without usable state gets a {@link Snapshot} from its FOLLOW on; batches closed
 * from then on are streamed to it at once, and it keeps them until the snapshot is complete. Until
 * then it serves nothing, so it marks batches by receiving them and never holds up a commit. The
 * pages hold changes of those batches and of the one that is open: images are absolute, so applying
 * them again is harmless, and the follower serves nothing before they are committed.
 */
final class Followers {
    private static final Logger log = LoggerFactory.getLogger(Followers.class);

    private static final class Follower {
        final String name;
        final Peer peer;
        CacheStatus status = CacheStatus.getDefaultInstance();
        @Nullable Snapshot snapshot;
        long pagesSent;
        boolean recallsDelegated;

        Follower(String name, Peer peer) {
            this.name = name;
            this.peer = peer;
        }
    }

    private final FarmState state;
    private final LeaderCoherence coherence;
    private final Batches batches;
    private final JournalStore.Claim claim;
    private final long firstSequence;
    private final ServerIdentity identity;
    private final Tenure tenure;
    private final Consumer<List<Effect>> effects;
    private final Events events;
    private final Clock clock;
    private final Map<String, Follower> followers = new HashMap<>();
    private final ArrayDeque<ChangeBatch> recent = new ArrayDeque<>();
    private final long recentBytesMax;
    private long recentBytes;

    Followers(
            FarmState state,
            LeaderCoherence coherence,
            Batches batches,
            JournalStore.Claim claim,
            ServerIdentity identity,
            Tenure tenure,
            Consumer<List<Effect>> effects,
            Events events,
            Clock clock) {
        this.state = state;
        this.coherence = coherence;
        this.batches = batches;
        this.claim = claim;
        this.firstSequence = coherence.openSequence() - 1;
        this.identity = identity;
        this.tenure = tenure;
        this.effects = effects;
        this.events = events;
        this.clock = clock;
        this.recentBytesMax = Runtime.getRuntime().maxMemory() / ServerLimits.RECENT_HEAP_PART;
    }

    void register(HandlerTable table) {
        table.on(MetadataMethods.FOLLOW, this::follow);
        table.on(MetadataMethods.SNAPSHOT, this::snapshot);
        table.on(MetadataMethods.CACHE_LEASE, this::lease);
    }

    private static void requireMetaserver(Exchange<?, ?> exchange) {
        exchange.peer().identity().require(Role.METASERVER, exchange.method().name());
    }

    private void follow(Exchange<FollowRequest, FollowReply> exchange) {
        requireMetaserver(exchange);
        FollowRequest request = exchange.request();
        String name = request.getName();
        if (request.getFromSequence() == 0 && coherence.caches().contains(name)) {
            // Perhaps a new process: what its former life granted is believed until that lease
            // ends.
            throw new FarmException(
                    ErrorKind.NOT_READY, "follow", name, "the lease of its former life still runs");
        }
        // By following anew it says that nobody believes what it granted.
        List<Effect> dropped = new ArrayList<>();
        coherence.drop(name, dropped);
        effects.accept(dropped);

        Follower follower = new Follower(name, exchange.peer());
        follower.status =
                CacheStatus.newBuilder().setName(name).setAddress(request.getAddress()).build();
        follower.recallsDelegated = request.getRecallsDelegated();
        long base = coherence.openSequence() - 1;
        boolean resumes = canResume(request);
        if (!resumes) {
            follower.snapshot = new Snapshot(state);
        }
        followers.put(name, follower);
        coherence.admit(name, clock.nanoTime() + ServerLimits.CACHE_LEASE.toNanos());
        if (resumes) {
            // Before the answer, on the same line: with the answer it serves, and then it must know
            // of everything that others have been told.
            for (ChangeBatch batch : recent) {
                if (batch.getSequence() > request.getFromSequence()) {
                    sendPrepare(follower, batch);
                    if (batch.getSequence() <= coherence.completed()) {
                        sendCommit(follower, batch.getSequence());
                    }
                }
            }
        }
        exchange.reply(
                FollowReply.newBuilder()
                        .setEpoch(claim.epoch())
                        .setInstance(claim.instance())
                        .setSequence(resumes ? request.getFromSequence() : base)
                        .setLeaseMillis(leaseMillis())
                        .setSnapshotNeeded(!resumes)
                        .setLeader(identity.name())
                        .build());
        log.info(
                "cache {} follows from batch {}{}",
                name,
                resumes ? request.getFromSequence() : base,
                rows(follower.snapshot));
    }

    private static String rows(@Nullable Snapshot snapshot) {
        return snapshot == null ? "" : ", by a snapshot of about " + snapshot.rows() + " rows";
    }

    /** It holds a prefix of this leader's history, and what it lacks is still at hand. */
    private boolean canResume(FollowRequest request) {
        long from = request.getFromSequence();
        if (from == 0 || from > Math.max(coherence.completed(), firstSequence)) return false;
        boolean ours = request.getEpoch() == claim.epoch();
        boolean handedOver = request.getEpoch() == claim.epoch() - 1 && from <= firstSequence;
        if (!ours && !handedOver) return false;
        long oldest = recent.isEmpty() ? coherence.openSequence() : recent.peek().getSequence();
        return from + 1 >= oldest;
    }

    private void snapshot(Exchange<SnapshotRequest, SnapshotReply> exchange) {
        requireMetaserver(exchange);
        Follower found = null;
        for (Follower candidate : followers.values()) {
            if (candidate.peer == exchange.peer()) found = candidate;
        }
        Follower follower = found;
        if (follower == null || follower.snapshot == null) {
            throw new FarmException(ErrorKind.NOT_FOUND, "snapshot", "", "follow first");
        }
        if (exchange.request().getCookie() != follower.pagesSent) {
            throw new FarmException(ErrorKind.INVALID, "snapshot", "", "pages come once, in order");
        }
        Snapshot.Page page = follower.snapshot.next();
        boolean end = follower.snapshot.isEnd();
        if (end) follower.snapshot = null;
        long visibleFrom = batches.lastWithContent();
        SnapshotReply reply =
                SnapshotReply.newBuilder()
                        .addAllChanges(page.changes())
                        .setCookie(++follower.pagesSent)
                        .setEnd(end)
                        .setSequence(visibleFrom)
                        .addAllOutcomes(page.outcomes())
                        .build();
        // What the snapshot holds may be shown when the last page is there, so that page waits for
        // it.
        if (end) batches.afterVisible(visibleFrom, () -> exchange.reply(reply));
        else exchange.reply(reply);
    }

    private void lease(Exchange<CacheStatus, CacheLeaseReply> exchange) {
        requireMetaserver(exchange);
        CacheStatus status = exchange.request();
        Follower follower = followers.get(status.getName());
        boolean known =
                follower != null
                        && follower.peer == exchange.peer()
                        && coherence.renew(
                                status.getName(),
                                clock.nanoTime() + ServerLimits.CACHE_LEASE.toNanos());
        if (follower != null && known) follower.status = status;
        exchange.reply(
                CacheLeaseReply.newBuilder()
                        .setLeaseMillis(known ? leaseMillis() : 0)
                        .setFollowAgain(!known)
                        .build());
    }

    private int leaseMillis() {
        return (int) tenure.left(ServerLimits.CACHE_LEASE).toMillis();
    }

    /** Sends a closed batch to those in the set. */
    void prepare(ChangeBatch batch, Set<String> members) {
        recent.add(batch);
        recentBytes += batch.getSerializedSize();
        while (recent.size() > ServerLimits.RECENT_BATCHES_MAX || recentBytes > recentBytesMax) {
            recentBytes -= recent.remove().getSerializedSize();
        }
        for (Follower follower : followers.values()) {
            if (members.contains(follower.name)) sendPrepare(follower, batch);
        }
    }

    private void sendPrepare(Follower follower, ChangeBatch batch) {
        follower.peer
                .callPlain(
                        MetadataMethods.PREPARE,
                        PrepareBatch.newBuilder().setBatch(batch).build(),
                        ServerLimits.RECALL_DEADLINE)
                .whenComplete((reply, failure) -> {
                    if (failure == null) {
                        events.runOrSubmit(() -> marked(follower, reply.getSequence()));
                    } else {
                        log.debug("prepare at {}: {}", follower.name, failure.getMessage());
                    }
                });
    }

    private void marked(Follower follower, long sequence) {
        if (followers.get(follower.name) != follower) return;
        List<Effect> done = new ArrayList<>();
        coherence.marked(follower.name, sequence, done);
        effects.accept(done);
    }

    void committed(long sequence) {
        for (Follower follower : followers.values()) sendCommit(follower, sequence);
    }

    private static void sendCommit(Follower follower, long sequence) {
        follower.peer
                .callPlain(
                        MetadataMethods.COMMIT,
                        CommitBatch.newBuilder().setSequence(sequence).build(),
                        ServerLimits.RECALL_DEADLINE)
                .whenComplete((reply, failure) -> {
                    if (failure != null) {
                        log.debug("commit at {}: {}", follower.name, failure.getMessage());
                    }
                });
    }

    /** Its lease ran out while it stayed silent: it starts over when it is heard of again. */
    void dropped(String name) {
        Follower follower = followers.remove(name);
        if (follower != null)
            log.warn("cache {} is silent or starts over: no longer waited for", name);
    }

    /** None of them is of a version that would go on believing what a delegation takes away. */
    boolean recallDelegated() {
        return followers.values().stream().allMatch(follower -> follower.recallsDelegated);
    }

    List<CacheStatus> statuses() {
        List<CacheStatus> all = new ArrayList<>();
        for (Follower follower : followers.values()) all.add(follower.status);
        return all;
    }

    void stop() {
        followers.clear();
    }
}

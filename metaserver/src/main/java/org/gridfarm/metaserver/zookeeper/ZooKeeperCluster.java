package org.gridfarm.metaserver.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.framework.state.SessionConnectionStateErrorPolicy;
import org.apache.curator.retry.RetryForever;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.gridfarm.metaserver.server.state.Cluster;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NameText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Election by Curator's leader latch, membership by ephemeral nodes {@code PATH/members/NAME}.
 *
 * <p>A connection that is merely suspended changes nothing until the session is lost; then the
 * leader has to ask elsewhere whether it still leads, until it is elected again. Callbacks come one
 * at a time.
 */
public final class ZooKeeperCluster implements Cluster {
    private static final Logger log = LoggerFactory.getLogger(ZooKeeperCluster.class);
    private static final int RETRY_MILLIS = 200;
    private static final Duration LEAVE_MAX = Duration.ofSeconds(1);
    private static final String MEMBERS = "/members";
    private static final String ELECTION = "/leader";

    /** Far longer than a first connection takes. */
    private static final int FIRST_ANSWER_SECONDS = 10;

    private final ZooKeeperSettings settings;
    private final CuratorFramework client;
    private final OwnEntries entries;
    private final Object lock = new Object();
    private @Nullable LeaderLatch latch; // guarded by lock
    private @Nullable PersistentNode own; // guarded by lock
    private @Nullable CuratorCache members;
    private @Nullable Listener listener;
    private String name = "";

    /** When those entries were written that say nothing and of which that was told. */
    private volatile Set<Long> damaged = Set.of();

    private volatile boolean closing;

    /** Its latch has the lead, as far as it knows. */
    private volatile boolean leading;

    private ZooKeeperCluster(
            ZooKeeperSettings settings, CuratorFramework client, OwnEntries entries) {
        this.settings = settings;
        this.client = client;
        this.entries = entries;
    }

    /** Connects in the background once it is started: ZooKeeper may come up after this server. */
    public static ZooKeeperCluster connect(ZooKeeperSettings settings) {
        int session = (int) settings.session().toMillis();
        OwnEntries entries = new OwnEntries(settings.path(), settings.password().isPresent());
        CuratorFrameworkFactory.Builder builder =
                CuratorFrameworkFactory.builder()
                        .connectString(settings.connect())
                        .namespace(settings.path().substring(1))
                        .sessionTimeoutMs(session)
                        .connectionTimeoutMs(Math.max(1000, session / 2))
                        .retryPolicy(new RetryForever(RETRY_MILLIS))
                        // Suspension is noticed two thirds of a session after the last answer;
                        // with the last third gone ZooKeeper itself lets another lead.
                        .simulatedSessionExpirationPercent(33)
                        .connectionStateErrorPolicy(new SessionConnectionStateErrorPolicy())
                        .aclProvider(entries);
        settings.password()
                .ifPresent(password -> builder.authorization("digest", identity(password)));
        settings.tls().ifPresent(tls -> builder.zkClientConfig(ZooKeeperTls.settings(tls)));
        return new ZooKeeperCluster(settings, builder.build(), entries);
    }

    /** Until there was a connection nothing is said of one that is lost. */
    private void tellOfSilence() {
        try {
            if (!client.blockUntilConnected(FIRST_ANSWER_SECONDS, TimeUnit.SECONDS) && !closing) {
                log.warn("ZooKeeper at {} has not answered yet", settings.connect());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] identity(String password) {
        return ("gridfarm:" + password).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void start(Member self, boolean candidate, Listener heard) {
        listener = heard;
        name = self.name();
        client.getConnectionStateListenable()
                .addListener((c, state) -> {
                    if (closing) return;
                    switch (state) {
                        case CONNECTED, RECONNECTED -> {
                            log.info("ZooKeeper at {} answers", settings.connect());
                            Thread.ofVirtual().name("close-entries").start(this::closeEntries);
                            heard.reachable(true);
                        }
                        case SUSPENDED -> {
                            log.warn(
                                    "ZooKeeper at {} cannot be reached; going on while the session allows",
                                    settings.connect());
                            heard.reachable(false);
                        }
                        case LOST -> log.warn("the ZooKeeper session is lost");
                        case READ_ONLY -> log.warn("ZooKeeper is read-only");
                    }
                });
        client.start(); // from here on: that it is connected is said once
        Thread.ofVirtual().name("first-answer").start(this::tellOfSilence);
        synchronized (lock) {
            PersistentNode node =
                    new PersistentNode(
                            client,
                            CreateMode.EPHEMERAL,
                            false,
                            MEMBERS + "/" + self.name(),
                            MemberEntry.encode(self));
            node.start();
            own = node;
        }
        CuratorCache cache = CuratorCache.build(client, MEMBERS);
        cache.listenable().addListener((type, before, after) -> heard.members(membersIn(cache)));
        cache.start();
        members = cache;
        if (candidate) stand();
    }

    private void closeEntries() {
        if (!closing) entries.close(client);
    }

    private void stand() {
        LeaderLatch standing = new LeaderLatch(client, ELECTION, name);
        standing.addListener(
                new LeaderLatchListener() {
                    @Override
                    public void isLeader() {
                        if (closing) return;
                        leading = true;
                        watch(standing);
                        heard().elected();
                    }

                    @Override
                    public void notLeader() {
                        leading = false;
                        if (!closing) heard().lost();
                    }
                });
        try {
            standing.start();
        } catch (Exception e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "stand for election at",
                    settings.connect(),
                    String.valueOf(e.getMessage()),
                    e);
        }
        synchronized (lock) {
            latch = standing;
        }
    }

    /**
     * A leader's latch looks at nobody's node; that its own goes when it is vacated is to be seen.
     */
    private void watch(LeaderLatch standing) {
        CuratorWatcher watcher =
                event -> {
                    if (event.getType() == Watcher.Event.EventType.NodeDeleted) vacated(standing);
                };
        try {
            client.checkExists()
                    .usingWatcher(watcher)
                    .inBackground((c, answer) -> {
                        if (answer.getResultCode() == KeeperException.Code.NONODE.intValue())
                            vacated(standing);
                    })
                    .forPath(standing.getOurPath());
        } catch (Exception e) {
            log.warn("watching the place of the leader: {}", e.getMessage());
        }
    }

    private void vacated(LeaderLatch standing) {
        boolean mine;
        synchronized (lock) {
            // A latch that lost its session gives its place up itself.
            mine = latch == standing && leading && !closing;
        }
        if (!mine) return;
        heard().deposed("another server found this one's address closed");
        Thread.ofVirtual().name("resign").start(this::resign); // the latch itself has not noticed
    }

    private Listener heard() {
        Listener known = listener;
        if (known == null) throw new IllegalStateException("not started");
        return known;
    }

    @Override
    public void announce(Member self) {
        synchronized (lock) {
            PersistentNode node = own;
            if (node == null) return;
            try {
                node.setData(MemberEntry.encode(self));
            } catch (Exception e) {
                // The node is written again with the latest data when the connection is back.
                log.warn("announcing {} failed: {}", self.role(), e.getMessage());
            }
        }
    }

    @Override
    public void resign() {
        LeaderLatch standing;
        synchronized (lock) {
            standing = latch;
            latch = null;
        }
        leading = false;
        if (standing == null || closing) return;
        try {
            standing.close(LeaderLatch.CloseMode.SILENT);
        } catch (IOException | IllegalStateException e) {
            log.warn("resigning: {}", e.getMessage());
        }
        removeLeftOvers();
        if (!closing) stand();
    }

    @Override
    public void vacate(Member leader) {
        synchronized (lock) {
            if (latch == null || closing) return; // it stands for nothing
        }
        log.info("{} at {} has ended; its place is free", leader.name(), leader.address());
        Thread.ofVirtual().name("vacate").start(() -> removeLatches(leader.name()));
    }

    /**
     * A latch that was reset while its session was lost may leave a node that nobody leads by, and
     * that all others wait for as long as the new session lasts.
     */
    private void removeLeftOvers() {
        removeLatches(name);
    }

    private void removeLatches(String holder) {
        try {
            for (String child : client.getChildren().forPath(ELECTION)) {
                String path = ELECTION + "/" + child;
                try {
                    byte[] id = client.getData().forPath(path);
                    if (holder.equals(new String(id, StandardCharsets.UTF_8))) {
                        client.delete().forPath(path);
                    }
                } catch (KeeperException.NoNodeException e) {
                    log.debug("{} is gone by itself", path);
                }
            }
        } catch (Exception e) {
            log.warn("looking for what is left of an election: {}", e.getMessage());
        }
    }

    private List<Member> membersIn(CuratorCache cache) {
        List<Member> found = new ArrayList<>();
        Set<Long> wrong = new HashSet<>();
        cache.stream()
                .filter(entry -> !entry.getPath().equals(MEMBERS))
                .forEach(entry -> decode(entry, wrong).ifPresent(found::add));
        damaged = wrong;
        found.sort(Comparator.comparing(Member::name));
        return found;
    }

    /** A damaged entry must not hide the others. */
    private Optional<Member> decode(ChildData entry, Set<Long> wrong) {
        String name = entry.getPath().substring(MEMBERS.length() + 1);
        try {
            byte[] bytes = entry.getData();
            return Optional.of(MemberEntry.decode(name, bytes == null ? new byte[0] : bytes));
        } catch (IllegalArgumentException e) {
            long written = entry.getStat().getMzxid();
            wrong.add(written);
            if (!damaged.contains(written)) {
                log.warn(
                        "ZooKeeper's entry {} is ignored: {}",
                        NameText.shown(entry.getPath()),
                        e.getMessage());
            }
            return Optional.empty();
        }
    }

    /** Whether the session with ZooKeeper stands. */
    public boolean isConnected() {
        return client.getZookeeperClient().isConnected();
    }

    /**
     * Others need not wait for the end of the session where ZooKeeper answers; where it does not,
     * nobody waits for it.
     */
    @Override
    public void close() {
        closing = true;
        Thread leaving = Thread.ofVirtual().name("leave").start(this::leave);
        try {
            leaving.join(LEAVE_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        client.close();
    }

    private void leave() {
        synchronized (lock) {
            closeQuietly(latch);
            closeQuietly(members);
            closeQuietly(own);
        }
    }

    private static void closeQuietly(@Nullable AutoCloseable closeable) {
        if (closeable == null) return;
        try {
            closeable.close();
        } catch (Exception e) {
            log.debug("closing: {}", e.getMessage());
        }
    }
}

package org.gridfarm.scheduler.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.gridfarm.protocol.config.PemFiles;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Stands for election and tells once when it is won. Losing it again changes nothing here: the
 * epoch in PostgreSQL decides who may write, so a scheduler goes on while ZooKeeper is away and
 * ends when another has taken over.
 */
public final class Election implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Election.class);
    private static final String ELECTION = "/schedulers";
    private static final int SESSION_MILLIS = 4_000;
    private static final int CONNECT_MILLIS = 4_000;

    /** Far longer than a first connection takes. */
    private static final int FIRST_ANSWER_SECONDS = 10;

    private final CuratorFramework zookeeper;
    private final LeaderLatch latch;

    private Election(CuratorFramework zookeeper, LeaderLatch latch) {
        this.zookeeper = zookeeper;
        this.latch = latch;
    }

    /**
     * @param name of this scheduler, for people who look into ZooKeeper
     * @param password of all schedulers; empty: anybody may depose this one
     * @param tls empty: in clear text
     * @param won called on a thread of ZooKeeper's client, at most once
     */
    public static Election stand(
            String connect,
            String path,
            Optional<String> password,
            Optional<PemFiles> tls,
            String name,
            Runnable won) {
        OwnEntries entries = new OwnEntries(path, password.isPresent());
        CuratorFrameworkFactory.Builder builder =
                CuratorFrameworkFactory.builder()
                        .connectString(connect)
                        .sessionTimeoutMs(SESSION_MILLIS)
                        .connectionTimeoutMs(CONNECT_MILLIS)
                        .retryPolicy(
                                new BoundedExponentialBackoffRetry(100, 2_000, Integer.MAX_VALUE))
                        .aclProvider(entries);
        password.ifPresent(secret -> builder.authorization("digest", identity(secret)));
        tls.ifPresent(means -> builder.zkClientConfig(ZooKeeperTls.settings(means)));
        CuratorFramework zookeeper = builder.build();
        zookeeper
                .getConnectionStateListenable()
                .addListener((client, state) -> {
                    if (state.isConnected()) {
                        Thread.ofVirtual().name("close-entries").start(() -> entries.close(client));
                    }
                });
        zookeeper.start();
        Thread.ofVirtual().name("first-answer").start(() -> tellOfSilence(zookeeper, connect));
        LeaderLatch latch = new LeaderLatch(zookeeper, path + ELECTION, name);
        java.util.concurrent.atomic.AtomicBoolean told =
                new java.util.concurrent.atomic.AtomicBoolean();
        latch.addListener(
                new LeaderLatchListener() {
                    @Override
                    public void isLeader() {
                        if (told.compareAndSet(false, true)) {
                            won.run();
                        }
                    }

                    @Override
                    public void notLeader() {
                        log.warn(
                                "ZooKeeper does not confirm the leadership at the moment; going on until another scheduler has taken over");
                    }
                });
        try {
            latch.start();
        } catch (Exception e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "stand for election",
                    connect,
                    String.valueOf(e.getMessage()),
                    e);
        }
        return new Election(zookeeper, latch);
    }

    /** Nothing else is said of a ZooKeeper that was never reached. */
    private static void tellOfSilence(CuratorFramework zookeeper, String connect) {
        try {
            if (!zookeeper.blockUntilConnected(FIRST_ANSWER_SECONDS, TimeUnit.SECONDS)
                    && zookeeper.getState() == CuratorFrameworkState.STARTED) {
                log.warn("ZooKeeper at {} has not answered yet", connect);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static byte[] identity(String password) {
        return ("gridfarm:" + password).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        latch.close();
        zookeeper.close();
    }
}

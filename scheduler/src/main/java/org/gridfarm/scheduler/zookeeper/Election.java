package org.gridfarm.scheduler.zookeeper;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.retry.BoundedExponentialBackoffRetry;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/**
 * Stands for election and tells once when it is won. Losing it again changes nothing here: the
 * epoch in PostgreSQL decides who may write, so a scheduler goes on while ZooKeeper is away and
 * ends when another has taken over.
 */
public final class Election implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Election.class);
    private static final int SESSION_MILLIS = 4_000;
    private static final int CONNECT_MILLIS = 4_000;

    private final CuratorFramework zookeeper;
    private final LeaderLatch latch;

    private Election(CuratorFramework zookeeper, LeaderLatch latch) {
        this.zookeeper = zookeeper;
        this.latch = latch;
    }

    /**
     * @param name of this scheduler, for people who look into ZooKeeper
     * @param won called on a thread of ZooKeeper's client, at most once
     */
    public static Election stand(String connect, String path, String name, Runnable won) {
        CuratorFramework zookeeper =
                CuratorFrameworkFactory.newClient(
                        connect,
                        SESSION_MILLIS,
                        CONNECT_MILLIS,
                        new BoundedExponentialBackoffRetry(100, 2_000, Integer.MAX_VALUE));
        zookeeper.start();
        LeaderLatch latch = new LeaderLatch(zookeeper, path + "/schedulers", name);
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

    @Override
    public void close() throws IOException {
        latch.close();
        zookeeper.close();
    }
}

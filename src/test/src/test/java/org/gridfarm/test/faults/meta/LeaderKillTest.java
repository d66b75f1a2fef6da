package org.gridfarm.test.faults.meta;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.cli.cluster.Cluster;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * SIGKILL to the leader, again and again, while eight clients create, rename and delete, and at
 * last to every metaserver at once, so that nothing is left but the tables and the journal: every
 * acknowledged change is there afterwards, none is half done, and it is told how long nobody was
 * answered. {@code -Dgf.leader.kills=} says how often, {@code -Dgf.seed=} when and what.
 */
class LeaderKillTest {
    private static final int CLIENTS = 8;
    private static final long SEED = Tier.seed(1);
    private static final int KILLS = Tier.count("leader.kills");
    private static final int PATIENCE_SECONDS = 60;

    @Test
    void everyAcknowledgedChangeOutlivesItsLeader() throws Exception {
        List<Double> outages = new ArrayList<>();
        AtomicBoolean end = new AtomicBoolean();
        try (MetaFarm farm = MetaFarm.withoutMounts(1, 1);
                Pulse pulse = new Pulse(farm.clientConfig());
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<Worker>> workers = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Worker worker = new Worker(farm.clientConfig(), i, SEED + i);
                workers.add(threads.submit(() -> worker.work(end)));
            }
            try {
                killLeaders(farm, pulse, outages);
                killAll(farm, pulse);
            } finally {
                end.set(true); // or nobody could close the threads
            }
            long acknowledged = 0;
            for (Future<Worker> future : workers) {
                Worker worker = future.get();
                acknowledged += worker.acknowledged();
                assertThat(worker.faults()).as("seed %d", SEED).isEmpty();
            }
            Collections.sort(outages);
            System.out.printf(
                    "leader killed %d times (seed %d): %d acknowledged changes, outage p50 %.1f s, max %.1f s%n",
                    outages.size(),
                    SEED,
                    acknowledged,
                    outages.get(outages.size() / 2),
                    outages.getLast());
        }
        assertThat(outages).hasSize(KILLS);
    }

    private static void killLeaders(MetaFarm farm, Pulse pulse, List<Double> outages)
            throws Exception {
        Random random = new Random(SEED);
        CountDownLatch never = new CountDownLatch(1);
        while (outages.size() < KILLS) {
            never.await(random.nextInt(2000), TimeUnit.MILLISECONDS);
            String leader = farm.leader();
            long pid = farm.pid(leader); // asks every process: not within what is measured
            long killed = System.nanoTime();
            Syscalls.kill(pid, Syscalls.SIGKILL);
            outages.add(pulse.outage(killed, PATIENCE_SECONDS));
            farm.cluster().restart(leader);
        }
    }

    private static void killAll(MetaFarm farm, Pulse pulse) throws Exception {
        List<Cluster.ComponentStatus> servers = farm.metaservers();
        long killed = System.nanoTime();
        servers.forEach(server -> Syscalls.kill(server.pid(), Syscalls.SIGKILL));
        servers.forEach(server -> farm.cluster().restart(server.name()));
        pulse.outage(killed, PATIENCE_SECONDS);
    }
}

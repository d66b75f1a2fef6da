package org.gridfarm.test.faults;

import static org.awaitility.Awaitility.await;

import org.gridfarm.client.mount.takeover.Supervisor;
import org.gridfarm.test.cluster.ShellBeside;
import org.gridfarm.test.cluster.TestFarm;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Kills or stops one process of a farm after the other, whichever it is, and lets it run again. */
final class ProcessFaults implements Campaign.Harm, AutoCloseable {
    private static final int AWAY_MILLIS_MAX = 2_000;

    /** Most stops are short, one in four outlasts every lease and every patience of a chain. */
    private static final int LONG_STOP_MILLIS = 4_000;

    private static final int LONG_STOP_MORE_MILLIS = 2_000;

    private static final Duration SERVED_MAX = Duration.ofMinutes(1);

    /** What is done, and how often in a deck. */
    private enum Kind {
        KILL_METASERVER(5),
        STOP_METASERVER(4),
        KILL_NODE(3),
        STOP_NODE(3),
        KILL_MOUNT(4),
        STOP_MOUNT(2),
        KILL_SCHEDULER(2),
        KILL_DATABASE(2),
        KILL_ZOOKEEPER(1),
        STOP_ZOOKEEPER(1);

        final int inDeck;

        Kind(int inDeck) {
            this.inDeck = inDeck;
        }
    }

    private final TestFarm farm;
    private final ShellBeside shell;
    private final Random random;
    private final Deck<Kind> deck;
    private final List<String> metaservers;
    private final List<String> nodes;
    private final List<String> schedulers;
    private final List<Path> mounts;

    ProcessFaults(
            TestFarm farm,
            long seed,
            List<String> metaservers,
            List<String> nodes,
            List<String> schedulers,
            List<Path> mounts)
            throws IOException {
        this.farm = farm;
        this.shell = farm.shellBeside();
        this.random = new Random(seed);
        this.metaservers = metaservers;
        this.nodes = nodes;
        this.schedulers = schedulers;
        this.mounts = mounts;
        this.deck = new Deck<>(Kind.class, this::inDeck, random);
    }

    private int inDeck(Kind kind) {
        return kind == Kind.KILL_SCHEDULER && schedulers.isEmpty() ? 0 : kind.inDeck;
    }

    @Override
    public String one() throws IOException {
        Kind kind = deck.next();
        String what =
                switch (kind) {
                    case KILL_METASERVER -> killed(one(metaservers));
                    case STOP_METASERVER -> stopped(one(metaservers));
                    case KILL_NODE -> killed(one(nodes));
                    case STOP_NODE -> stopped(one(nodes));
                    case KILL_MOUNT -> killed(one(mounts));
                    case STOP_MOUNT -> stopped(one(mounts));
                    case KILL_SCHEDULER -> killed(one(schedulers));
                    case KILL_DATABASE -> killed("postgres");
                    case KILL_ZOOKEEPER -> killed("zookeeper");
                    case STOP_ZOOKEEPER -> stopped("zookeeper");
                };
        deck.done(kind);
        Campaign.pause(random.nextInt(AWAY_MILLIS_MAX));
        return what;
    }

    private <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private String killed(String process) throws IOException {
        int millis = random.nextInt(AWAY_MILLIS_MAX);
        shell.run("kill -KILL %d && sleep %s".formatted(farm.pid(process), seconds(millis)));
        shell.run("\"$@\" cluster restart %s --dir %s".formatted(process, farm.directory()));
        return process + " killed, started again after " + millis + " ms";
    }

    private String stopped(String process) throws IOException {
        return process + " stopped for " + stopped(farm.pid(process)) + " ms";
    }

    private static String killed(Path mount) {
        server(mount).destroyForcibly();
        return mount + " killed";
    }

    private String stopped(Path mount) throws IOException {
        return mount + " stopped for " + stopped(server(mount).pid()) + " ms";
    }

    /** The process that serves the mount, once there is one again. */
    private static ProcessHandle server(Path mount) {
        Supervisor supervisor = Supervisor.of(mount);
        await("a process that serves " + mount)
                .atMost(SERVED_MAX)
                .until(() -> supervisor.server().filter(ProcessHandle::isAlive).isPresent());
        return supervisor.server().orElseThrow();
    }

    private int stopped(long pid) throws IOException {
        boolean isLong = random.nextInt(4) == 0;
        int millis =
                isLong
                        ? LONG_STOP_MILLIS + random.nextInt(LONG_STOP_MORE_MILLIS)
                        : random.nextInt(AWAY_MILLIS_MAX);
        // Of a mount that is silent for long, another process may go on meanwhile.
        shell.run(
                "kill -STOP %1$d && sleep %2$s; kill -CONT %1$d || true"
                        .formatted(pid, seconds(millis)));
        return millis;
    }

    private static String seconds(int millis) {
        return "%d.%03d".formatted(millis / 1000, millis % 1000);
    }

    @Override
    public void close() throws IOException {
        shell.close();
    }

    @Override
    public String toString() {
        return deck.toString();
    }
}

package org.gridfarm.test.faults;

import static org.awaitility.Awaitility.await;

import org.awaitility.core.ConditionTimeoutException;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.storagenode.checksum.SumFile;
import org.gridfarm.storagenode.checksum.SumHeader;
import org.gridfarm.test.cluster.TestFarm;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.StringReader;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.Set;

/** Does harm to one storage node after the other, and makes it good again. */
final class NodeFaults implements Campaign.Harm {
    /** Its replicas are never flipped: the kernel reads them without the node. */
    static final String ATTACHED = "n1";

    /** From the last change of a replica until its sums lie beside it, whatever the disks do. */
    private static final Duration SUMS_AFTER_MAX = Duration.ofSeconds(20);

    private final TestFarm farm;
    private final Gridfarm client;
    private final Oracle oracle;
    private final Random random;
    private final List<String> nodes;
    private final Optional<Path> smallDisk;
    private final FailingSync failingSync;
    private final Set<String> flipped = new HashSet<>();
    private final Deck<Kind> deck;

    NodeFaults(
            TestFarm farm,
            Gridfarm client,
            Oracle oracle,
            long seed,
            List<String> nodes,
            Optional<Path> smallDisk,
            FailingSync failingSync) {
        this.failingSync = failingSync;
        this.farm = farm;
        this.client = client;
        this.oracle = oracle;
        this.random = new Random(seed);
        this.deck = new Deck<>(Kind.class, kind -> kind.inDeck, random);
        this.nodes = nodes;
        this.smallDisk = smallDisk;
    }

    /** What is done, and how often in a deck of twenty. */
    private enum Kind {
        FLIP(6),
        CUT(5),
        STOP(4),
        KILL(3),
        FULL(1),
        SYNC(1);

        final int inDeck;

        Kind(int inDeck) {
            this.inDeck = inDeck;
        }
    }

    @Override
    public String one() throws IOException {
        Kind kind = deck.next();
        boolean cannot =
                (kind == Kind.FULL && smallDisk.isEmpty())
                        || (kind == Kind.SYNC && !failingSync.isPossible());
        Kind done = cannot ? Kind.KILL : kind;
        String node = nodes.get(random.nextInt(nodes.size()));
        String what =
                switch (done) {
                    case FLIP -> flip();
                    case CUT -> cut(node);
                    case STOP -> stopped(node);
                    case KILL -> killed(node);
                    case FULL -> full(smallDisk.orElseThrow());
                    case SYNC -> syncFails(node);
                };
        deck.done(done);
        return what;
    }

    /** How often each was done. */
    @Override
    public String toString() {
        return deck.toString();
    }

    private String killed(String node) {
        farm.kill(node, "KILL");
        Campaign.pause(random.nextInt(2_000));
        farm.restart(node);
        return node + " killed";
    }

    private String stopped(String node) {
        // Most are short, some outlast every patience of a chain.
        int millis = random.nextInt(4) == 0 ? 4_000 + random.nextInt(3_000) : random.nextInt(2_000);
        farm.kill(node, "STOP");
        Campaign.pause(millis);
        farm.kill(node, "CONT");
        return node + " stopped for " + millis + " ms";
    }

    /**
     * Its disk writes nothing through any more, until it is replaced and the node started again.
     */
    private String syncFails(String node) throws IOException {
        failingSync.below(farm.directory().resolve(node));
        Campaign.pause(500 + random.nextInt(1_000));
        failingSync.end();
        farm.kill(node, "KILL");
        farm.restart(node);
        return node + " could not fsync";
    }

    /** All connections of its port are reset. */
    private String cut(String node) throws IOException {
        Properties running = new Properties();
        running.load(
                new StringReader(
                        Files.readString(
                                farm.directory().resolve("run").resolve(node + ".properties"))));
        String address = running.getProperty("rpc");
        String port = address.substring(address.lastIndexOf(':') + 1);
        farm.run(List.of("ss", "-K", "state", "established", "sport", "=", ":" + port));
        Campaign.pause(300);
        return node + " cut off";
    }

    private String full(Path disk) throws IOException {
        Path ballast = disk.resolve("ballast");
        farm.run(List.of("fallocate", "-l", "1T", ballast.toString()));
        farm.run(
                List.of(
                        "sh",
                        "-c",
                        "dd if=/dev/zero of=" + ballast + " bs=1M status=none || true"));
        Campaign.pause(500 + random.nextInt(2_000));
        Files.deleteIfExists(ballast);
        return disk + " full";
    }

    /** One bit of one replica of a file that has another one and is not being changed. */
    private String flip() throws IOException {
        String name = oracle.take(random).orElse(null);
        if (name == null) {
            return "nothing to flip";
        }
        Layout layout;
        try {
            layout = client.where(FarmPath.of("/" + name));
        } catch (FarmException e) {
            oracle.giveBack(name);
            return "cannot flip: " + e.getMessage();
        }
        List<Replica> good =
                layout.getObjectsCount() == 0
                        ? List.of()
                        : layout.getObjects(0).getReplicasList().stream()
                                .filter(r -> r.getLive() && r.getState() == ReplicaState.VALID)
                                .toList();
        Optional<Replica> victim =
                good.stream().filter(r -> !r.getNode().equals(ATTACHED)).findFirst();
        if (good.size() < 2 || victim.isEmpty()) {
            oracle.giveBack(name);
            return "too few replicas to flip";
        }
        // It stays taken: a change could leave the damaged replica as the only one.
        Optional<Path> replica =
                farm.replica(victim.get().getNode(), layout.getObjects(0).getObject());
        if (replica.isEmpty() || Files.size(replica.get()) == 0) {
            return "no bytes to flip";
        }
        // Until then nobody could tell, if the node died as well.
        if (!isSummedSoon(replica.get())) {
            oracle.fault(name + " has no sums at " + victim.get().getNode());
            return "no sums of " + name;
        }
        if (!Files.exists(replica.get())) {
            return "it moved";
        }
        try (RandomAccessFile file = new RandomAccessFile(replica.get().toFile(), "rw")) {
            flipped.add(name);
            long at = (long) (random.nextDouble() * file.length());
            file.seek(at);
            int octet = file.read();
            file.seek(at);
            file.write(octet ^ (1 << random.nextInt(8)));
            return "bit in byte " + at + " of " + name + " at " + victim.get().getNode();
        }
    }

    private static boolean isSummedSoon(Path replica) {
        try {
            await().atMost(SUMS_AFTER_MAX)
                    .until(() -> {
                        try (SumFile sums = new SumFile(FileChannel.open(Damage.sums(replica)))) {
                            SumHeader header = sums.readHeader();
                            return header != null && !header.isOpen();
                        } catch (NoSuchFileException e) {
                            return !Files.exists(replica); // it moved to another node
                        }
                    });
            return true;
        } catch (ConditionTimeoutException e) {
            return false;
        }
    }

    boolean isFlipped(String name) {
        return flipped.contains(name);
    }
}

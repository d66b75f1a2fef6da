package org.gridfarm.test.faults;

import static org.awaitility.Awaitility.await;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.test.cluster.TestFarm;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** Does harm to one storage node after the other, and makes it good again. */
final class NodeFaults {
    /** Its replicas are never flipped: the kernel reads them without the node. */
    static final String ATTACHED = "n1";

    private final TestFarm farm;
    private final Gridfarm client;
    private final Oracle oracle;
    private final Random random;
    private final List<String> nodes;
    private final Optional<Path> smallDisk;
    private final Set<String> flipped = new HashSet<>();

    NodeFaults(
            TestFarm farm,
            Gridfarm client,
            Oracle oracle,
            long seed,
            List<String> nodes,
            Optional<Path> smallDisk) {
        this.farm = farm;
        this.client = client;
        this.oracle = oracle;
        this.random = new Random(seed);
        this.nodes = nodes;
        this.smallDisk = smallDisk;
    }

    /** One fault, over when this returns; what it was. */
    String one() throws IOException {
        String node = nodes.get(random.nextInt(nodes.size()));
        int dice = random.nextInt(100);
        if (dice < 30) {
            return flip();
        }
        if (dice < 50) {
            return cut(node);
        }
        if (dice < 70) {
            return stopped(node);
        }
        return dice < 90 || smallDisk.isEmpty() ? killed(node) : full(smallDisk.get());
    }

    private String killed(String node) {
        farm.signal(node, "KILL");
        pause(random.nextInt(2_000));
        farm.startOne(node);
        return node + " killed";
    }

    private String stopped(String node) {
        int millis = 500 + random.nextInt(4_500);
        farm.signal(node, "STOP");
        pause(millis);
        farm.signal(node, "CONT");
        return node + " stopped for " + millis + " ms";
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
        pause(300);
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
        pause(500 + random.nextInt(2_000));
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
        Optional<Path> replica = replica(victim.get().getNode(), layout.getObjects(0).getObject());
        if (replica.isEmpty() || Files.size(replica.get()) == 0) {
            return "no bytes to flip";
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

    boolean isFlipped(String name) {
        return flipped.contains(name);
    }

    /** The plain file of a replica. */
    Optional<Path> replica(String node, ObjectId object) throws IOException {
        String file =
                Long.toHexString(object.getInode())
                        + "."
                        + object.getStripe()
                        + "."
                        + Integer.toUnsignedString(object.getGeneration());
        List<Path> found = new ArrayList<>();
        try (Stream<Path> all =
                Files.walk(farm.directory().resolve(node).resolve("data").resolve("objects"))) {
            all.filter(path -> path.getFileName().toString().equals(file)).forEach(found::add);
        } catch (java.io.UncheckedIOException e) {
            return Optional.empty(); // a directory went away while we looked
        }
        return found.stream().findFirst();
    }

    /** A fault lasts: time itself is what is waited for. */
    private static void pause(int millis) {
        long until = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        await().pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofMillis(millis + 10_000L))
                .until(() -> System.nanoTime() >= until);
    }
}

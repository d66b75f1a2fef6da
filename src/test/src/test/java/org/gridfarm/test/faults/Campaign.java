package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.awaitility.core.ConditionTimeoutException;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.test.cluster.TestFarm;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Faults of a farm while files are written, appended to, read, changed and renamed, and what must
 * be true of the files afterwards.
 */
final class Campaign {
    private static final Duration CALL_MAX = Duration.ofSeconds(10);

    /** On a busy machine the last answer may be a while on its way. */
    private static final Duration SLACK = Duration.ofSeconds(3);

    /** Does one kind of harm after the other. */
    interface Harm {
        /** One fault, over when this returns; what it was. */
        String one() throws IOException;
    }

    private final TestFarm farm;
    private final Gridfarm client;
    private final Oracle oracle;
    private final long seed;
    private final Load.Count count = new Load.Count();

    Campaign(TestFarm farm, Gridfarm client, Oracle oracle, long seed) {
        this.farm = farm;
        this.client = client;
        this.oracle = oracle;
        this.seed = seed;
    }

    /**
     * A load through each door; no call may take longer than its deadline, nothing wrong be read.
     */
    void underLoad(List<? extends Door> doors, int faults, Harm harm) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> loads = new ArrayList<>();
        for (int i = 0; i < doors.size(); i++) {
            Load load =
                    new Load(doors.get(i), oracle, seed + i + 1, Integer.toString(i), count, stop);
            loads.add(Thread.ofPlatform().name("load-" + i).start(load));
        }
        try {
            for (int i = 0; i < faults && oracle.faults().isEmpty(); i++) {
                System.out.println("fault " + i + ": " + harm.one());
            }
            System.out.println(harm);
        } finally {
            stop.set(true);
            for (Thread load : loads) {
                load.join();
            }
            System.out.println(count);
        }
        assertThat(oracle.faults()).isEmpty();
        assertThat(count.done.get()).as("calls that were done").isGreaterThan(faults);
        assertThat(count.slowestTook())
                .as("slowest call: %s, %s", count.slowest(), count.slowestTook())
                .isLessThan(CALL_MAX.plus(SLACK));
    }

    /** A fault lasts: time itself is what is waited for. */
    static void pause(int millis) {
        long until = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        await().pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofMillis(millis + 10_000L))
                .until(() -> System.nanoTime() >= until);
    }

    void levelIsRestored() throws IOException {
        try {
            await("level restored")
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofSeconds(1))
                    .ignoreExceptionsInstanceOf(FarmException.class) // nobody leads yet
                    .untilAsserted(() -> {
                        ClusterStatusReply status = farm.status();
                        assertThat(status.getReplicasLost()).isZero();
                        assertThat(status.getReplicasAway()).isZero();
                        assertThat(status.getReplicasUnder()).isZero();
                    });
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("under their level:\n" + underLevel(), e);
        }
    }

    private String underLevel() throws IOException {
        StringBuilder under = new StringBuilder(farm.status().toString()).append('\n');
        for (String name : oracle.names()) {
            Layout layout = client.where(FarmPath.of("/" + name));
            boolean hasAll =
                    layout.getObjectsCount() == 0
                            || layout.getObjects(0).getReplicasList().stream()
                                            .filter(replica ->
                                                    replica.getState() == ReplicaState.VALID
                                                            && replica.getLive())
                                            .count()
                                    >= 2;
            if (!hasAll) {
                under.append(name).append(": ").append(whatIsKnown(name)).append('\n');
            }
        }
        return under.toString();
    }

    void everythingIsThere(List<? extends Door> doors) throws IOException {
        List<String> wrong = new ArrayList<>();
        for (String name : oracle.names()) {
            Expected expected = oracle.of(name);
            for (Door door : doors) {
                String fault = expected == null ? null : fault(door, name, expected);
                if (fault != null) {
                    wrong.add(String.join(" ", name, "by", door + ":", fault, whatIsKnown(name)));
                }
            }
        }
        assertThat(wrong).isEmpty();
        System.out.println(oracle.names().size() + " files are as they should be");
    }

    private String whatIsKnown(String name) throws IOException {
        TestFarm.Result sum = farm.tryGf("sum", "--verify", "/" + name);
        Layout layout = client.where(FarmPath.of("/" + name));
        return String.join(
                "\n",
                "gf why: " + farm.tryGf("why", farm.mount().resolve(name).toString()).output(),
                "gf sum: " + sum.output() + sum.errors(),
                "layout: " + layout,
                layout.getObjectsCount() == 0 ? "" : said(layout.getObjects(0).getObject()));
    }

    /** By all processes, of that file. */
    private String said(ObjectId object) throws IOException {
        Pattern file = Pattern.compile("\\b" + Long.toHexString(object.getInode()) + "\\b");
        StringBuilder said = new StringBuilder();
        try (Stream<Path> logs = Files.list(farm.directory().resolve("log"))) {
            for (Path log : logs.toList()) {
                try (Stream<String> lines = Files.lines(log)) {
                    lines.filter(file.asPredicate())
                            .forEach(line ->
                                    said.append(log.getFileName())
                                            .append(": ")
                                            .append(line)
                                            .append('\n'));
                }
            }
        }
        return said.toString();
    }

    private static @Nullable String fault(Door door, String name, Expected expected) {
        try {
            return expected.fault(door.read(name));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** A flipped bit may still lie where nobody has read; else replicas are equal. */
    void replicasAgree(Predicate<String> isFlipped) throws IOException {
        List<String> wrong = new ArrayList<>();
        for (String name : oracle.names()) {
            Expected expected = oracle.of(name);
            Layout layout = client.where(FarmPath.of("/" + name));
            if (expected == null || layout.getObjectsCount() == 0) {
                continue;
            }
            int good = 0;
            int bad = 0;
            for (Replica replica : layout.getObjects(0).getReplicasList()) {
                if (replica.getState() != ReplicaState.VALID) {
                    continue;
                }
                Optional<Path> file =
                        farm.replica(replica.getNode(), layout.getObjects(0).getObject());
                boolean fits =
                        file.isPresent() && expected.fault(Files.readAllBytes(file.get())) == null;
                good += fits ? 1 : 0;
                bad += fits ? 0 : 1;
            }
            if (good < 1 || bad > (isFlipped.test(name) ? 1 : 0)) {
                wrong.add(name + ": " + good + " good and " + bad + " bad replicas");
            }
        }
        assertThat(wrong).isEmpty();
    }
}

package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.mount.takeover.Supervisor;
import org.gridfarm.test.cluster.TestFarm;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A host loses power while a program works in directories that its mount decides about by itself.
 * On other hosts is then what its first so many steps made, to the last of them; among these is all
 * that had been synced. A file is as it was written, or empty, or cannot be read, but never
 * anything else; what had been synced is as it was written.
 */
class HostCrashTest {
    private static final long SEED = 20261128;
    private static final int DISK_MEGABYTES = 512;
    private static final int LINES = 300;

    private static TestFarm farm;
    private static HostDisk disk;
    private static Path other;

    @BeforeAll
    static void start() throws IOException {
        assumeTrue(HostDisk.isPossible(), "disks need root and loop devices");
        Path directory = Files.createTempDirectory("gf-test-");
        Path data = directory.resolve("n1").resolve("data");
        disk = HostDisk.make(directory.resolve("n1.image"), data, DISK_MEGABYTES);
        farm = TestFarm.startOfNodes(directory, Map.of(), "--nodes", "2", "-o", "writebehind=born");
        other = farm.directory().resolve("other");
        farm.gf(
                "cluster",
                "mount",
                "--node",
                "n2",
                "--dir",
                directory.toString(),
                other.toString());
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.stop();
            disk.close();
            farm.close();
        }
    }

    @Test
    void whatIsLeftIsWhatTheFirstStepsMadeAndAllThatWasSynced() throws IOException {
        Random random = new Random(Tier.seed(SEED));
        int rounds = Tier.count("host.crashes");
        for (int round = 0; round < rounds; round++) {
            Path log = farm.directory().resolve("steps" + round);
            Path directory = Files.createDirectory(farm.mount().resolve("crash" + round));
            Process program = working(directory, log, random);
            crash();
            assertThat(program.onExit().join().exitValue()).isZero();
            farm.restart("n1");
            check(Steps.read(log), other.resolve(directory.getFileName()));
            farm.restart("mount");
        }
    }

    /** The host goes on, and with it what they had written into memory. */
    @Test
    void whoeverMountsAgainAtOnceTellsWhatAllProcessesOfTheMountHadNot() throws IOException {
        Random random = new Random(Tier.seed(SEED));
        int rounds = Tier.count("host.crashes");
        for (int round = 0; round < rounds; round++) {
            Path log = farm.directory().resolve("gone" + round);
            Path directory = Files.createDirectory(farm.mount().resolve("gone" + round));
            Process program = working(directory, log, random);
            farm.sh("kill -9 " + String.join(" ", mountProcesses()));
            assertThat(program.onExit().join().exitValue()).isZero();
            farm.restart("mount");
            Steps steps = Steps.read(log);
            Set<String> found = names(other.resolve(directory.getFileName()));
            int answered = steps.all().size() - 1;
            assertThat(List.of(found))
                    .as("after %d steps were answered: %s", answered, found)
                    .containsAnyOf(steps.after(answered), steps.after(answered + 1));
        }
    }

    private static Process working(Path directory, Path log, Random random) throws IOException {
        Process program =
                new ProcessBuilder(
                                "python3",
                                farm.program("until_crash.py"),
                                directory.toString(),
                                farm.mount().toString(),
                                Long.toString(random.nextLong()),
                                log.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(farm.directory().resolve("said").toFile())
                        .start();
        int lines = 300 + random.nextInt(3000);
        await("it has done enough")
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(1))
                .until(() -> Files.exists(log) && count(log) >= lines);
        return program;
    }

    private static long count(Path log) throws IOException {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.count();
        }
    }

    /** All processes of the host at once, and with them what its mount keeps in memory. */
    private static void crash() throws IOException {
        List<String> pids = new ArrayList<>(mountProcesses());
        pids.add(Long.toString(farm.pid("n1")));
        farm.sh("kill -9 " + String.join(" ", pids));
        farm.sh("umount -l " + farm.mount());
        disk.losePower();
        // In memory, like all of /run.
        farm.sh("rm -f /run/gridfarm/*" + farm.mount().toString().replaceAll("[^\\w.]", "-") + "*");
    }

    private static List<String> mountProcesses() {
        Supervisor supervisor = Supervisor.of(farm.mount());
        await("all of them are there")
                .atMost(Duration.ofMinutes(1))
                .until(() -> {
                    Optional<ProcessHandle> server = supervisor.server();
                    Optional<ProcessHandle> standby = supervisor.standby();
                    return server.isPresent() && standby.isPresent() && !server.equals(standby);
                });
        return Stream.of(supervisor.process(), supervisor.server(), supervisor.standby())
                .flatMap(Optional::stream)
                .map(process -> Long.toString(process.pid()))
                .distinct()
                .toList();
    }

    private static void check(Steps steps, Path directory) throws IOException {
        Set<String> found = names(directory);
        @Nullable Map<String, String> made = steps.thatMade(found);
        assertThat(made)
                .as(
                        "of %d steps, all before %d synced: %s",
                        steps.all().size(), steps.synced(), found)
                .isNotNull();
        Map<String, String> expected = Objects.requireNonNull(made);
        List<String> wrong = new ArrayList<>();
        for (Map.Entry<String, String> one : expected.entrySet()) {
            String name = one.getKey();
            String content = (one.getValue() + "\n").repeat(LINES);
            boolean wasSynced = steps.isSynced(one.getValue());
            String read;
            try {
                read = Files.readString(directory.resolve(name), StandardCharsets.ISO_8859_1);
            } catch (IOException e) {
                if (wasSynced) wrong.add(name + ", which was synced: " + e);
                continue;
            }
            if (!read.equals(content) && (wasSynced || !read.isEmpty())) {
                wrong.add(
                        "%s%s has %d bytes, which begin %s"
                                .formatted(
                                        name,
                                        wasSynced ? ", which was synced," : "",
                                        read.length(),
                                        read.substring(0, Math.min(20, read.length()))));
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static Set<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return Set.copyOf(
                    all.filter(Files::isRegularFile)
                            .map(path -> directory.relativize(path).toString())
                            .toList());
        }
    }

    /**
     * What a program did, in its order.
     *
     * @param synced after so many steps everything before was synced for the last time
     * @param contents that had been synced, by the name under which each was made
     */
    private record Steps(List<List<String>> all, int synced, Set<String> contents) {
        static Steps read(Path log) throws IOException {
            List<List<String>> all = new ArrayList<>();
            Map<String, String> now = new TreeMap<>(); // names, and under which each was made
            Set<String> contents = new HashSet<>();
            int synced = 0;
            for (String line : Files.readAllLines(log)) {
                List<String> words = List.of(line.split(" "));
                switch (words.getFirst()) {
                    case "begin" -> all.add(words.subList(1, words.size()));
                    case "done" -> {
                        List<String> step = all.getLast();
                        apply(step, now);
                        if (step.getFirst().equals("sync")) contents.add(now.get(step.get(1)));
                        if (step.getFirst().equals("sync-all")) contents.addAll(now.values());
                        if (step.getFirst().startsWith("sync")) synced = all.size();
                    }
                    default -> {} // it has noticed
                }
            }
            return new Steps(all, synced, contents);
        }

        boolean isSynced(String made) {
            return contents.contains(made);
        }

        /** The names after a first part of the steps that led to just these; null: none did. */
        @Nullable Map<String, String> thatMade(Set<String> names) {
            Map<String, String> now = new TreeMap<>();
            for (int done = 0; done <= all.size(); done++) {
                if (done > 0) apply(all.get(done - 1), now);
                if (done >= synced && now.keySet().equals(names)) return now;
            }
            return null;
        }

        Set<String> after(int done) {
            Map<String, String> now = new TreeMap<>();
            all.subList(0, done).forEach(step -> apply(step, now));
            return Set.copyOf(now.keySet());
        }

        private static void apply(List<String> step, Map<String, String> now) {
            switch (step.getFirst()) {
                case "make" -> now.put(step.get(1), step.get(1));
                case "rename" -> now.put(step.get(2), now.remove(step.get(1)));
                case "remove" -> now.remove(step.get(1));
                default -> {} // no file
            }
        }
    }
}

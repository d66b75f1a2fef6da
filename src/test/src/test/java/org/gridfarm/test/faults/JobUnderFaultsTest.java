package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A job of many tasks, while any process of the farm is killed or stopped, one after the other.
 * When {@code gf run} returns 0 every mount sees every output, whole. {@code -Dgf.tasks=} is how
 * many tasks, {@code -Dgf.seed=} chooses the faults.
 */
class JobUnderFaultsTest {
    private static final int TASKS = Tier.count("tasks");
    private static final int LINES_MAX = 2_000;
    private static final List<String> NODES = List.of("n1", "n2", "n3");

    private static TestFarm farm;

    /**
     * Its first fault is a scheduler's death: the one kind that {@link AllProcessesTest} has not.
     */
    private final long seed = Tier.seed(3);

    @BeforeAll
    static void start() throws IOException {
        farm =
                TestFarm.start(
                        "--nodes",
                        "3",
                        "--caches",
                        "2",
                        "--schedulers",
                        "2",
                        "--repair-after",
                        "3s");
        farm.directory("/", 2);
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    @Test
    void everyMountSeesEveryOutput() throws Exception {
        List<Integer> lines = inputs();
        List<Path> mounts = NODES.stream().map(farm::mountOf).toList();
        try (ProcessFaults harm =
                new ProcessFaults(
                        farm,
                        seed,
                        List.of("meta1", "cache1", "cache2"),
                        NODES,
                        List.of("sched1", "sched2"),
                        mounts)) {
            Process job = farm.prepare(words());
            job.getOutputStream().close();
            int faults = 0;
            while (job.isAlive()) {
                System.out.println("fault " + faults++ + ": " + harm.one());
            }
            assertThat(job.exitValue())
                    .as("%s", farm.tryGf("jobs", "--all", "--tasks").output())
                    .isZero();
            assertThat(faults).isPositive();
            System.out.println(harm);
        }
        for (Path mount : mounts) {
            for (int i = 0; i < TASKS; i++) {
                assertThat(Files.readString(mount.resolve("in").resolve(i + ".count")).strip())
                        .as("output %s at %s", i, mount)
                        .isEqualTo(Integer.toString(lines.get(i)));
            }
        }
    }

    @Test
    void aSchedulerThatStandsByIsPassedOver() {
        farm.signal("sched1", "KILL");
        farm.startOne("sched1"); // reached first, and the other leads or will
        assertThat(farm.gf("run", "echo ran")).contains("ran");
        assertThat(farm.gf("jobs", "--all")).contains("echo ran");
    }

    /** Files of so many lines. */
    private List<Integer> inputs() throws IOException {
        Random random = new Random(seed);
        Path in = Files.createDirectory(farm.mount().resolve("in"));
        List<Integer> lines = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            int count = 1 + random.nextInt(LINES_MAX);
            Files.writeString(in.resolve(Integer.toString(i)), (i + "\n").repeat(count));
            lines.add(count);
        }
        return lines;
    }

    private static String[] words() {
        List<String> words =
                new ArrayList<>(
                        List.of(
                                "run",
                                "--config",
                                farm.directory().resolve("client.toml").toString(),
                                "sleep 0.5; cat {} | wc -l > {}.count",
                                ":::"));
        for (int i = 0; i < TASKS; i++) {
            words.add("/in/" + i);
        }
        return words.toArray(String[]::new);
    }
}

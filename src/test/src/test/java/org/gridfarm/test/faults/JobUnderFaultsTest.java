package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.cluster.TestFarm;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
        farm.kill("sched1", "KILL");
        farm.restart("sched1"); // reached first, and the other leads or will
        assertThat(farm.gf("run", "echo ran")).contains("ran");
        assertThat(farm.gf("jobs", "--all")).contains("echo ran");
    }

    /**
     * Each task is written down as done once, and leaves its output once, whichever scheduler it
     * was that heard of its end.
     */
    @Test
    void whenSchedulersDieEachTaskIsDoneOnce() throws IOException {
        int tasks = Tier.count("scheduler.tasks");
        int kills = Tier.count("scheduler.kills");
        Path values = farm.directory().resolve("values");
        Files.write(values, IntStream.range(0, tasks).mapToObj(Integer::toString).toList());
        String job =
                farm.gf(
                                "run",
                                "--detach",
                                "--out",
                                "/once/{}",
                                "echo {} > \"$GF_OUT\"",
                                "::::",
                                values.toString())
                        .strip();
        for (int kill = 1; kill <= kills; kill++) {
            long past = (long) tasks * kill / (kills + 1);
            await().atMost(Duration.ofMinutes(10)).until(() -> done(job) >= past);
            for (String one : List.of("sched1", "sched2")) { // one of them leads
                farm.kill(one, "KILL");
                farm.restart(one);
            }
        }
        farm.gf("job", "wait", "-q", job);
        assertThat(farm.gf("job", "show", job, "--json").split("\"state\":\"succeeded\""))
                .hasSize(tasks + 2); // and the job itself
        Path once = farm.mount().resolve("once");
        try (Stream<Path> left = Files.list(once)) {
            assertThat(left).hasSize(tasks);
        }
        for (int i = 0; i < tasks; i++) {
            assertThat(once.resolve(Integer.toString(i))).hasContent(Integer.toString(i));
        }
    }

    private static long done(String job) {
        Matcher found =
                Pattern.compile("\"succeeded\":([0-9]+)").matcher(farm.gf("jobs", job, "--json"));
        return found.find() ? Long.parseLong(found.group(1)) : 0;
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

package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.file.StandardOpenOption.APPEND;

import org.gridfarm.protocol.name.FarmPath;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Jobs by the program that users have: what they need, what they used, what files come of files.
 */
class JobsTest {
    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.gf("mkdir", "-p", "/jobs/raw", "/jobs/work");
    }

    @Test
    void aHeldJobWaitsSaysSoAndRunsWhenItIsReleased(@TempDir Path here) throws IOException {
        Path script = Files.writeString(here.resolve("s.sh"), "#GF --hold --on n2\necho here\n");
        String job = farm.gf("submit", script.toString()).strip();
        String why = farm.gf("job", "why", job);
        assertThat(why).contains("is held by", "gf job release " + job, "is not named by --on n2");
        farm.gf("job", "release", job);
        assertThat(farm.gf("job", "wait", job)).isEqualTo("here\n");
    }

    @Test
    void aTaskThatNeedsMoreMemoryThanItAskedForIsToldApartAndWhatItUsedIsKept() {
        TestFarm.Result ended =
                farm.tryGf(
                        "run",
                        "--mem",
                        "20M",
                        "x=$(head -c 60000000 /dev/zero | tr '\\0' x); sleep 60");
        assertThat(ended.errors()).contains("out of memory");
        assertThat(ended.status()).isEqualTo(137);
        Matcher job =
                Pattern.compile("\"job\":([0-9]+)").matcher(farm.gf("jobs", "--all", "--json"));
        assertThat(job.find()).isTrue();
        Matcher peak =
                Pattern.compile("\"memory_peak_bytes\":([0-9]+)")
                        .matcher(farm.gf("job", "show", job.group(1), "--json"));
        assertThat(peak.find()).isTrue();
        assertThat(Long.parseLong(peak.group(1))).isGreaterThan(20 << 20);
        TestFarm.Result never = farm.tryGf("run", "--mem", "900T", "true");
        assertThat(never.errors()).contains("no node can ever run such a task", "n1 has");
        assertThat(never.status()).isEqualTo(64);
    }

    @Test
    void aTaskReadsThePlainFileOfItsNodeAndElseThroughTheMount() throws IOException {
        Path plain = Files.writeString(farm.mount().resolve("jobs/raw/plain.bin"), "plain\n");
        String[] show = {
            "run", "stat -f -c %T {local}; cat {local}; basename {local}", ":::", farmPath(plain)
        };
        await().untilAsserted(() ->
                assertThat(farm.gf(show)).endsWith("\nplain\nplain.bin\n").doesNotContain("fuse"));
        try (var writing = Files.newOutputStream(plain, APPEND)) {
            writing.write('x');
            assertThat(farm.gf(show)).startsWith("fuse");
        }
    }

    @Test
    void whatAUserHasHadIsKeptByTheDay() {
        farm.gf("run", "--slots", "2", "sleep 0.2", ":::", "1");
        JsonNode before = used();
        farm.gf("run", "--slots", "2", "sleep 0.2", ":::", "1", "2", "3");
        JsonNode after = used();
        assertThat(after.get("tasks").asLong() - before.get("tasks").asLong()).isEqualTo(3);
        assertThat(after.get("slot_ms").asLong() - before.get("slot_ms").asLong())
                .isBetween(3 * 2 * 200L, 3 * 2 * 60_000L);
        assertThat(after.get("bytes").asLong()).isNotNegative();
        String user = after.get("user").asString();
        assertThat(farm.gf("usage", "--by", "day", "--csv"))
                .startsWith(
                        "day,user,tasks,slot_ms,cpu_us,input_bytes_local,input_bytes_remote\r\n")
                .contains("," + user + "," + after.get("tasks").asLong() + ",");
        assertThat(farm.tryGf("usage", "--since", "2026-13-01").status()).isEqualTo(64);
    }

    /** Of the user whose tasks these are. */
    private static JsonNode used() {
        for (JsonNode row : farm.json("usage", "--json").get("usage")) {
            if (row.has("tasks")) {
                return row;
            }
        }
        throw new AssertionError(farm.gf("usage"));
    }

    /** One file with one copy, and more tasks than its node has slots. */
    @Test
    void inputThatManyTasksReadIsCopiedForThemAndTheCopiesGo() {
        farm.directory("/jobs/hot", 1);
        farm.sh(
                "head -c 16000000 /dev/urandom > '%s'"
                        .formatted(farm.mount().resolve("jobs/hot/f")));
        FarmPath hot = FarmPath.of("/jobs/hot/f");
        await().untilAsserted(() -> assertThat(copies(hot)).isEqualTo(1));
        String[] words = {
            "run",
            "--json",
            "--spread",
            "-i",
            hot.toString(),
            "cat {mount}/jobs/hot/f | wc -c; sleep 0.{}",
            ":::",
            "1",
            "2",
            "3",
            "4",
            "5",
            "6",
            "7",
            "8",
            "9",
            "11",
            "12",
            "13",
            "14",
            "15",
            "16",
            "17"
        };
        JsonNode job = farm.json(words);
        assertThat(job.get("succeeded").asInt()).isEqualTo(16);
        assertThat(job.get("local_tasks").asInt()).isEqualTo(16);
        Set<String> nodes = new HashSet<>();
        job.get("tasks").forEach(task -> nodes.add(task.get("node").asString()));
        assertThat(nodes).hasSize(3);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(copies(hot)).isEqualTo(1));
    }

    private static int copies(FarmPath path) {
        var objects = farm.client().where(path).getObjectsList();
        return objects.isEmpty() ? 0 : objects.getFirst().getReplicasCount();
    }

    /**
     * Four tasks of which one hangs where it is tried first; what its first attempt wrote is gone.
     */
    @Test
    void aTaskThatHangsOnOneNodeEndsOnAnother(@TempDir Path here) throws IOException {
        Path log = here.resolve("log");
        String task =
                "echo $GF_ATTEMPT > $GF_OUT; [ {} != 4 ] || [ $GF_ATTEMPT -gt 1 ] || sleep 600";
        farm.gf(
                "run",
                "--speculate",
                "--joblog",
                log.toString(),
                "--out",
                "/jobs/s{}",
                task,
                ":::",
                "1",
                "2",
                "3",
                "4");
        assertThat(farm.gf("cat", "/jobs/s4")).isEqualTo("2\n");
        assertThat(Files.readAllLines(log)).hasSize(5);
        assertThat(farm.gf("ls", "-a", "/jobs")).doesNotContain(".gf-out");
        assertThat(farm.gf("jobs", "--all", "--json")).contains("was slower");
    }

    /** Two slots are never free at once while tasks that end one by one are there for each. */
    @Test
    void aTaskOfAllSlotsOfANodeStartsThoughSmallOnesWait(@TempDir Path here) throws IOException {
        Path script =
                Files.writeString(here.resolve("small.sh"), "sleep $((GF_TASK_ID % 3 + 1))\n");
        String small = farm.gf("submit", "--array", "200", script.toString()).strip();
        await().untilAsserted(() ->
                assertThat(farm.gf("job", "show", small)).contains("running", "pending"));
        assertThat(farm.gf("run", "--slots", "2", "--priority", "1", "echo", "large"))
                .isEqualTo("large\n");
        assertThat(farm.gf("job", "show", small)).as("it did not wait for all").contains("pending");
        farm.gf("job", "cancel", small);
    }

    private static String farmPath(Path onMount) {
        return "/" + farm.mount().relativize(onMount);
    }

    @Test
    void whatIsOutOfDateIsMadeAgainAndNothingElse(@TempDir Path here) throws IOException {
        Path raw = farm.mount().resolve("jobs/raw");
        Files.writeString(raw.resolve("a.txt"), "1\n2\n");
        Files.writeString(raw.resolve("b c.txt"), "3\n");
        Path rules =
                Files.writeString(
                        here.resolve("sum.make"),
                        """
                        rule
                          each /jobs/raw/*.txt
                          out  /jobs/work/{/.}.n
                          run  wc -l < {} > "$GF_OUT"
                        rule
                          in   /jobs/work/*.n
                          out  /jobs/sum
                          run  cat "$@" > "$GF_OUT"
                        """);
        String[] make = {"run", "--make", rules.toString(), "--by", "digest"};
        assertThat(farm.tryGf(make).errors())
                .contains("3 steps made, 0 up to date, 0 failed, 0 not begun");
        Path sum = farm.mount().resolve("jobs/sum");
        await().untilAsserted(() -> assertThat(sum).hasContent("2\n1\n"));
        assertThat(farm.tryGf(make).errors()).contains("0 steps made, 3 up to date");
        Files.writeString(raw.resolve("b c.txt"), "4\n"); // as many lines: the sum stays
        assertThat(farm.tryGf(make).errors()).contains("1 steps made, 2 up to date");
        Files.writeString(raw.resolve("b c.txt"), "5\n6\n7\n");
        assertThat(farm.tryGf(make).errors()).contains("2 steps made, 1 up to date");
        assertThat(sum).hasContent("2\n3\n");
    }
}

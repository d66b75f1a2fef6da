package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.protocol.name.FarmPath;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code gf run --via slurm}, on a Slurm of three nodes that are the farm's. */
class ViaSlurmTest {
    private static final List<String> NODES = List.of("n1", "n2", "n3");
    private static final int FILES_A_NODE = 20;
    private static final Duration PLACED_MAX = Duration.ofSeconds(20);

    @TempDir private static Path directory;

    private static TestFarm farm;
    private static SlurmCluster slurm;

    @BeforeAll
    static void start() throws IOException {
        slurm = SlurmCluster.start(directory, NODES, 4);
        farm = TestFarm.shared();
        farm.directory("/via", 1);
    }

    @AfterAll
    static void stop() throws IOException {
        if (slurm != null) {
            slurm.close();
        }
    }

    private static TestFarm.Result run(String... words) {
        List<String> all = new ArrayList<>(List.of("run", "--via", "slurm"));
        all.addAll(List.of(words));
        return farm.tryGf(slurm.environment(), all.toArray(String[]::new));
    }

    private static TestFarm.Result succeeded(String... words) {
        TestFarm.Result result = run(words);
        assertThat(result.status()).as(result.output() + result.errors()).isZero();
        return result;
    }

    /** Names that are an invitation to errors, each on one node. */
    private static List<FarmPath> inputs() throws IOException {
        List<FarmPath> files = new ArrayList<>();
        for (int i = 0; i < FILES_A_NODE; i++) {
            for (String node : NODES) {
                String name = "via/in/%s 'it'\"s $(%d)\n-.in".formatted(node, i);
                Path file = farm.mountOf(node).resolve(name);
                Files.createDirectories(file.getParent());
                Files.writeString(file, node + "\n");
                files.add(FarmPath.of("/" + name));
            }
        }
        return files;
    }

    private static String holder(FarmPath file) {
        var objects = farm.client().where(file).getObjectsList();
        return objects.size() == 1 && objects.getFirst().getReplicasCount() == 1
                ? objects.getFirst().getReplicas(0).getNode()
                : "";
    }

    @Test
    void sixtyTasksRunWhereTheirInputLiesAndEveryMountSeesWhatTheyWrote(@TempDir Path here)
            throws IOException {
        List<FarmPath> inputs = inputs();
        await().atMost(PLACED_MAX)
                .until(() -> inputs.stream().allMatch(file -> NODES.contains(holder(file))));
        Path log = here.resolve("log");
        TestFarm.Result result =
                succeeded(
                        "-k",
                        "--joblog",
                        log.toString(),
                        "--results",
                        here.resolve("results").toString(),
                        "--out",
                        "/via/out/{#}",
                        "test $(cat {}) = $GF_NODE; cp {} $GF_OUT; echo {#} $GF_TASK_ID $?",
                        ":::",
                        "/via/in/*");
        for (String node : NODES) {
            for (int i = 1; i <= inputs.size(); i++) {
                assertThat(farm.mountOf(node).resolve("via/out/" + i)).exists();
            }
        }
        List<String> printed = result.output().lines().toList();
        assertThat(printed).hasSize(inputs.size());
        for (int i = 1; i <= inputs.size(); i++) {
            assertThat(printed.get(i - 1)).startsWith(i + " " + i + " ");
        }
        List<String> lines = Files.readAllLines(log);
        assertThat(lines).hasSize(1 + inputs.size());
        int local = 0;
        for (String line : lines.subList(1, lines.size())) {
            String[] columns = line.split("\t");
            assertThat(columns).hasSize(9);
            assertThat(columns[1]).isIn(NODES);
            assertThat(columns[5]).as("bytes printed").isNotEqualTo("0");
            assertThat(columns[6]).isEqualTo("0");
            local += columns[4].equals("0") ? 1 : 0; // nothing was sent there
        }
        assertThat(local).as("tasks beside their input").isGreaterThanOrEqualTo(54);
        assertThat(farm.sh("find '%s' -name stdout -printf x | wc -c".formatted(here)).strip())
                .isEqualTo("60");
        nothingIsLeft();
    }

    private static void nothingIsLeft() throws IOException {
        assertThat(slurm.output("squeue", "-h")).isEmpty();
        assertThat(
                        farm.client().glob("/.gf-slurm-*").size()
                                + farm.client().glob("/via/out/.gf-out-*").size())
                .isZero();
    }

    @Test
    void aTaskThatFailsIsTriedAgainAndItsExitStatusIsTheCommands() throws IOException {
        TestFarm.Result failed =
                run("--retries", "2", "echo attempt $GF_ATTEMPT; kill -9 $$", ":::", "x");
        assertThat(failed.output()).endsWith("attempt 3\n");
        assertThat(failed.errors()).contains("task 1 (x) on n").contains("exit status 137");
        assertThat(failed.status()).isEqualTo(137);
        TestFarm.Result second =
                succeeded(
                        "--retries",
                        "1",
                        "--env",
                        "WHERE={mount}/via",
                        "cd $WHERE && [ $GF_ATTEMPT = 2 ]");
        assertThat(second.errors()).isEmpty();
    }

    @Test
    void whatTheLogSaysIsDoneIsNotDoneAgain(@TempDir Path here) throws IOException {
        String log = here.resolve("log").toString();
        String failing = "echo {} >> gf:/via/done; test {} != 2";
        assertThat(run("-j", "2", "--joblog", log, failing, ":::", "1", "2", "3").status())
                .isEqualTo(1);
        assertThat(run("--joblog", log, "--resume", failing, ":::", "1", "2", "3", "4").status())
                .isZero();
        assertThat(
                        farm.sh(
                                        "sort '%s' | tr -d '\\n'"
                                                .formatted(farm.mount().resolve("via/done")))
                                .strip())
                .isEqualTo("1234");
    }

    @Test
    void anInterruptLeavesNoTaskInSlurm(@TempDir Path here) throws Exception {
        Path said = here.resolve("said");
        Process run =
                farm.begin(
                        slurm.environment(),
                        said,
                        "run",
                        "--via",
                        "slurm",
                        "echo began; sleep 600",
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
                        "10",
                        "11",
                        "12",
                        "13",
                        "14");
        await("running tasks")
                .atMost(PLACED_MAX)
                .until(() -> slurm.output("squeue", "-h", "-t", "RUNNING").lines().count() == 12);
        farm.sh("kill -INT " + run.pid());
        assertThat(run.waitFor(30, TimeUnit.SECONDS)).as(Files.readString(said)).isTrue();
        assertThat(run.exitValue()).as(Files.readString(said)).isEqualTo(130);
        nothingIsLeft();
    }

    @Test
    void oneFailureCanEndTheOthers() throws IOException {
        TestFarm.Result result =
                run("--halt", "now,fail=1", "[ {} = 600 ] || exit 9; sleep {}", ":::", "0", "600");
        assertThat(result.status()).isEqualTo(9);
        nothingIsLeft();
    }

    @Test
    void everyLineOfTheGuideDoesWhatItSays(@TempDir Path here) throws IOException {
        StringBuilder before = new StringBuilder();
        slurm.environment()
                .forEach((name, value) -> before.append("export %s='%s'; ".formatted(name, value)));
        GuideSession.check(farm, "jobs-via-slurm.md", here, before.toString());
    }
}

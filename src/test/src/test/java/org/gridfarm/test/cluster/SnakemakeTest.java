package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.StreamSupport;

/** Snakemake itself, with the executor of the package for Python, as docs/workflows.md has it. */
class SnakemakeTest {
    private static final String WHERE = "/flow";
    private static final Path ROOT = Checkout.root();

    private TestFarm farm;
    private Path flow;

    @BeforeEach
    void makeWorkflow() throws IOException {
        Programs.need("snakemake");
        farm = TestFarm.shared();
        flow = farm.mount().resolve("flow");
        Files.createDirectories(flow.resolve("in"));
        Files.copy(ROOT.resolve("docs/examples/snakemake/Snakefile"), flow.resolve("Snakefile"));
    }

    @AfterEach
    void removeWorkflow() throws IOException {
        if (farm == null) return;
        farm.client().deleteRecursively(FarmPath.of(WHERE));
        farm.close();
    }

    private void sample(int number) throws IOException {
        Files.writeString(flow.resolve("in/s" + number + ".txt"), "word ".repeat(number * 100));
    }

    /** Without any time to wait for files; a shell has what it starts aside ignore ^C. */
    private String command(String words) {
        return """
        cd '%s'; export GF_BUILD=never PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='%s'
        env --default-signal=INT snakemake 2>&1 --executor gridfarm --gridfarm-gf '%s' \
            --jobs 10 --latency-wait 0 --seconds-between-status-checks 1 %s\
        """
                .formatted(flow, ROOT.resolve("client/python/src"), ROOT.resolve("gf"), words);
    }

    private List<JsonNode> jobs(String rule) {
        return StreamSupport.stream(
                        farm.json("jobs", "--json", "--all").get("jobs").spliterator(), false)
                .filter(job -> job.get("name").asString().startsWith(rule + "-"))
                .toList();
    }

    @Test
    void aRuleRunsWhereItsInputLies() throws IOException {
        sample(1);
        String said = farm.script(command("counts/s1"));
        assertThat(flow.resolve("counts/s1")).as(said).hasContent("100 s1");
        assertThat(jobs("count"))
                .first()
                .satisfies(job -> {
                    assertThat(job.get("state").asString()).isEqualTo("succeeded");
                    assertThat(job.get("local_tasks").asInt()).isEqualTo(1);
                });
    }

    @Test
    void aWorkflowOfSeveralRulesEnds() throws IOException {
        assumeThat(Tier.current()).as("whole workflows in campaigns").isEqualTo(Tier.CAMPAIGN);
        for (int i = 1; i <= 4; i++) sample(i);
        String said = farm.script(command(""));
        assertThat(flow.resolve("largest")).as(said).hasContent("400 s4");
        assertThat(farm.script(command(""))).contains("Nothing to be done");
    }

    @Test
    void aJobThatFailsIsNamedAndWhoStopsCancelsTheOthers() throws IOException {
        assumeThat(Tier.current()).as("failures in campaigns").isEqualTo(Tier.CAMPAIGN);
        Files.writeString(
                flow.resolve("Snakefile"),
                """
                rule failing:
                    output: "x"
                    shell: "exit 3"

                rule sleeping:
                    output: "y"
                    shell: "touch begun; sleep 600"
                """);
        assertThat(farm.script(command("x || true"))).contains("gf job log");
        farm.script(
                command("y")
                        + " & snakemake=$!; while [ ! -e begun ]; do sleep 0.2; done; kill -INT $snakemake; wait $snakemake || true");
        assertThat(jobs("sleeping"))
                .isNotEmpty()
                .allMatch(job -> job.get("state").asString().equals("cancelled"));
    }
}

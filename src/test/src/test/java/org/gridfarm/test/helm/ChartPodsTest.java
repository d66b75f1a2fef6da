package org.gridfarm.test.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The pods of the chart at work, on this machine: {@code src/test/pods/run} says how, and what is
 * not as on a cluster.
 */
class ChartPodsTest {
    private static final int CANNOT_BE_TRIED = 77;

    /** Small enough for one machine, with one of each, whose ports differ. */
    private static final String VALUES =
            """
            metaservers: {replicas: 1, heap: 256m}
            storage:
              racks: [{name: rack1, nodes: [worker]}]
              disks: [/data/a]
              heap: 256m
              reserve: 16M
              settings: |
                [tasks]
                min_uid = 1
            gateway: {enabled: true, replicas: 1, heap: 128m}
            console: {heap: 128m}
            mount: {enabled: true, heap: 128m}
            postgresql: {enabled: true}
            zookeeperServer: {enabled: true}
            """;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void podsAsTheyAreRenderedMakeAFarm(boolean withJobs, @TempDir Path directory)
            throws Exception {
        assumeThat(Tier.current()).as("pods are run in campaigns").isEqualTo(Tier.CAMPAIGN);
        Rendered farm =
                Chart.render(
                        VALUES
                                + "jobs: {enabled: %s, schedulers: 1, heap: 128m}\n"
                                        .formatted(withJobs));
        MadeSecrets made = new MadeSecrets(Files.createDirectory(directory.resolve("made")));
        assertThat(made.run(farm, "certificate person user daemon\n")).as(made.said()).isZero();
        Path objects = directory.resolve("objects.json");
        JsonMapper.shared().writeValue(objects.toFile(), farm.objects());
        Path said = directory.resolve("said");
        Process run =
                new ProcessBuilder(
                                Checkout.root().resolve("src/test/pods/run").toString(),
                                objects.toString(),
                                made.manifests().toString())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        boolean ended = run.waitFor(5, TimeUnit.MINUTES);
        if (!ended) run.destroy();
        assertThat(ended).as(Files.readString(said)).isTrue();
        assumeThat(run.exitValue()).as(Files.readString(said)).isNotEqualTo(CANNOT_BE_TRIED);
        assertThat(run.exitValue()).as(Files.readString(said)).isZero();
    }
}

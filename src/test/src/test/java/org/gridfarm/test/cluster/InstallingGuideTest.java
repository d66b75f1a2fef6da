package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The guide to installing, word for word: {@code src/test/guide/run} says how. */
class InstallingGuideTest {
    @Test
    void whatTheGuideSaysMakesAFarm(@TempDir Path directory) throws Exception {
        assumeThat(Tier.current()).as("the guide is run in campaigns").isEqualTo(Tier.CAMPAIGN);
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))
                .as("it takes root to make namespaces")
                .isEqualTo(0);
        Path script = Path.of("guide/run").toAbsolutePath();
        assertThat(script).isExecutable();
        Path said = directory.resolve("said");
        Process run =
                new ProcessBuilder(script.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        boolean ended = run.waitFor(5, TimeUnit.MINUTES);
        if (!ended) run.destroy();
        assertThat(ended).as(Files.readString(said)).isTrue();
        assertThat(run.exitValue()).as(Files.readString(said)).isZero();
    }
}

package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The guide to installing, word for word, on one host and on several. */
class InstallingGuideTest {
    private static final int CANNOT_BE_TRIED = 77;

    /** The scripts say at their top what they do and what they need. */
    @ParameterizedTest
    @CsvSource({"run, 5", "hosts, 30"})
    void whatTheGuideSaysMakesAFarm(String name, int minutes, @TempDir Path directory)
            throws Exception {
        assumeThat(Tier.current()).as("the guide is run in campaigns").isEqualTo(Tier.CAMPAIGN);
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))
                .as("it takes root to make namespaces")
                .isEqualTo(0);
        Path script = Path.of("guide", name).toAbsolutePath();
        assertThat(script).isExecutable();
        Path said = directory.resolve("said");
        Process run =
                new ProcessBuilder(script.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        boolean ended = run.waitFor(minutes, TimeUnit.MINUTES);
        if (!ended) run.destroy();
        assertThat(ended).as(Files.readString(said)).isTrue();
        assumeThat(run.exitValue()).as(Files.readString(said)).isNotEqualTo(CANNOT_BE_TRIED);
        assertThat(run.exitValue()).as(Files.readString(said)).isZero();
    }
}

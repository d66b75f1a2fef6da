package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What {@code mvn -Ppackages package} has made, as far as one machine can try it. */
class PackagesTest {
    private static final int CANNOT_BE_TRIED = 77;

    /** The scripts say at their top what they do and what they need. */
    @ParameterizedTest
    @CsvSource({"run, 10", "compare, 5", "container, 10"})
    void packagesAreWhatTheyShouldBe(String script, int minutes, @TempDir Path directory)
            throws Exception {
        assumeThat(Tier.current()).as("packages are tried in campaigns").isEqualTo(Tier.CAMPAIGN);
        assumeThat(hasPackages()).as("mvn -Ppackages package was run").isTrue();
        Path said = directory.resolve("said");
        Process run =
                new ProcessBuilder(Checkout.root().resolve("src/test/package/" + script).toString())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        boolean ended = run.waitFor(minutes, TimeUnit.MINUTES);
        if (!ended) run.destroy();
        assertThat(ended).as(Files.readString(said)).isTrue();
        assumeThat(run.exitValue()).as(Files.readString(said)).isNotEqualTo(CANNOT_BE_TRIED);
        assertThat(run.exitValue()).as(Files.readString(said)).isZero();
    }

    private static boolean hasPackages() throws IOException {
        Path target = Checkout.root().resolve("deploy/packages/target");
        if (!Files.isDirectory(target)) return false;
        try (Stream<Path> files = Files.list(target)) {
            return files.map(Path::toString).anyMatch(name -> name.endsWith(".rpm"));
        }
    }
}

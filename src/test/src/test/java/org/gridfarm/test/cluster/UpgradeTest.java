package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A farm of an older build is brought to this one while programs work on it. */
class UpgradeTest {
    private static final int MINUTES_MAX = 30; // the older build is built

    /** The script says at its top what it does and what it needs. */
    @Test
    void nobodyMissesAnythingMeanwhile(@TempDir Path directory) throws Exception {
        assumeThat(Tier.current()).as("upgrades are made in campaigns").isEqualTo(Tier.CAMPAIGN);
        assumeThat(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))
                .as("it takes root to mount and to hand a mount on")
                .isEqualTo(0);
        assumeThat(Files.exists(Checkout.root().resolve(".git")))
                .as("the older build is in the history")
                .isTrue();
        Path said = directory.resolve("said");
        Process run =
                new ProcessBuilder(Path.of("upgrade", "run").toAbsolutePath().toString())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        boolean ended = run.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
        if (!ended) run.destroy();
        assertThat(ended).as(Files.readString(said)).isTrue();
        assertThat(run.exitValue()).as(Files.readString(said)).isZero();
    }
}

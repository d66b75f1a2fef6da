package org.gridfarm.client.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JvmTest {
    @Test
    void optionsAreWordsWithBlanksBetween() {
        assertThat(Jvm.words(" -XX:TieredStopAtLevel=1   -Dgf.log.level=DEBUG "))
                .containsExactly("-XX:TieredStopAtLevel=1", "-Dgf.log.level=DEBUG");
        assertThat(Jvm.words("")).isEmpty();
        assertThat(Jvm.words("  ")).isEmpty();
    }
}

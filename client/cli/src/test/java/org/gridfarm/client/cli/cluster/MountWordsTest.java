package org.gridfarm.client.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What a mount goes on with when another program serves it. */
class MountWordsTest {
    private static final Path FILE = Path.of("/etc/gridfarm/config.toml");
    private static final List<String> NOW =
            List.of(
                    "--config",
                    FILE.toString(),
                    "--node",
                    "n1",
                    "-o",
                    "ro,as=web",
                    "/gridfarm",
                    "--supervised",
                    "/run/gridfarm/1-gridfarm");

    @Test
    void withWhatItHas() {
        assertThat(MountWords.goingOn(NOW, Optional.empty(), List.of()))
                .containsExactlyElementsOf(NOW.subList(0, 7));
        assertThat(MountWords.goingOn(NOW, Optional.of(FILE), List.of()))
                .containsExactlyElementsOf(NOW.subList(0, 7));
    }

    @Test
    void withOptionsThatAreGivenNow() {
        assertThat(MountWords.goingOn(NOW, Optional.empty(), List.of("-o", "timeout=20s")))
                .containsExactly("--config", FILE.toString(), "-o", "timeout=20s", "/gridfarm");
    }

    /** Nobody else goes on with its session: all that is open would be lost with it. */
    @Test
    void notAsSomebodyElse() {
        assertThatThrownBy(() ->
                        MountWords.goingOn(
                                NOW, Optional.of(Path.of("/home/me/farm.toml")), List.of()))
                .hasMessageContaining("/etc/gridfarm/config.toml")
                .hasMessageContaining("unmount");
    }
}

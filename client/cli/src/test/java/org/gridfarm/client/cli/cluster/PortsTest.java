package org.gridfarm.client.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.Function;

class PortsTest {
    @Test
    void aPortStaysItsClustersWhileTheDirectoryIsThere(@TempDir Path home) throws IOException {
        PortClaims claims = new PortClaims(home.resolve("cache/ports"));
        Path first = Files.createDirectory(home.resolve("a cluster"));
        Path second = Files.createDirectory(home.resolve("b"));
        List<Integer> wanted = List.of(1, 2, 3);
        Function<Set<Integer>, Integer> least =
                taken -> wanted.stream().filter(p -> !taken.contains(p)).findFirst().orElseThrow();
        assertThat(claims.claim(first, least)).isEqualTo(1);
        assertThat(claims.claim(second, least)).isEqualTo(2);
        assertThat(claims.claim(first, least)).isEqualTo(3);
        assertThatThrownBy(() -> claims.claim(second, least))
                .isInstanceOf(NoSuchElementException.class);
        Files.delete(first);
        assertThat(claims.claim(second, least)).isEqualTo(1);
    }

    @Test
    void aFileOfClaimsThatIsNoneIsNamed(@TempDir Path home) throws IOException {
        Path file = Files.writeString(home.resolve("ports"), "what is this\n");
        assertThatThrownBy(() -> new PortClaims(file).claim(home, _ -> 1))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining(file + ": ")
                .hasMessageContaining("remove the file");
        assertThat(file).hasContent("what is this");
    }

    @Test
    void noConnectionCanTakeAPortBeforeItsDaemonListens(@TempDir Path home) throws IOException {
        int first;
        try (BufferedReader range =
                Files.newBufferedReader(Path.of("/proc/sys/net/ipv4/ip_local_port_range"))) {
            first = Integer.parseInt(range.lines().findFirst().orElseThrow().split("\\s+")[0]);
        }
        assumeThat(first).as("ports below the kernel's range").isGreaterThanOrEqualTo(11_000);
        Set<Integer> all = new HashSet<>();
        try (Ports ports = new Ports(home)) {
            for (int i = 0; i < 50; i++) {
                all.add(Ports.port(ports.free()));
            }
        }
        assertThat(all).hasSize(50).allMatch(port -> port < first);
    }
}

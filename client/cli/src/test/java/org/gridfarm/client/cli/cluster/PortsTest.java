package org.gridfarm.client.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

class PortsTest {
    @Test
    void noConnectionCanTakeAPortBeforeItsDaemonListens() throws IOException {
        int first;
        try (BufferedReader range =
                Files.newBufferedReader(Path.of("/proc/sys/net/ipv4/ip_local_port_range"))) {
            first = Integer.parseInt(range.lines().findFirst().orElseThrow().split("\\s+")[0]);
        }
        assumeThat(first).as("ports below the kernel's range").isGreaterThanOrEqualTo(11_000);
        Set<Integer> all = new HashSet<>();
        try (Ports ports = new Ports()) {
            for (int i = 0; i < 50; i++) {
                all.add(Ports.port(ports.free()));
            }
        }
        assertThat(all).hasSize(50).allMatch(port -> port < first);
    }
}

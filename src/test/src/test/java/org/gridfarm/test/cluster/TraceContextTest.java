package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** One trace, from who starts a command to the lines of the servers and to the tasks. */
class TraceContextTest {
    private static final String ID = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final Map<String, String> TRACED =
            Map.of("TRACEPARENT", "00-" + ID + "-00f067aa0ba902b7-01");

    @Test
    void aTraceGoesWithItsCallsAndItsTasks() throws IOException {
        TestFarm farm = TestFarm.shared();
        try (farm) {
            TestFarm.Result ran = farm.tryGf(TRACED, "run", "--", "sh", "-c", "echo $TRACEPARENT");
            assertThat(ran.output().strip()).as(ran.errors()).isEqualTo(TRACED.get("TRACEPARENT"));
            assertThat(farm.tryGf(TRACED, "node", "readwrite", "n1").status()).isZero();
            assertThat(lines(farm, "trace=" + ID))
                    .anyMatch(line -> line.contains("what=\"node-control\""));
            long before = lines(farm, "what=\"node-control\"").size();
            farm.gf("node", "readwrite", "n1");
            assertThat(lines(farm, "what=\"node-control\"")).hasSizeGreaterThan((int) before);
            assertThat(lines(farm, "trace=")).allMatch(line -> line.contains(ID));
            TestFarm.Result own = farm.tryGf(Map.of("GF_TRACE", "1"), "whoami");
            assertThat(own.errors()).matches("(?s).*gf: trace [0-9a-f]{32}\n.*");
        }
    }

    private static List<String> lines(TestFarm farm, String with) throws IOException {
        try (Stream<Path> logs = Files.walk(farm.directory())) {
            return logs.filter(file -> file.toString().endsWith(".log"))
                    .flatMap(TraceContextTest::read)
                    .filter(line -> line.contains(with))
                    .toList();
        }
    }

    private static Stream<String> read(Path log) {
        try {
            return Files.readString(log, StandardCharsets.ISO_8859_1).lines();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}

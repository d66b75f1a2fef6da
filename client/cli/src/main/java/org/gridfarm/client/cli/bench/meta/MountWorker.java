package org.gridfarm.client.cli.bench.meta;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process that works on a mount: {@code MountWorker ROOT BASE TAG MILLIS}. It does one phase for
 * each line of its input and answers with a line: rate, median and 99th percentile in microseconds.
 */
final class MountWorker {
    private MountWorker() {}

    public static void main(String[] words) throws IOException {
        Phases phases =
                new Phases(
                        new MountedTree(Path.of(words[0])),
                        words[1],
                        words[2],
                        1,
                        true,
                        Duration.ofMillis(Long.parseLong(words[3])));
        BufferedReader commands =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        System.out.println("ready");
        for (String phase = commands.readLine(); phase != null; phase = commands.readLine()) {
            Phases.Result result =
                    switch (phase) {
                        case "create" -> phases.create();
                        case "stat" -> phases.stat();
                        case "readdir" -> phases.list();
                        case "rename" -> phases.rename();
                        case "unlink" -> phases.unlink();
                        default -> throw new IllegalArgumentException(phase);
                    };
            System.out.println(
                    result.perSecond()
                            + " "
                            + result.latencies().micros(0.5)
                            + " "
                            + result.latencies().micros(0.99));
        }
    }
}

package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.Terminal;
import org.gridfarm.client.cli.traffic.Counted;
import org.gridfarm.client.cli.traffic.Look;
import org.gridfarm.client.cli.traffic.Servers;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

@Command(
        name = "top",
        header = "Shows which clients ask most of the farm, now.",
        description = {
            "",
            "All metaservers, nodes and schedulers are asked twice; requests and bytes in between are shown for each second, on a terminal again and again."
                    + " IN are bytes that servers got, OUT those that they sent; MOST AT is the server that was asked most. What a host's own kernel"
                    + " reads and writes in replicas of its own node is no request. Tasks of a job: gf job top JOB. For administrators."
        },
        mixinStandardHelpOptions = true)
public final class Top implements Callable<Integer> {
    private static final String CLEAR = "\033[H\033[2J";
    private static final double NANOS_PER_SECOND = 1e9;
    private static final int ROWS_MAX = 40;

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-d", "--delay"},
            paramLabel = "SECONDS",
            description = "between two looks (2)")
    private double delay = 2;

    @Override
    public Integer call() {
        if (!(delay >= 0.1 && delay <= 3600)) {
            throw new FarmException(
                    ErrorKind.USAGE, "top --delay", Double.toString(delay), "is 0.1 to 3600");
        }
        ClientConfig config = options.configuration();
        try (Gridfarm farm = Gridfarm.open(config, "gf top")) {
            Servers servers = new Servers(farm, config);
            Look before = servers.look();
            if (before.servers().isEmpty()) {
                throw servers.silent().values().iterator().next(); // the others say the like
            }
            long at = System.nanoTime();
            do {
                pauseUntil(at + (long) (delay * NANOS_PER_SECOND));
                Look now = servers.look();
                long then = System.nanoTime();
                show(now.since(before), (then - at) / NANOS_PER_SECOND, servers.silent());
                before = now;
                at = then;
            } while (Terminal.OUT && !options.json && !Thread.interrupted());
        }
        return 0;
    }

    private static void pauseUntil(long nanos) {
        long left = nanos - System.nanoTime();
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(Math.min(left, TimeUnit.SECONDS.toNanos(1)));
            left = nanos - System.nanoTime();
        }
    }

    private void show(List<Look.Row> rows, double seconds, Map<String, FarmException> silent) {
        if (options.json) {
            List<Map<String, Object>> clients = new ArrayList<>();
            rows.forEach(row -> clients.add(document(row)));
            Map<String, String> why = new LinkedHashMap<>();
            silent.forEach((server, failure) -> why.put(server, failure.getMessage()));
            Output.json(Map.of("seconds", seconds, "clients", clients, "silent", why));
            return;
        }
        if (Terminal.OUT) {
            System.out.print(CLEAR);
        }
        silent.forEach((server, failure) ->
                System.err.println("gf: top: " + server + ": " + failure.getMessage()));
        Output.Table table =
                Output.table(
                        "USER",
                        "FROM",
                        "REQUESTS/S",
                        "FAILED/S",
                        "IN/S",
                        "OUT/S",
                        "MOST AT",
                        "WHO");
        for (Look.Row row : rows.subList(0, Math.min(ROWS_MAX, rows.size()))) {
            Counted counted = row.counted();
            table.row(
                    row.client().user(),
                    row.client().host(),
                    rate(counted.requests() / seconds),
                    rate(counted.failures() / seconds),
                    Output.bytes(Math.round(counted.received() / seconds)),
                    Output.bytes(Math.round(counted.sent() / seconds)),
                    row.busiest(),
                    row.client().who());
        }
        table.print();
    }

    private static String rate(double each) {
        return String.format(Locale.ROOT, each < 10 ? "%.1f" : "%.0f", each);
    }

    private static Map<String, Object> document(Look.Row row) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("user", row.client().user());
        document.put("who", row.client().who());
        document.put("host", row.client().host());
        document.put("requests", row.counted().requests());
        document.put("failures", row.counted().failures());
        document.put("received_bytes", row.counted().received());
        document.put("sent_bytes", row.counted().sent());
        document.put("busiest_server", row.busiest());
        return document;
    }
}

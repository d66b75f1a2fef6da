package org.gridfarm.client.cli.traffic;

import org.gridfarm.protocol.wire.TrafficReply;
import org.gridfarm.protocol.wire.TrafficRow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What servers had counted at one moment.
 *
 * @param servers by name
 */
public record Look(Map<String, TrafficReply> servers) {
    /** Whoever asks: a name in a certificate, whom it is taken for, and from which host. */
    public record Client(String who, String user, String host) {}

    /**
     * @param busiest the server that it asked most
     */
    public record Row(Client client, Counted counted, String busiest) {}

    private static Client client(TrafficRow row) {
        return new Client(row.getWho(), row.getUser(), row.getHost());
    }

    /**
     * What came after another look, those with most requests first. A server that has begun anew
     * since then counts from its beginning, one that did not answer then not at all.
     */
    public List<Row> since(Look before) {
        Map<Client, Map<String, Counted>> counted = new HashMap<>();
        servers.forEach((server, now) -> {
            TrafficReply then = before.servers.get(server);
            if (then == null) {
                return;
            }
            Map<Client, Counted> already = new HashMap<>();
            if (then.getCountedMillis() <= now.getCountedMillis()) {
                then.getClientsList().forEach(row -> already.put(client(row), Counted.of(row)));
            }
            now.getClientsList()
                    .forEach(row -> {
                        Counted more =
                                Counted.of(row)
                                        .minus(already.getOrDefault(client(row), Counted.NONE));
                        if (more.requests() > 0) {
                            counted.computeIfAbsent(client(row), _ -> new TreeMap<>())
                                    .put(server, more);
                        }
                    });
        });
        return rows(counted);
    }

    private static List<Row> rows(Map<Client, Map<String, Counted>> counted) {
        List<Row> rows = new ArrayList<>();
        counted.forEach((client, byServer) -> {
            Counted all = byServer.values().stream().reduce(Counted.NONE, Counted::plus);
            String busiest =
                    byServer.entrySet().stream()
                            .max(Comparator.comparingLong(one -> one.getValue().requests()))
                            .map(Map.Entry::getKey)
                            .orElse("");
            rows.add(new Row(client, all, busiest));
        });
        rows.sort(
                Comparator.comparingLong((Row row) -> -row.counted().requests())
                        .thenComparing(row -> row.client().user())
                        .thenComparing(row -> row.client().host())
                        .thenComparing(row -> row.client().who()));
        return rows;
    }
}

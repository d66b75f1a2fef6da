package org.gridfarm.client.cli.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.wire.TrafficReply;
import org.gridfarm.protocol.wire.TrafficRow;
import org.junit.jupiter.api.Test;

import java.util.Map;

class LookTest {
    private static TrafficReply server(long millis, TrafficRow... rows) {
        return TrafficReply.newBuilder()
                .setCountedMillis(millis)
                .addAllClients(java.util.List.of(rows))
                .build();
    }

    private static TrafficRow row(String user, long requests, long sent) {
        return TrafficRow.newBuilder()
                .setWho("/CN=" + user)
                .setUser(user)
                .setHost("h1")
                .setRequests(requests)
                .setSent(sent)
                .build();
    }

    @Test
    void whatLiesBetweenTwoLooksIsAddedUpOverServers() {
        Look before =
                new Look(
                        Map.of(
                                "m1", server(100, row("ann", 10, 5), row("bob", 7, 0)),
                                "n1", server(100, row("ann", 1, 1_000))));
        Look now =
                new Look(
                        Map.of(
                                "m1", server(200, row("ann", 12, 5), row("bob", 7, 0)),
                                "n1", server(200, row("ann", 6, 9_000), row("eve", 3, 0))));
        assertThat(now.since(before))
                .containsExactly(
                        new Look.Row(
                                new Look.Client("/CN=ann", "ann", "h1"),
                                new Counted(7, 0, 0, 8_000),
                                "n1"),
                        new Look.Row(
                                new Look.Client("/CN=eve", "eve", "h1"),
                                new Counted(3, 0, 0, 0),
                                "n1"));
    }

    @Test
    void aServerThatBeganAnewCountsFromItsBeginningAndAnUnknownOneNotAtAll() {
        Look before = new Look(Map.of("m1", server(9_000, row("ann", 100, 50))));
        Look now =
                new Look(
                        Map.of(
                                "m1", server(10, row("ann", 4, 2)),
                                "n1", server(10_000, row("ann", 1_000, 1_000))));
        assertThat(now.since(before))
                .singleElement()
                .satisfies(row -> assertThat(row.counted()).isEqualTo(new Counted(4, 0, 0, 2)));
        assertThat(now.since(new Look(Map.of()))).isEmpty();
    }
}

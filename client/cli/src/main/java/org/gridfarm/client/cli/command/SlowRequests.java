package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import tools.jackson.databind.JsonNode;

import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "slow",
        header = "Shows the last requests that took long.",
        description = {
            "",
            "Of the leader and of each node, longer than slow_request of its configuration (1s), 256 of each, the newest first.",
            "What waits by its nature, for a lock or a job, is not among them. For administrators."
        },
        mixinStandardHelpOptions = true)
public final class SlowRequests implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Override
    public Integer call() {
        try (Gridfarm farm = options.connect()) {
            JsonNode found = AdminCalls.call(farm, "slow", Map.of());
            if (options.json) {
                Output.json(found);
                return 0;
            }
            Output.Table table =
                    Output.table(
                            "ENDED", "SERVER", "METHOD", "MS", "RESULT", "USER", "FROM", "REQUEST",
                            "TRACE");
            found.get("nodes")
                    .properties()
                    .forEach(server -> rows(table, server.getKey(), server.getValue()));
            table.print();
        }
        return 0;
    }

    private static void rows(Output.Table table, String server, JsonNode told) {
        if (told.has("failure")) {
            System.err.println("gf: slow: " + server + ": " + told.get("failure").asString());
            return;
        }
        for (JsonNode request : told.get("slow")) {
            table.row(
                    request.get("ended").asString(),
                    server,
                    request.get("method").asString(),
                    request.get("ms").asLong(),
                    request.get("result").asString(),
                    request.get("user").asString(),
                    request.get("from").asString(),
                    request.get("request").asString(),
                    request.path("trace").asString("")); // servers of before have none
        }
    }
}

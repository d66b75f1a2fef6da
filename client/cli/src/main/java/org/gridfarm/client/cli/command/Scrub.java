package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import tools.jackson.databind.JsonNode;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "scrub",
        header = "Verifies all replicas against their checksums, in the background.",
        description = {
            "",
            "ACTION is start, stop or status. Nodes do this by themselves as configured ([scrub] rate, every); what is found bad is made again"
                    + " from a good replica.",
            "Exit status 1: bad replicas were found, or a node did not answer."
        },
        mixinStandardHelpOptions = true)
public final class Scrub implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = "--rate",
            paramLabel = "BYTES",
            description = "per second and node, such as 50M; 0 is no limit")
    private String rate = "";

    @Parameters(index = "0", paramLabel = "ACTION")
    private String action = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            defaultValue = "",
            paramLabel = "NODE",
            description = "all nodes if left out")
    private String node = "";

    @Override
    public Integer call() {
        if (!List.of("start", "stop", "status").contains(action)) {
            throw new FarmException(
                    ErrorKind.USAGE, "scrub", action, "known are start, stop and status");
        }
        Map<String, String> arguments = new HashMap<>(Map.of("action", action, "node", node));
        if (!rate.isEmpty()) {
            arguments.put("rate", Long.toString(Administration.bytes(rate)));
        }
        JsonNode answer;
        try (Gridfarm farm = options.connect()) {
            answer = Administration.ask(farm, "scrub", arguments);
        }
        boolean well = true;
        Output.Table table =
                Output.table(
                        "NODE", "STATE", "REPLICAS", "BYTES", "BAD", "RATE", "STARTED", "ENDED");
        for (Map.Entry<String, JsonNode> entry : answer.get("nodes").properties()) {
            JsonNode status = entry.getValue();
            if (status.has("failure")) {
                well = false;
                table.row(entry.getKey(), status.get("failure").asString(), "", "", "", "", "", "");
                continue;
            }
            well &= status.get("bad").asLong() == 0;
            long perSecond = status.get("rate").asLong();
            table.row(
                    entry.getKey(),
                    status.get("running").asBoolean() ? "running" : "idle",
                    status.get("objects").asLong(),
                    Output.bytes(status.get("bytes").asLong()),
                    status.get("bad").asLong(),
                    perSecond == 0 ? "no limit" : Output.bytes(perSecond) + "/s",
                    text(status.get("started")),
                    text(status.get("ended")));
        }
        if (options.json) {
            Output.json(answer);
        } else {
            table.print();
        }
        return well ? 0 : 1;
    }

    private static String text(JsonNode instant) {
        return instant.isNull() ? "-" : instant.asString();
    }
}

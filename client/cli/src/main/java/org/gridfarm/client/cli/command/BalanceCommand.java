package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.JsonNode;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "balance",
        header = "Moves content from full to empty nodes until they are even.",
        description = {
            "",
            "Runs in the background, whenever nothing has to be repaired, and ends by itself; a change of leader does not stop it."
        },
        mixinStandardHelpOptions = true)
public final class BalanceCommand implements Callable<Integer> {
    /** What is to be done; begin, where none is given. */
    static final class Action {
        @Option(names = "--pause", description = "move nothing until --resume")
        private boolean pause;

        @Option(names = "--resume", description = "go on")
        private boolean resume;

        @Option(names = "--stop", description = "end it")
        private boolean stop;

        @Option(names = "--status", description = "show how it stands")
        private boolean status;

        String text() {
            return pause
                    ? "pause"
                    : resume ? "resume" : stop ? "stop" : status ? "status" : "start";
        }
    }

    @Mixin private FarmOptions options = new FarmOptions();

    @ArgGroup private Action action = new Action();

    @Option(names = "--dry-run", description = "show what it would take, and do nothing")
    private boolean dryRun;

    @Option(names = "--wait", description = "until the nodes are even")
    private boolean waits;

    @Option(
            names = "--rate",
            defaultValue = "0",
            paramLabel = "BYTES",
            description = "per second in the whole farm, such as 50M; 0 is no limit")
    private String rate = "0";

    @Option(
            names = "--spread",
            defaultValue = "5",
            paramLabel = "PERCENT",
            description =
                    "the free shares of the fullest and the emptiest node may differ by so much (${DEFAULT-VALUE})")
    private double spread;

    @Override
    public Integer call() {
        if (!(spread > 0 && spread < 100)) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "balance",
                    Double.toString(spread),
                    "the spread is between 0 and 100 percent");
        }
        Map<String, String> arguments = new HashMap<>();
        arguments.put("action", action.text());
        arguments.put("dry_run", Boolean.toString(dryRun));
        arguments.put("spread", Double.toString(spread / 100));
        if (action.text().equals("start") || Administration.bytes(rate) > 0) {
            arguments.put("rate", Long.toString(Administration.bytes(rate)));
        }
        try (Gridfarm farm = options.connect()) {
            JsonNode status = Administration.ask(farm, "balance", arguments);
            while (waits && !dryRun && status.get("state").asString().equals("active")) {
                Administration.progress(line(status));
                Administration.pause();
                status = Administration.ask(farm, "balance", Map.of("action", "status"));
            }
            if (options.json) {
                Output.json(status);
            } else {
                System.out.println(line(status));
            }
        }
        return 0;
    }

    private static String line(JsonNode status) {
        double percent = Math.round(status.get("difference").asDouble() * 1000) / 10.0;
        String fullest = status.get("fullest").asString();
        String work =
                fullest.isEmpty()
                        ? "the nodes are even"
                        : Output.bytes(status.get("bytes_left").asLong())
                                + " to move, from "
                                + fullest
                                + " to "
                                + status.get("emptiest").asString()
                                + " first"
                                + Administration.about(status.get("eta_seconds").asDouble());
        return "balance is "
                + status.get("state").asString()
                + ": "
                + work
                + "; free shares differ by "
                + percent
                + " %";
    }
}

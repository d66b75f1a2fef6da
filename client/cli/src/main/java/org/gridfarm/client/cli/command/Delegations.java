package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "delegations",
        header = "Shows which mounts decide by themselves in which directories.",
        description = {
            "",
            "Directories that mounts have made or work in, and nobody else has asked for, as the leader knows them.",
            "HELD: for how long the mount has had any, since the leader began at most. COMMANDS: what it has told this leader.",
            "ASKED BACK: directories that somebody waits for, and for how long.",
            "With --return the mounts tell what they have, and the directories are the leader's. Directories that a mount makes",
            "in them later are its own again: mount with writebehind=off to end that. For administrators."
        },
        mixinStandardHelpOptions = true)
public final class Delegations implements Callable<Integer> {
    private static final long MILLIS = 1000;

    /**
     * A mount that does not answer is waited for until its lease ends, after a change of leader
     * longer.
     */
    private static final Duration RETURNED_WITHIN = Duration.ofSeconds(60);

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(names = "--paths", description = "the directories by path, 20000 at most")
    private boolean paths;

    @Option(names = "--return", description = "have them given back")
    private boolean giveBack;

    @Parameters(
            paramLabel = "PATH",
            arity = "0..1",
            defaultValue = "",
            description = "with --return: this one and those below it, instead of all")
    private String path = "";

    @Override
    public Integer call() {
        if (!path.isEmpty() && !giveBack) {
            throw new FarmException(
                    ErrorKind.USAGE, "delegations", path, "a path goes with --return");
        }
        if (giveBack && paths) {
            throw new FarmException(ErrorKind.USAGE, "delegations", "--paths", "not with --return");
        }
        try (Gridfarm farm = options.connect()) {
            return giveBack ? giveBack(farm) : show(farm);
        }
    }

    // ---- looking

    private int show(Gridfarm farm) {
        JsonNode found =
                AdminCalls.call(farm, "delegations", paths ? Map.of("paths", "yes") : Map.of());
        if (options.json) Output.json(found);
        else if (found.get("total").asLong() == 0) System.out.println("no directory is delegated");
        else if (paths) listPaths(found);
        else list(found);
        return 0;
    }

    private static void list(JsonNode found) {
        Output.Table table =
                Output.table(
                        "SESSION",
                        "HOST",
                        "FROM",
                        "DIRECTORIES",
                        "HELD",
                        "COMMANDS",
                        "ASKED BACK",
                        "CLIENT");
        for (JsonNode session : found.get("sessions")) {
            table.row(
                    session.get("session").asString(),
                    host(session.get("who").asString()),
                    session.get("from").asString(),
                    session.get("directories").asLong(),
                    session.get("held_ms").asLong() / MILLIS + " s",
                    session.get("commands").asLong(),
                    askedBack(session),
                    client(session));
        }
        table.print();
    }

    /** The last name of the certificate: the user of every mount is the same. */
    private static String host(String who) {
        return who.substring(who.lastIndexOf('=') + 1);
    }

    private static String askedBack(JsonNode session) {
        long asked = session.get("asked_back").asLong();
        double seconds = session.get("asked_back_ms").asDouble() / MILLIS;
        return asked == 0 ? "-" : String.format("%d, for %.1f s", asked, seconds);
    }

    /** After a change of leader there may be sessions that nobody has spoken for. */
    private static String client(JsonNode session) {
        String client = session.get("client").asString();
        return client.isEmpty() ? "(has not come to this leader yet)" : client;
    }

    private static void listPaths(JsonNode found) {
        Output.Table table = Output.table("SESSION", "CLIENT", "PATH");
        for (JsonNode session : found.get("sessions")) {
            for (JsonNode one : session.get("paths")) {
                table.row(session.get("session").asString(), client(session), one.asString());
            }
        }
        table.print();
    }

    // ---- having given back

    private int giveBack(Gridfarm farm) {
        Map<String, String> arguments =
                path.isEmpty() ? Map.of() : Map.of("path", Operands.here().path(path).toString());
        JsonNode done = AdminCalls.call(farm, "delegations-return", arguments, RETURNED_WITHIN);
        if (options.json) {
            Output.json(done);
            return 0;
        }
        long left = done.get("left").asLong();
        System.out.println(
                done.get("returned").asLong()
                        + " given back"
                        + (left == 0 ? "" : ", " + left + " made meanwhile"));
        return 0;
    }
}

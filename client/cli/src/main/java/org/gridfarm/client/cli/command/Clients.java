package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.Gridfarm;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "clients",
        header = "Shows who has a session, and what each has open and holds under lease.",
        description = {
            "",
            "Sessions at the leader, those with most leases first, 1000 at most; leases that are held at cache servers are in gf nodes.",
            "OWES: recalls that the client has not answered. With SESSION: its open files and leases by path. For administrators."
        },
        mixinStandardHelpOptions = true)
public final class Clients implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Parameters(paramLabel = "SESSION", arity = "0..1", description = "one of them, as listed")
    private List<String> session = List.of();

    @Override
    public Integer call() {
        try (Gridfarm farm = options.connect()) {
            Map<String, String> arguments =
                    session.isEmpty() ? Map.of() : Map.of("session", session.get(0));
            JsonNode found = AdminCalls.call(farm, "clients", arguments);
            if (options.json) Output.json(found);
            else if (session.isEmpty()) list(found);
            else show(found);
        }
        return 0;
    }

    private static void list(JsonNode found) {
        Output.Table table =
                Output.table(
                        "SESSION", "USER", "ROLE", "NODE", "FROM", "LEASES", "OPEN", "WRITING",
                        "OWES", "CLIENT");
        for (JsonNode client : found.get("clients")) {
            table.row(
                    client.get("session").asString(),
                    client.get("user").asString(),
                    client.get("role").asString(),
                    client.get("node").asString(),
                    client.get("from").asString(),
                    client.get("leases").asLong(),
                    client.get("open_files").asLong(),
                    client.get("open_for_writing").asLong(),
                    client.get("recalls_owed").asLong(),
                    client.get("client").asString());
        }
        table.print();
    }

    private static void show(JsonNode client) {
        for (JsonNode file : client.get("open")) {
            String mode = file.get("write").asBoolean() ? "writing " : "reading ";
            System.out.println(mode + Output.name(file.get("path").asString()));
        }
        client.get("held")
                .forEach(path -> System.out.println("lease   " + Output.name(path.asString())));
    }
}

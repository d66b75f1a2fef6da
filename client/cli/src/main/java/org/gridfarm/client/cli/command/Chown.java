package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.Owner;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "chown",
        header = "Changes owners and groups.",
        description = {
            "",
            "OWNER is a user, user:group, or :group, by name or number. Names are those of this host; the farm keeps numbers."
        },
        footer = {"", "Example:", "  gf chown -R ann:physics /project"})
public final class Chown implements Callable<Integer> {
    @Mixin private OwnerOptions options = new OwnerOptions();

    @Parameters(index = "0", paramLabel = "OWNER", description = "user, user:group or :group")
    private String owner = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATH", description = "in the farm")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        return options.change(Owner.of(owner), paths);
    }
}

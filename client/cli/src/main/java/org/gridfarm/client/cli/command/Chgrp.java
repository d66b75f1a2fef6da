package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.Owner;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "chgrp",
        header = "Changes groups.",
        description = {"", "GROUP is a name of this host or a number."})
public final class Chgrp implements Callable<Integer> {
    @Mixin private OwnerOptions options = new OwnerOptions();

    @Parameters(index = "0", paramLabel = "GROUP", description = "the group it is to have")
    private String group = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATH", description = "in the farm")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        return options.change(Owner.of(":" + group), paths);
    }
}

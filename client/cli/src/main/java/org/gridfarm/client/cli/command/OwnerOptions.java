package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.Owner;
import org.gridfarm.client.core.AttributeChange;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.List;

/** What {@code chown} and {@code chgrp} have in common. */
final class OwnerOptions {
    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = {"-R", "--recursive"},
            description = "everything below as well")
    private boolean recursive;

    @Option(
            names = {"-h", "--no-dereference"},
            description = "symbolic links themselves, as always with -R")
    private boolean links;

    @Mixin private HelpOption help = new HelpOption();

    /** The exit status. */
    int change(Owner owner, List<String> paths) {
        AttributeChange change = AttributeChange.NONE.withOwner(owner.uid(), owner.gid());
        boolean follow = !links && !recursive;
        return Trees.visit(
                options,
                paths,
                follow,
                recursive,
                (farm, found) -> farm.change(found.path(), follow, change));
    }
}

package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.ModeChange;
import org.gridfarm.client.core.AttributeChange;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "chmod",
        header = "Changes permissions.",
        description = {"", "MODE is octal, such as 750, or symbolic, such as u+x or g=rx,o=."},
        footer = {
            "",
            "Examples:",
            "  gf chmod -R u+rwX,go-w /project",
            "  gf chmod 640 '/in/*.dat'"
        },
        mixinStandardHelpOptions = true)
public final class Chmod implements Callable<Integer> {
    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = {"-R", "--recursive"},
            description = "everything below as well; symbolic links there are left alone")
    private boolean recursive;

    @Parameters(index = "0", paramLabel = "MODE", description = "what the permissions are to be")
    private String mode = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATH", description = "in the farm")
    private List<String> paths = List.of();

    @Override
    public Integer call() {
        ModeChange change = ModeChange.of(mode);
        return Trees.visit(
                options, paths, true, recursive, (farm, found) -> set(farm, found, change));
    }

    private static void set(Gridfarm farm, FileInfo found, ModeChange change) {
        if (!found.isSymbolicLink()) {
            int wanted = change.applyTo(found.mode(), found.isDirectory());
            FarmPath path = found.path();
            farm.change(path, false, AttributeChange.NONE.withMode(wanted));
        }
    }
}

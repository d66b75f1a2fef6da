package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "ln",
        header = "Makes hard links, and with -s symbolic links.",
        description = {
            "",
            "Where the last PATH is a directory, the links are made in it. The target of a symbolic link is kept as it is written;",
            "a path below a mount or with gf: becomes the path in the farm."
        },
        footer = {
            "",
            "Examples:",
            "  gf ln /data/run7.h5 /best.h5",
            "  gf ln -s run7 /data/latest"
        },
        mixinStandardHelpOptions = true)
public final class Ln implements Callable<Integer> {
    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = {"-s", "--symbolic"},
            description = "symbolic links")
    private boolean symbolic;

    @Option(
            names = {"-f", "--force"},
            description = "replace files that are there")
    private boolean force;

    @Option(
            names = {"-n", "--no-dereference", "-T"},
            description = "where LINK is a symbolic link to a directory, replace it")
    private boolean exact;

    @Parameters(
            arity = "2..*",
            paramLabel = "TARGET... LINK",
            description = "what the link leads to, and the link")
    private List<String> words = List.of();

    @Override
    public Integer call() {
        Operands operands = Operands.here();
        FarmPath link = operands.path(words.getLast());
        List<String> targets = words.subList(0, words.size() - 1);
        Each each = new Each();
        try (Gridfarm farm = options.connect()) {
            boolean into = farm.exists(link) && !exact && farm.stat(link).isDirectory();
            if (targets.size() > 1 && !into) {
                throw new FarmException(
                        ErrorKind.NOT_A_DIRECTORY,
                        "ln",
                        link.toString(),
                        "several targets need a directory");
            }
            for (String target : targets) {
                each.attempt(() -> make(farm, operands, target, link, into));
            }
        }
        return each.exitCode();
    }

    private void make(Gridfarm farm, Operands operands, String target, FarmPath to, boolean into) {
        if (symbolic) {
            String text =
                    operands.isMarked(target) && !isPlainRelative(target)
                            ? operands.path(target).toString()
                            : target;
            FarmPath link = into ? to.child(lastOf(text)) : to;
            replaced(farm, link);
            farm.symlink(text, link);
        } else {
            FarmPath existing = operands.path(target);
            FarmPath link = into ? to.child(existing.last()) : to;
            if (!farm.exists(existing)) {
                throw new FarmException(ErrorKind.NOT_FOUND, "link", existing.toString());
            }
            replaced(farm, link);
            farm.link(existing, link);
        }
    }

    /** A relative target is one of the link's directory, wherever this process is. */
    private static boolean isPlainRelative(String target) {
        return !target.startsWith("/") && !target.startsWith("gf:") && !target.startsWith("gfarm:");
    }

    private static String lastOf(String target) {
        String trimmed = target.replaceAll("/+$", "");
        return trimmed.substring(trimmed.lastIndexOf('/') + 1);
    }

    private void replaced(Gridfarm farm, FarmPath link) {
        if (!force) {
            return;
        }
        try {
            if (!farm.statLink(link).isDirectory()) {
                farm.delete(link);
            }
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.NOT_FOUND) {
                throw e;
            }
        }
    }
}

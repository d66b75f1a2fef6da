package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.operand.XattrValue;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

@Command(
        name = "setfattr",
        header = "Sets and removes extended attributes.",
        description = {
            "",
            "A value that begins with 0x is hexadecimal, with 0s base 64; '-' reads it from standard input."
        },
        footer = {
            "",
            "Examples:",
            "  gf setfattr -n user.instrument -v camera3 /in/x.dat",
            "  gf setfattr -x user.instrument /in/x.dat"
        })
public final class Setfattr implements Callable<Integer> {
    @Mixin private WhichFarm options = new WhichFarm();

    @Option(
            names = {"-n", "--name"},
            paramLabel = "NAME",
            description = "set this one")
    private String name = "";

    @Option(
            names = {"-v", "--value"},
            paramLabel = "VALUE",
            description = "to this; empty if not given")
    private String value = "";

    @Option(
            names = {"-x", "--remove"},
            paramLabel = "NAME",
            description = "remove this one")
    private String removed = "";

    @Mixin private HelpOption help = new HelpOption();

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "in the farm")
    private List<String> paths = List.of();

    @Override
    public Integer call() throws IOException {
        if (name.isEmpty() == removed.isEmpty()) {
            throw new FarmException(
                    ErrorKind.USAGE, "setfattr", "", "give -n NAME -v VALUE, or -x NAME");
        }
        byte[] bytes = value.equals("-") ? System.in.readAllBytes() : bytes(value);
        Each each = new Each();
        try (Gridfarm farm = options.connect()) {
            each.path(
                    farm,
                    paths,
                    path -> {
                        if (name.isEmpty()) {
                            farm.removeXattr(path, removed);
                        } else {
                            farm.setXattr(path, name, bytes);
                        }
                    });
        }
        return each.exitCode();
    }

    private static byte[] bytes(String text) {
        try {
            return XattrValue.bytes(text);
        } catch (IllegalArgumentException e) {
            throw new FarmException(
                    ErrorKind.USAGE, "setfattr", text, "neither hexadecimal nor base 64", e);
        }
    }
}

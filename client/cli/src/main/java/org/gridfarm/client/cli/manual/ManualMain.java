package org.gridfarm.client.cli.manual;

import org.gridfarm.client.cli.Gf;

import picocli.AutoComplete;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the manual pages into a directory and the completion of bash into a file. */
public final class ManualMain {
    private ManualMain() {}

    public static void main(String[] arguments) throws IOException {
        CommandLine gf = Gf.line();
        write(Path.of(arguments[0]), gf);
        Files.writeString(Path.of(arguments[1]), AutoComplete.bash("gf", gf));
    }

    private static void write(Path directory, CommandLine command) throws IOException {
        ManualPage page = new ManualPage(command.getCommandSpec());
        Files.writeString(directory.resolve(page.name() + ".1"), page.text());
        for (CommandLine one : command.getSubcommands().values()) write(directory, one);
    }
}

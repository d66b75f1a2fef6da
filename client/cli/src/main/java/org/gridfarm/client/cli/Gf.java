package org.gridfarm.client.cli;

import org.gridfarm.client.cli.command.Batch;
import org.gridfarm.client.cli.command.Subcommand;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.Exit;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.trace.Trace;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Entry of the {@code gf} program and of its links with the names Gfarm users know ({@code gfls},
 * {@code gfreg}, ...).
 */
@Command(
        name = "gf",
        header = "Gridfarm: a file system over many nodes that runs jobs where the data lies.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "gf help COMMAND tells more of one. A path in the farm is /a, gf:/a, gfarm:///a, or a path below a mount; patterns such as '*.dat' are",
            "matched in the farm. Options --config FILE and --json may stand before the command.",
            "",
            "The farm is found by --config FILE, GF_CONFIG, ~/.config/gridfarm/config.toml or /etc/gridfarm/config.toml.",
            "Daemons: gf metaserver|storagenode|scheduler --config FILE. Try it all here: gf demo."
        },
        mixinStandardHelpOptions = true,
        version = Output.VERSION)
public final class Gf {
    private Gf() {}

    public static void main(String[] arguments) {
        System.setOut(new PrintStream(System.out, false, new NameCharset(Terminal.OUT)));
        System.setErr(new PrintStream(System.err, true, new NameCharset(Terminal.ERR)));
        trace();
        System.exit(run(System.getProperty("gf.invoked", "gf"), LocalPath.arguments(arguments)));
    }

    /**
     * What this command asks servers for belongs to the trace of whoever started it, or with
     * GF_TRACE to one of its own.
     */
    private static void trace() {
        String told = System.getenv(Trace.VARIABLE);
        if (told != null) {
            Trace.parse(told).ifPresent(Trace::everywhere);
        } else if (System.getenv("GF_TRACE") != null) {
            Trace own = Trace.begin(Entropy.system());
            Trace.everywhere(own);
            System.err.println("gf: trace " + own.id());
        }
    }

    static int run(String invoked, String[] arguments) {
        Optional<String> instead = GfarmNames.instead(invoked);
        if (instead.isPresent()) {
            System.err.println(instead.get());
            return Exit.UNAVAILABLE.code();
        }
        String[] words = WholeLine.ordered(GfarmNames.translated(invoked, arguments));
        CommandLine line = new CommandLine(new Gf());
        // Colours are control characters, of which a terminal gets none.
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        // Only the subcommand asked for is registered: reflecting over all of them costs more than
        // most commands take.
        Subcommand asked = words.length == 0 ? null : Subcommand.named(words[0]);
        if (asked != null) {
            Object made = asked.create();
            if (made instanceof Batch batch) batch.runsBy(each -> run("gf", each));
            CommandLine command = new CommandLine(made);
            command.setStopAtPositional(asked.hasCommandOfItsOwn());
            command.setUnmatchedOptionsArePositionalParams(asked.hasDashedOperands());
            line.addSubcommand(asked.label(), command);
        } else if (words.length == 0 || words[0].equals("--help") || words[0].equals("-h")) {
            WholeLine.describe(line);
        }
        line.setExecutionExceptionHandler((failure, _, _) -> Failures.report(failure));
        line.setParameterExceptionHandler(Gf::usage);
        line.setExecutionStrategy(new CommandLine.RunLast());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.registerConverter(Path.class, LocalPath::of);
        line.setExpandAtFiles(false); // "@x" is a name like any other
        if (words.length == 0) {
            line.usage(System.err);
            return Exit.USAGE.code();
        }
        return line.execute(words);
    }

    private static int usage(ParameterException failure, String[] words) {
        System.err.println(WholeLine.complaint(failure, words));
        return Exit.USAGE.code();
    }

    /** Every command, as manual pages and completion show them. */
    public static CommandLine line() {
        CommandLine line = new CommandLine(new Gf());
        for (Subcommand subcommand : Subcommand.values()) {
            line.addSubcommand(subcommand.label(), subcommand.create());
        }
        return line;
    }
}

package org.gridfarm.client.cli.make;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.NameText;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** {@code gf run --make FILE}, from its text to its end. */
public final class Make {
    private static final String LEDGER = ".made";

    /** How the command line says it is to be done. */
    public record Wanted(
            Path file, List<String> targets, boolean isByDigest, MakeRun.Manner manner) {}

    private final Gridfarm farm;
    private final Wanted wanted;
    private final Map<FarmPath, Step> steps;
    private final List<FarmPath> targets;

    private Make(Gridfarm farm, Wanted wanted) throws IOException {
        this.farm = farm;
        this.wanted = wanted;
        String name = wanted.file().toString();
        List<Rule> rules = MakeFile.parse(name, NameText.of(Files.readAllBytes(wanted.file())));
        this.steps = Steps.of(name, rules, this::matching);
        this.targets = targets();
        requireInputs(name, rules);
    }

    /** The names of jobs that make what this file says, whenever it is run. */
    public static String jobName(Path file) {
        Path whole = file.toAbsolutePath().normalize();
        return "make %s %s"
                .formatted(
                        NameText.shown(String.valueOf(whole.getFileName())),
                        Ledger.digest(whole.toString()).substring(0, 8));
    }

    /** The exit status. */
    public static int run(
            Gridfarm farm,
            Wanted wanted,
            Supplier<SchedulerLine> lines,
            MakeRun.Submitter submitter)
            throws IOException, InterruptedException {
        Make make = new Make(farm, wanted);
        try (Ledger ledger = Ledger.open(make.ledger())) {
            return new MakeRun(
                            lines,
                            submitter,
                            wanted.manner(),
                            new Progress(make.steps, make.targets),
                            new Freshness(farm, wanted.isByDigest()),
                            ledger)
                    .run();
        }
    }

    /** Prints what would be run, and why. */
    public static void dryRun(Gridfarm farm, Wanted wanted) throws IOException {
        Make make = new Make(farm, wanted);
        Freshness freshness = new Freshness(farm, wanted.isByDigest());
        Progress progress = new Progress(make.steps, make.targets);
        Set<FarmPath> renewed = new HashSet<>();
        try (Ledger ledger = Ledger.open(make.ledger())) {
            while (progress.hasReady()) {
                for (Step step : progress.takeReady(Integer.MAX_VALUE)) {
                    String why =
                            step.inputs().stream()
                                    .filter(renewed::contains)
                                    .findFirst()
                                    .map(input -> "reads " + input + ", which is made anew")
                                    .orElseGet(() ->
                                            freshness
                                                    .of(step, ledger.of(step.output().toString()))
                                                    .stale());
                    if (!why.isEmpty()) {
                        renewed.add(step.output());
                        System.out.println(
                                step.task().command()
                                        + "  # "
                                        + Output.name(step.output().toString())
                                        + " "
                                        + why);
                    }
                    progress.fresh(step);
                }
            }
        }
    }

    private Path ledger() {
        return wanted.file().resolveSibling(wanted.file().getFileName() + LEDGER);
    }

    private List<FarmPath> matching(String pattern) {
        if (Steps.isPattern(pattern)) {
            return farm.glob(pattern);
        }
        FarmPath path = FarmPath.of(pattern);
        return farm.exists(path) ? List.of(path) : List.of();
    }

    private List<FarmPath> targets() {
        List<FarmPath> found = new ArrayList<>();
        for (String target : wanted.targets()) {
            FarmPath path = FarmPath.of(target.startsWith("gf:/") ? target.substring(3) : target);
            if (!steps.containsKey(path)) {
                throw new FarmException(
                        ErrorKind.NOT_FOUND,
                        "make",
                        target,
                        "no rule makes it; gf run --make %s --dry-run shows what would be made"
                                .formatted(wanted.file()));
            }
            found.add(path);
        }
        return found;
    }

    /** Before anything starts. */
    private void requireInputs(String name, List<Rule> rules) {
        for (Rule rule : rules) {
            List<String> patterns = new ArrayList<>(rule.each());
            patterns.addAll(rule.in());
            for (String pattern : patterns) {
                if (!isThere(pattern)) {
                    throw new FarmException(
                            ErrorKind.NOT_FOUND,
                            "make",
                            name + ":" + rule.line(),
                            pattern + " is not in the farm, and no rule makes it");
                }
            }
        }
    }

    private boolean isThere(String pattern) {
        return Steps.isPattern(pattern)
                ? steps.values().stream().anyMatch(step -> Steps.matches(pattern, step.output()))
                        || !farm.glob(pattern).isEmpty()
                : steps.containsKey(FarmPath.of(pattern)) || farm.exists(FarmPath.of(pattern));
    }
}

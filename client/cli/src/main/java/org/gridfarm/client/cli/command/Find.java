package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.find.Actions;
import org.gridfarm.client.cli.find.Expression;
import org.gridfarm.client.cli.find.FindParser;
import org.gridfarm.client.cli.find.Visit;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.cli.run.StandardInput;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

@Command(
        name = "find",
        header = "Finds files by name, type, size, age, owner, mode and replica level.",
        description = {
            "",
            "The expression is that of find: -name -iname -path -type -size -empty -mtime -mmin -atime -ctime -newer -user -group -perm",
            "-links -replicas N -maxdepth -mindepth -depth -prune, ! -a -o ( ), and the actions -print -print0 -ls -delete",
            "-exec COMMAND {} ';' and -exec COMMAND {} +. A command that is executed runs on this host; {} is the path in the farm."
        },
        footer = {
            "",
            "Examples:",
            "  gf find /in -name '*.dat' -size +1G",
            "  gf find /scratch -type f -mtime +30 -delete",
            "  gf find /in -type f -replicas -2 -print0 | xargs -0 gf setrep 2"
        })
public final class Find implements Callable<Integer> {
    @Mixin private HelpOption help = new HelpOption();

    @Mixin private FarmOptions options = new FarmOptions();

    @Parameters(
            arity = "0..*",
            paramLabel = "PATH... EXPRESSION",
            description = "where to begin, / if nowhere, and what is wanted")
    private List<String> words = List.of();

    private final List<Map<String, Object>> documents = new ArrayList<>();
    private boolean failed;

    @Override
    public Integer call() throws IOException {
        int begin = 0;
        while (begin < words.size() && !isExpression(words.get(begin))) {
            begin++;
        }
        List<String> places = begin == 0 ? List.of("/") : words.subList(0, begin);
        List<String> wanted = words.subList(begin, words.size());
        Each each = new Each();
        try (Gridfarm farm = options.connect()) {
            FindParser parser =
                    new FindParser(wanted, new InFarm(farm), Instant.now(), Operands.here());
            Expression expression = parser.parse();
            each.path(
                    farm,
                    places,
                    path -> visit(farm, farm.statLink(path), 0, parser, expression, each));
            failed |= !parser.end();
        }
        if (options.json) {
            Output.json(Map.of("files", documents));
        }
        System.out.flush();
        return each.exitCode() == 0 && failed ? 1 : each.exitCode();
    }

    private static boolean isExpression(String word) {
        return word.equals("!") || word.equals("(") || word.startsWith("-");
    }

    private void visit(
            Gridfarm farm,
            FileInfo found,
            int depth,
            FindParser parser,
            Expression expression,
            Each each) {
        boolean descends = found.isDirectory() && depth < parser.deepest();
        List<FileInfo> below = new ArrayList<>();
        if (found.isDirectory()) {
            each.attempt(() -> below.addAll(farm.list(found.path()).toList()));
        }
        // What was below it may have been deleted when its turn comes.
        BooleanSupplier empty =
                found.isDirectory()
                        ? () -> below.isEmpty() || isEmptyNow(farm, found, parser)
                        : () -> found.isRegularFile() && found.size() == 0;
        Visit visit = new Visit(found, depth, empty);
        boolean counts = depth >= parser.shallowest();
        if (counts && !parser.isDeepFirst()) {
            each.attempt(() -> expression.test(visit));
        }
        if (descends && !visit.isPruned()) {
            for (FileInfo entry : below) {
                visit(farm, entry, depth + 1, parser, expression, each);
            }
        }
        if (counts && parser.isDeepFirst()) {
            each.attempt(() -> expression.test(visit));
        }
    }

    private static boolean isEmptyNow(Gridfarm farm, FileInfo directory, FindParser parser) {
        if (!parser.isDeepFirst()) return false;
        try (Stream<FileInfo> entries = farm.list(directory.path())) {
            return entries.findAny().isEmpty();
        }
    }

    private final class InFarm implements Actions {
        private final Gridfarm farm;

        InFarm(Gridfarm farm) {
            this.farm = farm;
        }

        @Override
        public void print(FileInfo file, String end) {
            if (options.json) {
                documents.add(Describe.file(file.path().toString(), file.attributes()));
            } else if (end.equals("\n")) {
                System.out.println(Output.name(file.path().toString()));
            } else {
                System.out.print(file.path() + end);
            }
        }

        @Override
        public void list(FileInfo file) {
            System.out.printf(
                    "%s %2d %s %s %d %s %s%n",
                    Describe.mode(file.attributes()),
                    file.replicasWanted(),
                    Describe.user(file.uid()),
                    Describe.group(file.gid()),
                    file.size(),
                    file.modified(),
                    Output.name(file.path().toString()));
        }

        @Override
        public void delete(FileInfo file) {
            if (file.path().isRoot()) {
                throw new FarmException(
                        ErrorKind.NOT_PERMITTED, "find", "/", "the root cannot be removed");
            }
            farm.delete(file.path());
        }

        @Override
        public boolean execute(List<String> command) throws IOException {
            System.out.flush();
            try {
                int status =
                        new ProcessBuilder(command)
                                .inheritIO()
                                .redirectInput(StandardInput.ofChildren())
                                .start()
                                .waitFor();
                failed |= status != 0;
                return status == 0;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new FarmException(ErrorKind.INTERRUPTED, "find", command.getFirst(), "", e);
            }
        }

        @Override
        public Instant modified(FarmPath path) {
            return farm.stat(path).modified();
        }
    }
}

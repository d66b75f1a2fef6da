package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Attributes;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "ls",
        header = "Lists directories and files.",
        footer = {
            "",
            "Examples:",
            "  gf ls -lh /in            sizes as people read them",
            "  gf ls -ltr '/in/*.dat'   the newest last; the pattern is matched in the farm",
            "  gf ls -ld /in            the directory itself"
        })
public final class Ls implements Callable<Integer> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneId.systemDefault());
    private static final DateTimeFormatter FULL_TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.nnnnnnnnn xx")
                    .withZone(ZoneId.systemDefault());

    @Mixin private HelpOption help = new HelpOption();

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(names = "-l", description = "mode, replica level, owner, group, size and time of each")
    private boolean details;

    @Option(
            names = {"-a", "-A", "--all"},
            description = "also names that begin with a dot")
    private boolean all;

    @Option(
            names = {"-d", "--directory"},
            description = "the directory itself, not what is in it")
    private boolean itself;

    @Option(
            names = {"-R", "--recursive"},
            description = "everything below as well")
    private boolean recursive;

    @Option(
            names = {"-h", "--human-readable"},
            description = "with -l: sizes as 1.5K, 2.0G")
    private boolean human;

    @Option(names = "-t", description = "sort by time of modification, newest first")
    private boolean byTime;

    @Option(names = "-S", description = "sort by size, largest first")
    private boolean bySize;

    @Option(
            names = {"-r", "--reverse"},
            description = "reverse the order")
    private boolean reversed;

    @Option(names = "-1", description = "one name a line, which is always so")
    private boolean one;

    @Option(
            names = {"-i", "--inode"},
            description = "inode numbers, in hexadecimal")
    private boolean inodes;

    @Option(
            names = {"-F", "--classify"},
            description = "'/' behind directories, '@' behind links, '*' behind programs")
    private boolean marks;

    @Option(
            names = {"-n", "--numeric-uid-gid"},
            description = "with -l: numbers of users and groups, not names")
    private boolean numbers;

    @Option(
            names = {"-T", "--full-time"},
            description = "with -l: times to the nanosecond")
    private boolean fullTime;

    @Parameters(paramLabel = "PATH", description = "in the farm; / if none", arity = "0..*")
    private List<String> paths = List.of("/");

    private record Shown(String name, FileInfo file) {
        Attributes attributes() {
            return file.attributes();
        }
    }

    private boolean separated;

    @Override
    public Integer call() {
        List<Map<String, Object>> documents = new ArrayList<>();
        Each each = new Each();
        try (Gridfarm farm = options.connect()) {
            List<Shown> files = new ArrayList<>();
            List<FarmPath> directories = new ArrayList<>();
            each.path(
                    farm,
                    paths,
                    path -> {
                        FileInfo found = itself || details ? farm.statLink(path) : farm.stat(path);
                        if (found.isDirectory() && !itself) {
                            directories.add(path);
                        } else {
                            files.add(new Shown(path.toString(), found));
                        }
                    });
            files.sort(order());
            show(farm, files, documents);
            boolean headed = directories.size() + files.size() > 1 || recursive;
            separated = files.isEmpty();
            for (FarmPath directory : directories) {
                each.attempt(() -> list(farm, directory, headed, documents, each));
            }
        }
        if (options.json) {
            Output.json(Map.of("entries", documents));
        }
        return each.exitCode();
    }

    private void list(
            Gridfarm farm,
            FarmPath path,
            boolean headed,
            List<Map<String, Object>> documents,
            Each each) {
        List<Shown> shown = new ArrayList<>();
        farm.list(path)
                .forEach(entry -> {
                    String name = entry.path().last().toString();
                    if (all || !name.startsWith(".")) {
                        shown.add(new Shown(name, entry));
                    }
                });
        shown.sort(order());
        if (headed && !options.json) {
            if (!separated) {
                System.out.println();
            }
            System.out.println(Output.name(path.toString()) + ":");
        }
        separated = false;
        show(farm, shown, documents);
        if (recursive) {
            for (Shown below : shown) {
                if (below.file().isDirectory()) {
                    each.attempt(() -> list(farm, below.file().path(), true, documents, each));
                }
            }
        }
    }

    private Comparator<Shown> order() {
        Comparator<Shown> names = Comparator.comparing(Shown::name);
        Comparator<Shown> order = names;
        if (byTime) {
            order = Comparator.<Shown>comparingLong(s -> -s.attributes().getMtime());
        } else if (bySize) {
            order = Comparator.<Shown>comparingLong(s -> -s.attributes().getSize());
        }
        order = order.thenComparing(names);
        return reversed ? order.reversed() : order;
    }

    private void show(Gridfarm farm, List<Shown> entries, List<Map<String, Object>> documents) {
        if (options.json) {
            entries.forEach(entry ->
                    documents.add(
                            Describe.file(entry.file().path().toString(), entry.attributes())));
            return;
        }
        if (!details) {
            for (Shown entry : entries) {
                String inode = inodes ? Long.toHexString(entry.file().inode()) + " " : "";
                System.out.println(inode + Output.name(entry.name()) + mark(entry));
            }
            return;
        }
        Output.Table table = Output.bare();
        for (Shown entry : entries) {
            table.row(row(farm, entry));
        }
        table.print();
    }

    private Object[] row(Gridfarm farm, Shown entry) {
        Attributes a = entry.attributes();
        List<Object> cells = new ArrayList<>();
        if (inodes) {
            cells.add(Long.toHexString(a.getInode()));
        }
        cells.add(Describe.mode(a));
        cells.add(a.getReplicasWanted());
        cells.add(numbers ? Integer.toString(a.getUid()) : Describe.user(a.getUid()));
        cells.add(numbers ? Integer.toString(a.getGid()) : Describe.group(a.getGid()));
        cells.add(human ? (Object) Output.bytes(a.getSize()) : (Object) a.getSize());
        cells.add((fullTime ? FULL_TIME : TIME).format(Instant.ofEpochSecond(0, a.getMtime())));
        cells.add(
                entry.file().isSymbolicLink()
                        ? entry.name() + " -> " + farm.readLink(entry.file().path())
                        : entry.name() + mark(entry));
        return cells.toArray();
    }

    private String mark(Shown entry) {
        if (!marks) {
            return "";
        }
        return switch (entry.file().type()) {
            case DIRECTORY -> "/";
            case SYMLINK -> "@";
            case FIFO -> "|";
            case SOCKET -> "=";
            case REGULAR -> (entry.file().mode() & 0111) == 0 ? "" : "*";
            case CHARACTER_DEVICE, BLOCK_DEVICE, FILE_TYPE_UNSPECIFIED, UNRECOGNIZED -> "";
        };
    }
}

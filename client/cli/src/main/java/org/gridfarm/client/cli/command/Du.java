package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

@Command(
        name = "du",
        header = "Adds up the sizes of files in directories.",
        description = {
            "",
            "Sizes are those of the contents, in KiB unless -h or -b says otherwise; --replicas counts every copy that is wanted.",
            "A file with several names is counted once."
        },
        footer = {"", "Examples:", "  gf du -sh '/in/*'", "  gf du -h -d 1 --replicas /project"})
public final class Du implements Callable<Integer> {
    @Mixin private HelpOption help = new HelpOption();

    @Mixin private FarmOptions options = new FarmOptions();

    @Option(
            names = {"-s", "--summarize"},
            description = "only the sum of each PATH")
    private boolean sums;

    @Option(
            names = {"-h", "--human-readable"},
            description = "as 1.5K, 2.0G")
    private boolean human;

    @Option(
            names = {"-b", "--bytes"},
            description = "in bytes")
    private boolean bytes;

    @Option(
            names = {"-k"},
            description = "in KiB, which is so by itself")
    private boolean kib;

    @Option(
            names = {"-a", "--all"},
            description = "also files")
    private boolean all;

    @Option(
            names = {"-c", "--total"},
            description = "and a sum of all")
    private boolean total;

    @Option(
            names = {"-d", "--max-depth"},
            paramLabel = "COUNT",
            description = "directories so far below PATH; 0 is -s")
    private int depth = Integer.MAX_VALUE;

    @Option(names = "--replicas", description = "count every copy that the replica level wants")
    private boolean replicas;

    @Parameters(arity = "0..*", paramLabel = "PATH", description = "in the farm; / if none")
    private List<String> paths = List.of("/");

    private record Sum(long bytes, long files) {
        Sum plus(Sum other) {
            return new Sum(bytes + other.bytes, files + other.files);
        }
    }

    private final Set<Long> linked = new HashSet<>(); // inodes with several names
    private final List<Map<String, Object>> documents = new ArrayList<>();

    @Override
    public Integer call() {
        Each each = new Each();
        Sum[] whole = {new Sum(0, 0)};
        int shown = sums ? 0 : depth;
        try (Gridfarm farm = options.connect()) {
            each.path(
                    farm,
                    paths,
                    path ->
                            whole[0] =
                                    whole[0].plus(add(farm, farm.statLink(path), 0, shown, each)));
        }
        if (total && !options.json) {
            System.out.println(size(whole[0].bytes) + "\ttotal");
        }
        if (options.json) {
            Output.json(
                    Map.of(
                            "entries", documents,
                            "bytes", whole[0].bytes,
                            "files", whole[0].files));
        }
        return each.exitCode();
    }

    private Sum add(Gridfarm farm, FileInfo found, int at, int shown, Each each) {
        if (found.isDirectory()) {
            Sum[] sum = {new Sum(0, 0)};
            each.attempt(() -> {
                for (FileInfo entry : farm.list(found.path()).toList()) {
                    sum[0] = sum[0].plus(add(farm, entry, at + 1, shown, each));
                }
            });
            if (at <= shown) {
                show(found, sum[0]);
            }
            return sum[0];
        }
        boolean counted = found.links() > 1 && !linked.add(found.inode());
        long size = found.isRegularFile() && !counted ? found.size() : 0;
        Sum sum =
                new Sum(
                        replicas ? size * Math.max(1, found.replicasWanted()) : size,
                        counted ? 0 : 1);
        if (at == 0 || all && at <= shown) {
            show(found, sum);
        }
        return sum;
    }

    private void show(FileInfo found, Sum sum) {
        if (options.json) {
            documents.add(
                    Map.of(
                            "path", found.path().toString(),
                            "bytes", sum.bytes,
                            "files", sum.files));
        } else {
            System.out.println(size(sum.bytes) + "\t" + Output.name(found.path().toString()));
        }
    }

    private String size(long count) {
        if (human) {
            return Output.bytes(count);
        }
        return Long.toString(bytes ? count : (count + 1023) / 1024);
    }
}

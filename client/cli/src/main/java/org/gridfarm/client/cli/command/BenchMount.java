package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.bench.BenchFarm;
import org.gridfarm.client.cli.bench.mount.MountBench;
import org.gridfarm.client.cli.cluster.Mounts;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

@Command(
        name = "mount",
        header = "Measures a mount beside the local disk.",
        description = {
            "",
            "Names, small files, large files and git, each on the mount and then on the local disk; files of another node beside a plain socket."
                    + " The local directory has to lie on the disk that the attached node keeps its replicas on."
        },
        mixinStandardHelpOptions = true)
public final class BenchMount implements Callable<Integer> {
    @Mixin private FarmOptions options = new FarmOptions();

    @Mixin private BenchOptions bench = new BenchOptions();

    @Mixin private BenchedMount beside = new BenchedMount();

    @Option(
            names = "--other",
            paramLabel = "MNT",
            description =
                    "another mount of the farm, at another node (of a farm of gf cluster: n2's)")
    private @Nullable Path other;

    @Option(
            names = "--peer",
            paramLabel = "NAME=DIR",
            description =
                    "a directory of another file system, measured in the same run; may be said again")
    private Map<String, Path> peers = new LinkedHashMap<>();

    @Option(
            names = "--seconds",
            defaultValue = "1",
            description =
                    "duration of each measurement that is not of an amount (${DEFAULT-VALUE})")
    private double seconds;

    @Option(
            names = "--megabytes",
            defaultValue = "256",
            description = "size of the large files (${DEFAULT-VALUE})")
    private int megabytes;

    @Option(
            names = "--git-files",
            defaultValue = "20000",
            description = "files of the repository, 0 for none (${DEFAULT-VALUE})")
    private int gitFiles;

    @Override
    public Integer call() {
        if (seconds <= 0 || bench.repetitions < 1 || megabytes < 1 || gitFiles < 0) {
            throw new FarmException(
                    ErrorKind.USAGE, "bench", "", "counts, sizes and durations must be above 0");
        }
        for (Map.Entry<String, Path> peer : peers.entrySet()) {
            if (!Files.isDirectory(peer.getValue())) {
                throw new FarmException(
                        ErrorKind.USAGE,
                        "bench",
                        peer.getValue().toString(),
                        "--peer " + peer.getKey() + " is no directory: mount it first");
            }
        }
        try (BenchFarm farm = bench.farm(options)) {
            measure(farm);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return 0;
    }

    private void measure(BenchFarm farm) throws IOException {
        Path at = beside.mount(farm);
        Path second = other != null ? other : ofSecondNode(farm);
        if (second == null) {
            System.err.println("gf: without another node's files; name its mount with --other");
        }
        new MountBench(
                        new MountBench.Settings(
                                at,
                                second,
                                beside.local(farm),
                                peers,
                                Duration.ofNanos((long) (seconds * 1e9)),
                                bench.repetitions,
                                megabytes,
                                gitFiles),
                        BenchOptions::progress)
                .run()
                .print(options.json);
    }

    private static @Nullable Path ofSecondNode(BenchFarm farm) {
        return farm.directory()
                .map(directory -> directory.resolve("n2/mnt"))
                .filter(Mounts::isMounted)
                .orElse(null);
    }
}

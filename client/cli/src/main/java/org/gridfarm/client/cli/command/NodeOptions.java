package org.gridfarm.client.cli.command;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the tasks of a job ask of the nodes that they run on. */
final class NodeOptions {
    @Option(
            names = "--slots",
            defaultValue = "1",
            paramLabel = "COUNT",
            description = "slots that each task takes on its node (${DEFAULT-VALUE})")
    private int slots;

    @Option(
            names = "--mem",
            defaultValue = "0",
            paramLabel = "SIZE",
            description =
                    "memory that each task needs, such as 2G; one that takes more is ended; 0: any")
    private String memory = "0";

    @Option(
            names = "--disk",
            defaultValue = "0",
            paramLabel = "SIZE",
            description = "free on the disks of the node when a task starts, such as 100G")
    private String disk = "0";

    @Option(
            names = {"--gpu", "--gpus"},
            defaultValue = "0",
            paramLabel = "COUNT",
            description =
                    "GPUs for each task alone; it finds their numbers in CUDA_VISIBLE_DEVICES")
    private int gpus;

    @Option(
            names = "--on",
            defaultValue = "",
            paramLabel = "PATTERN",
            description =
                    "only on nodes whose name or group matches, such as n1, 'gpu*' or '{n1,n2}'")
    private String on = "";

    @Option(
            names = {"-H", "--hostfile"},
            paramLabel = "FILE",
            description = "only on the nodes named in this file, one a line, as gfrun has it")
    private @Nullable Path hostFile;

    @Option(
            names = "--prefer",
            defaultValue = "",
            paramLabel = "PATTERN",
            description = "of nodes that are as good, those whose name or group matches")
    private String prefer = "";

    int slots() {
        return slots;
    }

    void into(SubmitJobRequest.Builder request) {
        if (slots < 1 || gpus < 0) {
            throw new FarmException(
                    ErrorKind.USAGE, "run", "", "--slots is at least 1, and --gpu not negative");
        }
        request.setNodePattern(pattern())
                .setPrefer(prefer)
                .setMemoryBytes(Administration.bytes(memory))
                .setDiskBytes(Administration.bytes(disk))
                .setGpus(gpus);
    }

    private String pattern() {
        if (hostFile == null) {
            return on;
        }
        if (!on.isEmpty()) {
            throw new FarmException(ErrorKind.USAGE, "run", "--hostfile", "give either it or --on");
        }
        List<String> names = names(hostFile);
        if (names.isEmpty()) {
            throw new FarmException(
                    ErrorKind.USAGE, "run", "--hostfile " + hostFile, "it names no node");
        }
        return "{" + String.join(",", names) + "}";
    }

    private static List<String> names(Path file) {
        try {
            List<String> names =
                    Files.readAllLines(file).stream()
                            .map(line -> line.replaceFirst("#.*", "").strip())
                            .filter(line -> !line.isEmpty())
                            .toList();
            for (String name : names) {
                if (!name.matches("[A-Za-z0-9._-]+")) {
                    throw new FarmException(
                            ErrorKind.USAGE,
                            "run",
                            "--hostfile " + file,
                            "'" + name + "' is no name of a node: one a line");
                }
            }
            return names;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

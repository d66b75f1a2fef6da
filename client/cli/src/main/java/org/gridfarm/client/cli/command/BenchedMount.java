package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.bench.BenchFarm;
import org.gridfarm.client.cli.cluster.Mounts;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Option;

import java.nio.file.Path;

/** A mount that is measured, and the local disk beside it. */
final class BenchedMount {
    @Option(names = "--mount", paramLabel = "MNT", description = "the mount to measure")
    private @Nullable Path mount;

    @Option(
            names = "--local",
            paramLabel = "DIR",
            description =
                    "directory of the local disk (the farm's directory, else the present one)")
    private @Nullable Path local;

    /** The one that was named, else the farm's own; refused where nothing is mounted. */
    Path mount(BenchFarm farm) {
        Path at = mount != null ? mount : farm.mount().orElse(null);
        if (at == null || !Mounts.isMounted(at)) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "bench",
                    at == null ? "" : at.toString(),
                    "no mount to measure; name one with --mount, or make a farm with --self");
        }
        return at;
    }

    Path local(BenchFarm farm) {
        return local != null ? local : farm.directory().orElse(Path.of("."));
    }
}

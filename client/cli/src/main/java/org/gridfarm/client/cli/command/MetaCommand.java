package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.cli.cluster.Jvm;
import org.gridfarm.client.cli.run.StandardInput;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

@Command(
        name = "meta",
        header = "Keeps a farm's metadata in a file, puts them back, and changes its secret.",
        description = {
            "",
            "dump and restore work on the database that a metaserver's configuration names, on a host that may read it."
        },
        mixinStandardHelpOptions = true)
public final class MetaCommand {
    private static final String PROGRAM = "org.gridfarm.metaserver.BackupMain";
    private static final Path SERVER = Path.of("/etc/gridfarm/metaserver.toml");
    private static final String SERVER_HELP =
            "configuration of a metaserver (/etc/gridfarm/metaserver.toml, or that of the gf cluster"
                    + " that GF_CONFIG belongs to)";

    @Command(
            name = "dump",
            header = "Writes all metadata to a file, as of one moment, while the farm goes on.",
            description = {
                "",
                "Everything acknowledged before the command is in it. The file is compressed, carries a checksum and the version of its format, and holds the"
                        + " farm's secret: only its owner may read it. Contents of files are not in it."
            },
            mixinStandardHelpOptions = true)
    int dump(
            @Option(names = "--server", paramLabel = "TOML", description = SERVER_HELP)
                    @Nullable Path server,
            @Parameters(paramLabel = "FILE") Path file) {
        return run("dump", server, file);
    }

    @Command(
            name = "restore",
            header = "Fills an empty database with what a file holds.",
            description = {
                "",
                "No metaserver may have used the database; start one afterwards. All or nothing."
            },
            mixinStandardHelpOptions = true)
    int restore(
            @Option(names = "--server", paramLabel = "TOML", description = SERVER_HELP)
                    @Nullable Path server,
            @Parameters(paramLabel = "FILE") Path file) {
        return run("restore", server, file);
    }

    @Command(
            name = "rotate-secret",
            header = "Has tickets made of a new secret, for administrators.",
            description = {
                "",
                "Storage nodes serve whoever shows a ticket, which metaservers make of a secret in their database. Change it when somebody"
                        + " may have read it (a lost dump, a database role too many), and from time to time. Programs that run notice"
                        + " nothing: nodes take tickets of both until the last one of the former secret has run out."
            },
            mixinStandardHelpOptions = true)
    int rotateSecret(@Mixin FarmOptions options) {
        JsonNode answer;
        try (Gridfarm farm = options.connect()) {
            answer = AdminCalls.call(farm, "rotate-secret", Map.of());
        }
        if (options.json) {
            Output.json(answer);
        } else {
            System.out.printf(
                    "tickets are made of a new secret in %d s; the former one ends in %d s%n",
                    answer.get("in_use_after_seconds").asLong(),
                    answer.get("former_ends_after_seconds").asLong());
        }
        return 0;
    }

    /** Only the metaserver's program speaks to its database. */
    private static int run(String verb, @Nullable Path server, Path file) {
        Path config = server != null ? server : found();
        try {
            return new ProcessBuilder(
                            Jvm.command(PROGRAM, verb, config.toString(), file.toString()))
                    .inheritIO()
                    .redirectInput(StandardInput.ofChildren())
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    verb,
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, verb, file.toString(), "", e);
        }
    }

    private static Path found() {
        if (System.getenv("GF_CONFIG") != null) {
            Path client = ClientConfig.locate(Optional.empty()).toAbsolutePath();
            Path directory = client.resolveSibling(".").normalize();
            if (Cluster.isIn(directory)) return directory.resolve("meta1.toml");
        }
        if (Files.isReadable(SERVER)) return SERVER;
        throw new FarmException(
                ErrorKind.BAD_CONFIGURATION,
                "meta",
                SERVER.toString(),
                "is not there; name the configuration of a metaserver with --server");
    }
}

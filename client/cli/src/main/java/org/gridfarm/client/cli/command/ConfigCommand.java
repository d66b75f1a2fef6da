package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.cluster.Jvm;
import org.gridfarm.client.cli.run.StandardInput;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

@Command(name = "config", header = "Checks configuration files.", mixinStandardHelpOptions = true)
public final class ConfigCommand {
    private enum Kind {
        METASERVER("org.gridfarm.metaserver.MetaServerMain"),
        STORAGENODE("org.gridfarm.storagenode.StorageNodeMain"),
        SCHEDULER("org.gridfarm.scheduler.SchedulerMain"),
        CLIENT("");

        private final String mainClass;

        Kind(String mainClass) {
            this.mainClass = mainClass;
        }
    }

    @Command(
            name = "check",
            header = "Reads a file as its daemon would and says what is wrong with it.",
            description = {
                "",
                "Exit status 0: nothing is wrong; 78: the line printed says what and where. Nothing is started or connected to."
            },
            mixinStandardHelpOptions = true)
    int check(
            @Option(
                            names = "--kind",
                            paramLabel = "KIND",
                            description =
                                    "metaserver, storagenode, scheduler or client; told by the file's keys if not given")
                    @Nullable String kind,
            @Parameters(paramLabel = "FILE") Path file) {
        Kind of = kind == null ? kindOf(file) : named(kind);
        if (of == Kind.CLIENT) {
            ClientConfig.read(file);
        } else {
            int status = runDaemon(of, file);
            if (status != 0) {
                return status;
            }
        }
        System.out.println(
                file
                        + ": a good configuration of a "
                        + of.name().toLowerCase(java.util.Locale.ROOT));
        return 0;
    }

    /**
     * Only the daemon itself knows its keys: its program is run with the word that makes it stop
     * after reading.
     */
    private static int runDaemon(Kind kind, Path file) {
        try {
            return new ProcessBuilder(Jvm.command(kind.mainClass, "--check", file.toString()))
                    .inheritIO()
                    .redirectInput(StandardInput.ofChildren())
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "check",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "check", file.toString(), "", e);
        }
    }

    private static Kind named(String kind) {
        for (Kind one : Kind.values()) {
            if (one.name().equalsIgnoreCase(kind)) {
                return one;
            }
        }
        throw new FarmException(
                ErrorKind.USAGE,
                "config check",
                kind,
                "is none of metaserver, storagenode, scheduler, client");
    }

    private static Kind kindOf(Path file) {
        try {
            List<String> lines = Files.readAllLines(file);
            boolean database =
                    lines.stream().anyMatch(line -> line.strip().startsWith("[database]"));
            boolean data = lines.stream().anyMatch(line -> line.strip().matches("data\\s*=.*"));
            boolean metaservers =
                    lines.stream().anyMatch(line -> line.strip().matches("metaservers\\s*=.*"));
            if (data) {
                return Kind.STORAGENODE;
            }
            return database ? (metaservers ? Kind.SCHEDULER : Kind.METASERVER) : Kind.CLIENT;
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "read configuration",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }
}

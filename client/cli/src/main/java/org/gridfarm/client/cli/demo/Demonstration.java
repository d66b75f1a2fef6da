package org.gridfarm.client.cli.demo;

import org.gridfarm.client.cli.Failures;
import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The frame around the play: where it happens, and that nothing is left behind however it ends, ^C
 * included.
 */
public final class Demonstration {
    private final @Nullable Path wantedDirectory;
    private final @Nullable Path input;
    private final int nodes;
    private final boolean keep;
    private final boolean exit;
    private final boolean json;

    public Demonstration(
            @Nullable Path directory,
            @Nullable Path input,
            int nodes,
            boolean keep,
            boolean exit,
            boolean json) {
        if (nodes < 3) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "demo",
                    "--nodes " + nodes,
                    "at least 3: one is going to be killed");
        }
        if (keep && exit) {
            throw new FarmException(ErrorKind.USAGE, "demo", "--keep --exit", "choose one");
        }
        this.wantedDirectory = directory;
        this.input = input;
        this.nodes = nodes;
        this.keep = keep;
        this.exit = exit;
        this.json = json;
    }

    public int run() {
        Path directory = prepare();
        Thread cleaner = new Thread(() -> Cluster.remove(directory), "gf-demo-clean");
        Runtime.getRuntime().addShutdownHook(cleaner);
        int status = play(directory);
        boolean stay =
                status == 0
                        && (keep || (!exit && System.console() != null && !json && asksToKeep()));
        Runtime.getRuntime().removeShutdownHook(cleaner);
        if (stay) {
            tellHowToUse(directory);
        } else {
            Cluster.remove(directory);
        }
        return status;
    }

    private int play(Path directory) {
        Story story = new Story(json);
        try {
            Play play = new Play(directory, nodes, story);
            Cluster cluster = play.start();
            play.run(cluster, input);
            story.end();
            return 0;
        } catch (FarmException | IOException | UncheckedIOException e) {
            int status = Failures.report(e);
            showLogs(directory);
            return status;
        }
    }

    private Path prepare() {
        try {
            Path directory =
                    wantedDirectory == null
                            ? Files.createTempDirectory("gf-demo-")
                            : wantedDirectory.toAbsolutePath().normalize();
            Files.createDirectories(directory);
            try (Stream<Path> content = Files.list(directory)) {
                if (content.findAny().isPresent()) {
                    throw new FarmException(
                            ErrorKind.NOT_EMPTY,
                            "demo",
                            directory.toString(),
                            "the demonstration needs an empty directory");
                }
            }
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean asksToKeep() {
        java.io.Console console = System.console();
        String answer = console == null ? null : console.readLine("Keep the farm running? [y/N] ");
        return answer != null && answer.strip().toLowerCase(java.util.Locale.ROOT).startsWith("y");
    }

    private static void tellHowToUse(Path directory) {
        System.out.println();
        System.out.println(
                "The farm stays. Use it:   export GF_CONFIG=" + directory.resolve("client.toml"));
        System.out.println(
                "                          gf ls -l /in; gf where /in/*; ls "
                        + directory.resolve("mnt"));
        System.out.println(
                "End it:                   gf cluster stop --dir "
                        + directory
                        + " && rm -r "
                        + directory);
    }

    private static void showLogs(Path directory) {
        if (!Files.exists(directory.resolve("cluster.json"))) {
            return;
        }
        Cluster cluster = Cluster.open(directory, _ -> {});
        for (Cluster.ComponentStatus component : cluster.status()) {
            if (!component.ready()) {
                System.err.println(
                        "--- "
                                + component.name()
                                + " ("
                                + component.state()
                                + "), the end of its log:");
                System.err.println(cluster.logTail(component.name()));
            }
        }
    }
}

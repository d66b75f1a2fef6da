package org.gridfarm.client.cli.bench.data;

import org.gridfarm.client.cli.bench.Latencies;
import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Samples;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.Policy;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * {@code gf bench data}: each pattern on the bare local file system and right after it on the
 * mount, at replica levels 1 and 2; then what is written and read from far, and striped files.
 */
public final class DataBench {
    /**
     * @param mount of the farm, attached to a storage node of this machine
     * @param local a directory on the file system that the node's replicas lie on
     * @param bytes in each large file, or in all files that are written together
     */
    public record Settings(
            ClientConfig config, Path mount, Path local, long bytes, int repetitions) {}

    private static final List<Integer> STRIPES = List.of(1, 2, 4);
    private static final long STRIPE_UNIT = 4 << 20;

    private final Settings settings;
    private final Consumer<String> progress;
    private final Samples samples = new Samples();

    public DataBench(Settings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    public Report run() {
        String name = "gf-bench-" + ProcessHandle.current().pid();
        FarmPath root = FarmPath.of("/" + name);
        Path bare = settings.local().resolve(name);
        try (Gridfarm farm = Gridfarm.open(settings.config().withNode(""), "gf bench")) {
            try {
                for (int i = 0; i < settings.repetitions(); i++) repetition(farm, root, bare);
            } finally {
                remove(bare);
                if (farm.exists(root)) farm.deleteRecursively(root);
            }
        } catch (Exception e) {
            throw FarmException.of(e, "bench", name);
        }
        return new DataVerdict(samples).report();
    }

    private void repetition(Gridfarm farm, FarmPath root, Path bare) throws Exception {
        Patterns patterns = new Patterns(settings.bytes());
        compare(farm, root, bare, 1, patterns.all());
        compare(farm, root, bare, 2, patterns.sequential());
        far(farm, root);
        for (int stripes : STRIPES) striped(farm, root, stripes);
    }

    /** A fresh directory each time: what one case leaves behind is not in the way of another. */
    private void compare(Gridfarm farm, FarmPath root, Path bare, int level, List<Pattern> patterns)
            throws Exception {
        Files.createDirectories(bare);
        Path mounted = made(farm, root, Policy.replicas(level));
        try {
            for (Pattern pattern : patterns) {
                progress.accept(pattern.name() + ", level " + level);
                add(DataVerdict.bare(pattern.name(), level), pattern.unit(), pattern.rate(bare));
                add(DataVerdict.farm(pattern.name(), level), pattern.unit(), pattern.rate(mounted));
            }
        } finally {
            remove(bare);
            farm.deleteRecursively(root);
        }
    }

    private Path made(Gridfarm farm, FarmPath root, Policy policy) {
        farm.mkdir(root);
        farm.setPolicy(root, policy);
        return settings.mount().resolve(root.toString().substring(1));
    }

    /** By a client that is attached to no node; and by the mount, of what other nodes hold. */
    private void far(Gridfarm farm, FarmPath root) throws Exception {
        progress.accept("from far");
        Path mounted = made(farm, root, Policy.replicas(1));
        FarTransfer far = new FarTransfer(farm, settings.bytes());
        try {
            add(DataVerdict.SOCKET, "MB/s", far.socket());
            add(DataVerdict.FAR_WRITE, "MB/s", far.write(root.child("far")));
            add(DataVerdict.FAR_READ, "MB/s", far.read(root.child("far")));
            FarmPath away = far.makeAwayFrom(mounted, root);
            Path file = mounted.resolve(away.names().getLast().toString());
            add(DataVerdict.FAR_MOUNT, "MB/s", far.readAll(file));
        } finally {
            farm.deleteRecursively(root);
        }
    }

    private void striped(Gridfarm farm, FarmPath root, int stripes) throws IOException {
        progress.accept(stripes + " stripes");
        made(farm, root, Policy.stripes(stripes, STRIPE_UNIT));
        FarTransfer far = new FarTransfer(farm, settings.bytes());
        try {
            add(DataVerdict.striped("write", stripes), "MB/s", far.write(root.child("striped")));
            add(DataVerdict.striped("read", stripes), "MB/s", far.read(root.child("striped")));
        } finally {
            farm.deleteRecursively(root);
        }
    }

    private void add(String name, String unit, double value) {
        samples.add(name, unit, value, new Latencies());
    }

    private static void remove(Path directory) throws IOException {
        if (!Files.exists(directory)) return;
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}

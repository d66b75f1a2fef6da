package org.gridfarm.client.cli.bench.api;

import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Samples;
import org.gridfarm.client.cli.cluster.OsProcess;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.Policy;
import org.gridfarm.client.core.nio.FarmFileSystemProvider;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * {@code gf bench api}: each task on the bare disk and right after it at every door to the farm,
 * with one copy of each file. Each door is a client of its own, so that none finds in its cache
 * what another has asked for. Owned by one thread.
 */
public final class ApiBench {
    /** So much comes first and is not told: what the compiler does meanwhile. */
    private static final int WARMING = 8;

    private static final int MAKERS_BLOCK = 512;

    /**
     * @param local a directory on the disk that the replicas lie on
     * @param mebibytes in each large file
     * @param files small ones, for each number of threads
     * @param entries of the directory that is listed
     */
    public record Settings(
            ClientConfig config,
            Path local,
            int mebibytes,
            int files,
            int entries,
            int repetitions) {}

    private final Settings settings;
    private final Consumer<String> progress;
    private final Samples samples = new Samples();
    private final String name = "gf-bench-api-" + ProcessHandle.current().pid();
    private final FarmPath root = FarmPath.of("/" + name);
    private final Path bare;

    public ApiBench(Settings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
        this.bare = settings.local().resolve(name);
    }

    public Report run() throws IOException {
        try (Gridfarm farm = Gridfarm.open(settings.config(), "gf bench")) {
            try {
                farm.mkdir(root);
                farm.setPolicy(root, Policy.replicas(1));
                Files.createDirectory(bare);
                progress.accept("a directory of " + settings.entries());
                makeEntries(new NioDoor("", bare));
                makeEntries(new LibraryDoor("", farm, root));
                int warm = Math.max(1, settings.mebibytes() / WARMING);
                round(
                        farm,
                        new Task.Volume(
                                warm, Math.max(1, settings.files() / WARMING), settings.entries()),
                        new Samples());
                Task.Volume whole =
                        new Task.Volume(settings.mebibytes(), settings.files(), settings.entries());
                for (int i = 0; i < settings.repetitions(); i++) round(farm, whole, samples);
            } finally {
                OsProcess.run(List.of("rm", "-rf", bare.toString()));
                if (farm.exists(root)) farm.deleteRecursively(root);
            }
        }
        return new ApiVerdict(samples).report();
    }

    private void makeEntries(Door door) throws IOException {
        door.makeDirectory(Task.LISTED);
        int count = settings.entries();
        Crew.SIXTY_FOUR.each(
                (count + MAKERS_BLOCK - 1) / MAKERS_BLOCK,
                block -> {
                    int end = Math.min(count, (block + 1) * MAKERS_BLOCK);
                    for (int i = block * MAKERS_BLOCK; i < end; i++) {
                        door.make(Task.LISTED + "/entry-" + i).close();
                    }
                });
    }

    /** Every task at every door, in directories that are made for it. */
    private void round(Gridfarm farm, Task.Volume volume, Samples into) throws IOException {
        try (Clients clients = new Clients()) {
            List<Door> doors = doors(clients);
            for (Task task : Task.all(volume)) {
                for (Door door : doors) {
                    progress.accept(task.name() + ", " + door.label());
                    double rate = task.rate().at(door);
                    into.add(ApiVerdict.row(task.name(), door.label()), task.unit(), rate, 0, 0);
                }
            }
        } finally {
            OsProcess.run(List.of("rm", "-rf", bare.resolve("files").toString()));
            for (String door : ApiVerdict.FARM) {
                FarmPath files = root.child(door);
                if (farm.exists(files)) farm.deleteRecursively(files);
            }
        }
    }

    private List<Door> doors(Clients clients) throws IOException {
        List<Door> doors = new ArrayList<>();
        Path files = Files.createDirectory(bare.resolve("files"));
        doors.add(new NioDoor(ApiVerdict.BARE, files));
        for (String label : ApiVerdict.FARM) {
            boolean far = ApiVerdict.FAR.contains(label);
            if (!far && settings.config().node().isEmpty()) continue;
            Gridfarm client =
                    clients.open(far ? settings.config().withNode("") : settings.config());
            FarmPath own = root.child(label);
            client.mkdir(own);
            doors.add(
                    ApiVerdict.NIO.contains(label)
                            ? new NioDoor(label, nio(client, own))
                            : new LibraryDoor(label, client, own));
        }
        return doors;
    }

    private static Path nio(Gridfarm client, FarmPath path) {
        return new FarmFileSystemProvider().newFileSystem(client).getPath(path.toString());
    }

    /** Those of one round. */
    private static final class Clients implements AutoCloseable {
        private final List<Gridfarm> open = new ArrayList<>();

        Gridfarm open(ClientConfig config) {
            Gridfarm client = Gridfarm.open(config, "gf bench");
            open.add(client);
            return client;
        }

        /** All of them, also where one fails. */
        @Override
        public void close() {
            List<FarmException> failed = new ArrayList<>();
            for (Gridfarm client : open) {
                try {
                    client.close();
                } catch (FarmException e) {
                    failed.add(e);
                }
            }
            if (!failed.isEmpty()) throw failed.getFirst();
        }
    }
}

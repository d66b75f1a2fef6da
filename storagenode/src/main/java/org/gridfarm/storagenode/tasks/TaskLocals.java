package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.LocalInput;
import org.gridfarm.storagenode.disk.ReadOnlyViews;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

/**
 * Input that a task wants as plain files of this node: replicas, shown read-only under the names
 * that they have in the farm, as the user's, in directories that are the node's. They are there
 * while the task runs and no longer. Where one cannot be shown, the task is given the path through
 * the mount; so a command finds a file either way.
 *
 * <p>The replica itself stays closed to the user: data directories are the node's alone. What he is
 * shown he may read by a ticket that the metaserver made after it had looked at his rights.
 *
 * <p>Owned by the thread of the task.
 */
final class TaskLocals implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskLocals.class);
    private static final String VARIABLE = "GF_LOCAL_";

    /** By which a node comes to the files. */
    record Source(PlainFiles files, ReadOnlyViews views, Path parent, Path spool) {
        private String prefix() {
            return "gridfarm-local-%08x-".formatted(spool.toAbsolutePath().hashCode());
        }

        /** What tasks of a node that was killed have left. */
        void removeLeft() {
            if (!Files.isDirectory(parent)) {
                return;
            }
            try (DirectoryStream<Path> left = Files.newDirectoryStream(parent, prefix() + "*")) {
                Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
                for (Path one : left) {
                    if (Files.isDirectory(one, LinkOption.NOFOLLOW_LINKS)
                            && Files.getAttribute(one, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                                    .equals(self)) {
                        remove(one);
                    }
                }
            } catch (IOException e) {
                LOG.warn("files of former tasks are left in {}: {}", parent, e.toString());
            }
        }

        private void remove(Path directory) throws IOException {
            for (Path each : children(directory)) {
                for (Path shown : children(each)) {
                    views.hide(shown);
                    Files.deleteIfExists(shown);
                }
                Files.deleteIfExists(each);
            }
            Files.deleteIfExists(directory);
        }

        private static List<Path> children(Path directory) throws IOException {
            List<Path> found = new ArrayList<>();
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
                entries.forEach(found::add);
            }
            return found;
        }
    }

    private final Source source;
    private final Optional<Peer> scheduler;
    private final List<LocalInput> wanted;
    private Optional<Path> directory = Optional.empty();

    /**
     * @param scheduler whose tickets they are; empty where nothing is wanted
     */
    TaskLocals(Source source, Optional<Peer> scheduler, List<LocalInput> wanted) {
        this.source = source;
        this.scheduler = scheduler;
        this.wanted = wanted;
    }

    /** What adds to the task's environment; the files are there when this returns. */
    Map<String, String> place(TaskUser of, String mount) throws InterruptedException {
        Map<String, String> variables = new LinkedHashMap<>();
        for (LocalInput input : wanted) {
            int number = variables.size() + 1;
            FarmPath path = FarmPath.of(input.getPath().toByteArray());
            String text;
            try {
                text = LocalPath.text(shown(of, input, path, number));
            } catch (IOException e) {
                LOG.debug("{} is read through the mount: {}", path, e.getMessage());
                text = throughMount(mount, path);
            }
            variables.put(VARIABLE + number, text);
        }
        return variables;
    }

    private static String throughMount(String mount, FarmPath path) {
        if (mount.isEmpty()) {
            throw Unmounted.failure();
        }
        return path.isRoot() ? mount : mount + path;
    }

    private Path shown(TaskUser of, LocalInput input, FarmPath path, int number)
            throws IOException, InterruptedException {
        if (of.nodeUid() != 0) {
            throw new IOException("a node that is not root shows nothing");
        }
        Path file = file(input);
        Path own = Files.createDirectory(own().resolve(Integer.toString(number)));
        letThrough(own);
        Path at = own.resolve(LocalPath.of(path.last().toString()));
        Files.createFile(at);
        if (of.uid() == of.nodeUid()) {
            source.views().show(file, at, Optional.empty());
            return at;
        }
        try (ShownOwner owner = ShownOwner.of(of)) {
            source.views().show(file, at, Optional.of(owner.namespace()));
        }
        return at;
    }

    private Path file(LocalInput input) throws IOException, InterruptedException {
        if (scheduler.isEmpty() || input.getTicket().isEmpty()) {
            throw new IOException("no replica that is whole and at rest lies here");
        }
        try {
            return source.files().of(scheduler.get(), input.getObject(), input.getTicket()).get();
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause()), e);
        }
    }

    private Path own() throws IOException {
        if (directory.isEmpty()) {
            Files.createDirectories(source.parent());
            Path made = Files.createTempDirectory(source.parent(), source.prefix());
            directory = Optional.of(made);
            letThrough(made);
        }
        return directory.get();
    }

    /** The user passes through; only the node makes, replaces or removes names in it. */
    private static void letThrough(Path directory) throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    }

    /** The task has ended. */
    @Override
    public void close() {
        directory.ifPresent(made -> {
            try {
                source.remove(made);
            } catch (IOException e) {
                LOG.warn("the files of an ended task are left in {}: {}", made, e.toString());
            }
        });
        directory = Optional.empty();
    }
}

package org.gridfarm.storagenode.tasks;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/**
 * The proxy by which one task acts for its user: a file of mode 600 that is the user's, in a
 * directory that is the node's, so that nothing else can be put in its place. It is there while the
 * task runs and no longer. Thread-safe.
 */
final class TaskProxy implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskProxy.class);
    private static final String VARIABLE = "X509_USER_PROXY"; // as grid tools know it
    private static final String FILE = "x509up";

    private final Path parent;
    private final String prefix;

    @GuardedBy("this")
    private ByteString text; // emptied as soon as it is in the file

    @GuardedBy("this")
    private @Nullable Path directory;

    @GuardedBy("this")
    private @Nullable TaskUser user;

    /**
     * @param parent where the user may go; others may write there, too
     * @param spool of the node, which gives its directories a name of their own
     * @param text PEM; empty: the task has none unless one comes later
     */
    TaskProxy(Path parent, Path spool, ByteString text) {
        this.parent = parent;
        this.prefix = prefix(spool);
        this.text = text;
    }

    private static String prefix(Path spool) {
        return "gridfarm-proxy-%08x-".formatted(spool.toAbsolutePath().hashCode());
    }

    /** What adds to the task's environment; the file is there when this returns. */
    synchronized Map<String, String> place(TaskUser of) throws IOException {
        if (text.isEmpty()) {
            return Map.of();
        }
        Files.createDirectories(parent);
        Path made = Files.createTempDirectory(parent, prefix);
        directory = made;
        user = of;
        if (of.nodeUid() == 0) {
            // The user passes through; only the node makes, replaces or removes names in it.
            Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwx--x--x"));
        }
        write(made, of, text);
        text = ByteString.EMPTY;
        return Map.of(VARIABLE, made.resolve(FILE).toString());
    }

    /** Another proxy from now on; a task that has none, or has ended, goes on without. */
    synchronized void renew(ByteString with) throws IOException {
        Path made = directory;
        TaskUser of = user;
        if (made != null && of != null) {
            write(made, of, with);
        } else if (!text.isEmpty()) {
            text = with; // it is just about to start
        }
    }

    private static void write(Path directory, TaskUser of, ByteString text) throws IOException {
        Path part = directory.resolve(FILE + ".part");
        Files.deleteIfExists(part);
        try (var channel =
                Files.newByteChannel(
                        part,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")))) {
            var bytes = text.asReadOnlyByteBuffer();
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        if (of.nodeUid() == 0) {
            Files.setAttribute(part, "unix:gid", (int) of.gid());
            Files.setAttribute(part, "unix:uid", (int) of.uid());
        }
        Files.move(part, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The task has ended. */
    @Override
    public synchronized void close() {
        Path made = directory;
        directory = null;
        text = ByteString.EMPTY;
        if (made != null) {
            try {
                remove(made);
            } catch (IOException e) {
                LOG.warn("the proxy of an ended task is left in {}: {}", made, e.toString());
            }
        }
    }

    /** Those that a node which was killed has left. */
    static void removeLeft(Path parent, Path spool) {
        if (!Files.isDirectory(parent)) {
            return;
        }
        try (DirectoryStream<Path> left = Files.newDirectoryStream(parent, prefix(spool) + "*")) {
            Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            for (Path one : left) {
                boolean isOurs =
                        Files.isDirectory(one, LinkOption.NOFOLLOW_LINKS)
                                && Files.getAttribute(one, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                                        .equals(self);
                if (isOurs) {
                    remove(one);
                }
            }
        } catch (IOException e) {
            LOG.warn("proxies of former tasks are left in {}: {}", parent, e.toString());
        }
    }

    private static void remove(Path directory) throws IOException {
        Files.deleteIfExists(directory.resolve(FILE));
        Files.deleteIfExists(directory.resolve(FILE + ".part"));
        Files.deleteIfExists(directory);
    }
}

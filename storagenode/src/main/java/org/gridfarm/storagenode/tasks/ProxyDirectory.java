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
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Where a node keeps the proxies of its tasks, a file for each that is its user's alone. Users pass
 * through the directory; only the node makes, replaces or removes names in it. Thread-safe.
 */
final class ProxyDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyDirectory.class);
    private static final String FILE = "x509up-";

    private final Path parent;
    private final String prefix;

    @GuardedBy("this")
    private @Nullable Path directory;

    @GuardedBy("this")
    private long made;

    /**
     * @param parent where users may go; others may write there, too
     * @param spool of the node, which gives its directories a name of their own
     */
    ProxyDirectory(Path parent, Path spool) {
        this.parent = parent;
        this.prefix = "gridfarm-proxy-%08x-".formatted(spool.toAbsolutePath().hashCode());
    }

    /** A new file; it is there when this returns. */
    Path make(TaskUser of, ByteString text) throws IOException {
        Path file = next(of, null);
        try {
            write(file, of, text);
        } catch (NoSuchFileException e) {
            // Who cleans the directory of temporary files may have taken ours.
            file = next(of, file.getParent());
            write(file, of, text);
        }
        return file;
    }

    /** A task that reads it meanwhile finds the former one or this one, whole. */
    void replace(Path file, TaskUser of, ByteString text) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.deleteIfExists(part);
        write(part, of, text);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private synchronized Path next(TaskUser of, @Nullable Path lost) throws IOException {
        Path now = directory;
        if (now == null || now.equals(lost)) {
            Files.createDirectories(parent);
            now = Files.createTempDirectory(parent, prefix); // mode 700
            if (of.nodeUid() == 0) {
                Files.setPosixFilePermissions(now, PosixFilePermissions.fromString("rwx--x--x"));
            }
            directory = now;
        }
        return now.resolve(FILE + ++made);
    }

    private static void write(Path file, TaskUser of, ByteString text) throws IOException {
        try (var channel =
                Files.newByteChannel(
                        file,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")))) {
            var bytes = text.asReadOnlyByteBuffer();
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
        if (of.nodeUid() == 0) {
            Files.setAttribute(file, "unix:gid", (int) of.gid());
            Files.setAttribute(file, "unix:uid", (int) of.uid());
        }
    }

    /** Those that this node has left when it was killed, and its own when it ends. */
    void removeAll() {
        if (!Files.isDirectory(parent)) {
            return;
        }
        try (DirectoryStream<Path> left = Files.newDirectoryStream(parent, prefix + "*")) {
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
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(directory);
    }
}

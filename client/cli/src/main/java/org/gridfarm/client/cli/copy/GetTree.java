package org.gridfarm.client.cli.copy;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Copies files and trees out of the farm. What the user named he may have meant to be a link;
 * elsewhere a link that has the name of what comes is replaced: it may have come out of the farm
 * before, and whoever made it there does not choose where we write. For one thread.
 */
public final class GetTree {
    private static final int OWNER_ALONE = 0600;

    /** What a directory gets when all below it has been copied. */
    private record Made(Path path, FileInfo as) {}

    private final Gridfarm farm;
    private final Copies copies;
    private final boolean recursive;
    private final Deque<Made> directories = new ArrayDeque<>(); // the deepest first

    public GetTree(Gridfarm farm, Copies copies, boolean recursive) {
        this.farm = farm;
        this.copies = copies;
        this.recursive = recursive;
    }

    /**
     * A source and a target that the user named: of the source a symbolic link is followed unless
     * trees are copied.
     */
    public void get(FarmPath from, Path to) {
        copies.guarded(() -> {
            get(named(from), from, to, true);
            return 0;
        });
    }

    /** A source that the user named into a directory, under its own name. */
    public void into(Path directory, FarmPath from) {
        if (from.isRoot()) {
            get(from, directory);
            return;
        }
        copies.guarded(() -> {
            get(named(from), from, LocalPath.child(directory, from.last()), false);
            return 0;
        });
    }

    private FileInfo named(FarmPath from) {
        return recursive ? farm.statLink(from) : farm.stat(from);
    }

    /** Waits for all files, and gives directories their modes and times. */
    public void end() {
        copies.await();
        directories.forEach(made ->
                copies.guarded(() -> {
                    take(made.path, made.as);
                    return 0;
                }));
    }

    private void get(FileInfo found, FarmPath from, Path to, boolean asNamed) throws IOException {
        if (found.isSymbolicLink() || !asNamed) {
            removeLink(to);
        }
        if (found.isSymbolicLink()) {
            Files.createSymbolicLink(to, LocalPath.of(farm.readLink(from)));
        } else if (found.isDirectory()) {
            directory(found, from, to);
        } else if (found.isRegularFile()) {
            copies.file(from.toString(), LocalPath.text(to), () -> file(found, from, to, asNamed));
        } else {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "get",
                    from.toString(),
                    "it is no file, no directory and no symbolic link");
        }
    }

    private static void removeLink(Path to) throws IOException {
        if (Files.isSymbolicLink(to)) {
            Files.delete(to);
        }
    }

    private void directory(FileInfo found, FarmPath from, Path to) throws IOException {
        if (!recursive) {
            throw new FarmException(ErrorKind.IS_A_DIRECTORY, "get", from.toString(), "use -r");
        }
        Files.createDirectories(to);
        directories.push(new Made(to, found));
        for (FileInfo entry : farm.list(from).toList()) {
            copies.guarded(() -> {
                get(entry, entry.path(), LocalPath.child(to, entry.path().last()), false);
                return 0;
            });
        }
    }

    /** Until it has its mode nobody else reads it. */
    private long file(FileInfo found, FarmPath from, Path to, boolean asNamed) throws IOException {
        if (!Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
            Files.createFile(
                    to, PosixFilePermissions.asFileAttribute(Modes.permissions(OWNER_ALONE)));
        }
        long bytes = asNamed ? farm.copyOut(from, to) : copyOut(from, to);
        take(to, found);
        return bytes;
    }

    /** Not through a link that another source has made meanwhile. */
    private long copyOut(FarmPath from, Path to) throws IOException {
        try (InputStream in = farm.read(from);
                OutputStream out =
                        Files.newOutputStream(
                                to,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                LinkOption.NOFOLLOW_LINKS)) {
            return in.transferTo(out);
        }
    }

    private static void take(Path path, FileInfo as) throws IOException {
        Files.setPosixFilePermissions(path, Modes.permissions(as.mode()));
        Files.setLastModifiedTime(path, FileTime.from(as.modified()));
    }
}

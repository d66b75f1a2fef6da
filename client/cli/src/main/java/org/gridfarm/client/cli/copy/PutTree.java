package org.gridfarm.client.cli.copy;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/** Copies local files and trees into the farm. For one thread. */
public final class PutTree {
    /** What a directory gets when all below it has been copied. */
    private record Made(FarmPath path, int mode, Instant modified) {}

    private final Gridfarm farm;
    private final Copies copies;
    private final boolean recursive;
    private final boolean follows;
    private final Deque<Made> directories = new ArrayDeque<>(); // the deepest first
    private final Deque<Object> above = new ArrayDeque<>(); // file keys

    /**
     * @param follows what a symbolic link leads to is copied, not the link
     */
    public PutTree(Gridfarm farm, Copies copies, boolean recursive, boolean follows) {
        this.farm = farm;
        this.copies = copies;
        this.recursive = recursive;
        this.follows = follows;
    }

    /** A source that the user named: a symbolic link is followed unless trees are copied. */
    public void put(Path local, FarmPath to) {
        copies.guarded(() -> {
            put(local, to, follows || !recursive);
            return 0;
        });
    }

    /** Waits for all files, and gives directories their modes and times. */
    public void end() {
        copies.await();
        directories.forEach(made ->
                copies.guarded(() -> {
                    farm.chmod(made.path, made.mode);
                    farm.setTimes(made.path, null, made.modified);
                    return 0;
                }));
    }

    private void put(Path local, FarmPath to, boolean follow) throws IOException {
        PosixFileAttributes found = attributes(local, follow);
        if (found.isSymbolicLink()) {
            link(LocalPath.text(Files.readSymbolicLink(local)), to);
        } else if (found.isDirectory()) {
            directory(local, to, found);
        } else if (found.isRegularFile()) {
            copies.file(LocalPath.text(local), to.toString(), () -> file(local, to, found));
        } else {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "put",
                    LocalPath.text(local),
                    "it is no file, no directory and no symbolic link");
        }
    }

    private static PosixFileAttributes attributes(Path local, boolean follow) throws IOException {
        return follow
                ? Files.readAttributes(local, PosixFileAttributes.class)
                : Files.readAttributes(local, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private void directory(Path local, FarmPath to, PosixFileAttributes found) throws IOException {
        if (!recursive) {
            throw new FarmException(
                    ErrorKind.IS_A_DIRECTORY, "put", LocalPath.text(local), "use -r");
        }
        Object key = found.fileKey();
        if (above.contains(key)) {
            throw new FarmException(
                    ErrorKind.LINK_LOOP,
                    "put",
                    LocalPath.text(local),
                    "it leads back to a directory above it");
        }
        farm.mkdirs(to);
        directories.push(new Made(to, mode(found), found.lastModifiedTime().toInstant()));
        above.push(key);
        try {
            for (Path child : children(local)) {
                copies.guarded(() -> {
                    put(child, to.child(LocalPath.name(child)), follows);
                    return 0;
                });
            }
        } finally {
            above.pop();
        }
    }

    private static List<Path> children(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.sorted().toList();
        }
    }

    private long file(Path local, FarmPath to, PosixFileAttributes found) {
        long bytes = farm.copyIn(local, to);
        farm.chmod(to, mode(found));
        farm.setTimes(to, null, found.lastModifiedTime().toInstant());
        return bytes;
    }

    /** A link that is there already is replaced. */
    private void link(String target, FarmPath to) {
        try {
            farm.symlink(target, to);
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.ALREADY_EXISTS || !farm.statLink(to).isSymbolicLink()) {
                throw e;
            }
            farm.delete(to);
            farm.symlink(target, to);
        }
    }

    /** Set-user, set-group and sticky bits are not the farm's to hand on. */
    private static int mode(PosixFileAttributes found) {
        return Modes.of(found.permissions());
    }
}

package org.gridfarm.client.cli.copy;

import org.gridfarm.client.core.AttributeChange;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.util.ArrayDeque;
import java.util.Deque;

/** Copies files and trees within the farm, on its nodes. For one thread. */
public final class FarmTree {
    /** What a directory gets when all below it has been copied. */
    private record Made(FarmPath path, FileInfo as) {}

    private final Gridfarm farm;
    private final Copies copies;
    private final boolean recursive;
    private final boolean preserves;
    private final Deque<Made> directories = new ArrayDeque<>(); // the deepest first

    /**
     * @param preserves owners and times are kept, and all of the mode; else the copy is the
     *     caller's and new
     */
    public FarmTree(Gridfarm farm, Copies copies, boolean recursive, boolean preserves) {
        this.farm = farm;
        this.copies = copies;
        this.recursive = recursive;
        this.preserves = preserves;
    }

    /** A source that the user named: a symbolic link is followed unless trees are copied. */
    public void copy(FarmPath from, FarmPath to) {
        copies.guarded(() -> {
            FileInfo found = recursive ? farm.statLink(from) : farm.stat(from);
            if (to.startsWith(from)) {
                throw new FarmException(
                        ErrorKind.INVALID,
                        "copy",
                        from.toString(),
                        to.equals(from) ? "is the same file" : to + " lies within it");
            }
            copy(found, from, to);
            return 0;
        });
    }

    /** Waits for all files, and gives directories what they are to have. */
    public void end() {
        copies.await();
        directories.forEach(made ->
                copies.guarded(() -> {
                    take(made.path, made.as);
                    return 0;
                }));
    }

    private void copy(FileInfo found, FarmPath from, FarmPath to) {
        if (found.isSymbolicLink()) {
            replaced(to);
            farm.symlink(farm.readLink(from), to);
        } else if (found.isDirectory()) {
            if (!recursive) {
                throw new FarmException(
                        ErrorKind.IS_A_DIRECTORY, "copy", from.toString(), "use -r");
            }
            farm.mkdirs(to);
            directories.push(new Made(to, found));
            for (FileInfo entry : farm.list(from).toList()) {
                copies.guarded(() -> {
                    copy(entry, entry.path(), to.child(entry.path().last()));
                    return 0;
                });
            }
        } else if (found.isRegularFile()) {
            copies.file(
                    from.toString(),
                    to.toString(),
                    () -> {
                        long bytes = farm.copy(from, to);
                        take(to, found);
                        return bytes;
                    });
        } else {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "copy",
                    from.toString(),
                    "it is no file, no directory and no symbolic link");
        }
    }

    private void replaced(FarmPath link) {
        if (farm.exists(link) && farm.statLink(link).isSymbolicLink()) {
            farm.delete(link);
        }
    }

    private void take(FarmPath path, FileInfo as) {
        AttributeChange change = AttributeChange.NONE.withMode(as.mode() & 0777);
        if (preserves) {
            // The owner first: it takes set-user and set-group bits away.
            farm.chown(path, as.uid(), as.gid());
            change =
                    AttributeChange.NONE
                            .withMode(as.mode())
                            .withTimes(as.accessed(), as.modified());
        }
        farm.change(path, true, change);
    }
}

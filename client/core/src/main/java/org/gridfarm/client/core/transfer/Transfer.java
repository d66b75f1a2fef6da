package org.gridfarm.client.core.transfer;

import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;

/**
 * Opens files. Thread-safe; nothing here blocks; futures fail with {@code FarmException} and
 * complete on network threads.
 */
public interface Transfer {
    /** A handle for an existing regular file. */
    CompletableFuture<FileHandle> open(Credentials who, long inode, OpenFlags flags);

    /** Makes (or, unless {@code exclusive}, finds) a file and opens it, in one round trip. */
    CompletableFuture<FileHandle> create(
            Credentials who,
            long parent,
            Name name,
            int mode,
            int umask,
            boolean exclusive,
            OpenFlags flags);

    /** O_TMPFILE: a file without a name, opened. */
    CompletableFuture<FileHandle> temporary(
            Credentials who, long directory, int mode, int umask, OpenFlags flags);

    /** truncate(2) of a file that need not be open here: opens, truncates, closes. */
    CompletableFuture<Attributes> truncate(Credentials who, long inode, long size);

    /**
     * A file open for writing in this process, with what it has written; null if there is none. For
     * a stat of one's own file.
     */
    @Nullable Attributes openAttributes(long inode);

    /**
     * Files that are still open at the metaserver though they were closed here are closed there;
     * what was written into them is committed.
     */
    CompletableFuture<Void> settled();

    /** The same, and all that was committed is on stable storage at its nodes. */
    CompletableFuture<Void> stored();
}

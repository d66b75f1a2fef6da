package org.gridfarm.client.core.metadata;

import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Layout;
import org.jspecify.annotations.Nullable;

import java.util.concurrent.CompletableFuture;

/**
 * Knows size and times of files that are open for writing: asks the chain's head, or this process'
 * own open files.
 */
public interface SizeSource {
    /**
     * The attributes with size, times and allocation as they stand now.
     *
     * @param layout comes with read tickets
     * @param onlyWriter nobody else wrote the file when the server told of them. Else what is known
     *     here may be of before: the leader has taken a commit by which this process has closed the
     *     file, and another client has written it since, while the answer is on its way
     */
    CompletableFuture<Attributes> refine(Attributes attributes, Layout layout, boolean onlyWriter);

    /**
     * The attributes as they are now, where nobody else writes the file and this process knows what
     * it wrote; else null.
     */
    @Nullable Attributes own(Attributes leased);

    /** This process has the file open for writing: what was cached of its attributes is history. */
    boolean isWriting(long inode);

    /**
     * Somebody set the modification time: what was written before must not change it again at
     * commit.
     */
    CompletableFuture<Void> modificationTimeSet(long inode);
}

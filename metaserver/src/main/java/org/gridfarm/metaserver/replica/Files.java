package org.gridfarm.metaserver.replica;

import org.gridfarm.namespace.Content;
import org.jspecify.annotations.Nullable;

/** What this room asks about files. */
public interface Files {
    /** Null: gone, or no regular file. */
    @Nullable Content content(long inode);

    /** Open for writing somewhere: its copies are judged when that is over. */
    boolean isWritten(long inode);

    /** What people call it; a number when it has no name. */
    String name(long inode);
}

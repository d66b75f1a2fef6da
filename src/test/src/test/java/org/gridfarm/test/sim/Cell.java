package org.gridfarm.test.sim;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.coherence.Keys;
import org.gridfarm.metaserver.coherence.Touch;
import org.jspecify.annotations.Nullable;

/**
 * Something that has a value: the attributes of an inode, or what a name in a directory leads to
 * (0: nothing).
 */
record Cell(long inode, @Nullable ByteString name) {
    Touch touch(long origin) {
        return new Touch(inode, name, origin);
    }

    /** What a reader waits for. */
    long pendingKey() {
        ByteString entry = name;
        return entry == null ? Keys.attributes(inode) : Keys.entry(inode, entry);
    }

    /** What a client holds. */
    long heldKey() {
        return name == null ? Keys.attributes(inode) : Keys.directory(inode);
    }
}

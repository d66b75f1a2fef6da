package org.gridfarm.metaserver.namespace;

import com.google.protobuf.ByteString;

/** Is told what a read depended on. */
public interface Visited {
    /** The meaning of a name in a directory, also if it has none. */
    void entry(long directory, ByteString name);

    /** The attributes of an inode: its rights, or a link's target. */
    void inode(long inode);
}

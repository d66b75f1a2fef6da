package org.gridfarm.namespace;

import com.google.protobuf.ByteString;

/** Is told what a read depended on. */
public interface Visited {
    /** Nobody waits for what was read. */
    Visited NOBODY =
            new Visited() {
                @Override
                public void entry(long directory, ByteString name) {}

                @Override
                public void inode(long inode) {}
            };

    /** The meaning of a name in a directory, also if it has none. */
    void entry(long directory, ByteString name);

    /** The attributes of an inode: its rights, or a link's target. */
    void inode(long inode);
}

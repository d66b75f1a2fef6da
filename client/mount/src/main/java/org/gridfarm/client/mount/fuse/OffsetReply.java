package org.gridfarm.client.mount.fuse;

/// Answers with a position in a file.
public interface OffsetReply extends Request {

    /// @return false when nobody received it
    boolean offset(long position);
}

package org.gridfarm.client.mount.fuse;

/// Answers with a number of bytes written or copied.
public interface CountReply extends Request {

    /// @return false when nobody received it
    boolean count(long bytes);
}

package org.gridfarm.client.mount.fuse;

/// Answers with a few bytes.
public interface BytesReply extends Request {

    /// @return false when nobody received them
    boolean bytes(byte[] content);
}

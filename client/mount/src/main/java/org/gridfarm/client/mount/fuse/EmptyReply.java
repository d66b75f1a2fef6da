package org.gridfarm.client.mount.fuse;

/// Answers that it is done.
public interface EmptyReply extends Request {

    /// @return false when nobody received it
    boolean done();
}

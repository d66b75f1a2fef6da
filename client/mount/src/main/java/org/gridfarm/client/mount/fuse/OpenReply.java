package org.gridfarm.client.mount.fuse;

/// Answers with a file handle.
public interface OpenReply extends Request {

    /// @param handle any number but [FuseOperations#NO_HANDLE]; comes back with each request on
    ///   this open file
    /// @param mode bits of [OpenMode]
    /// @param backing number of the [Backing] with [OpenMode#PASSTHROUGH], else 0
    /// @return false when nobody received it: there will be no release of this handle
    boolean opened(long handle, int mode, int backing);
}

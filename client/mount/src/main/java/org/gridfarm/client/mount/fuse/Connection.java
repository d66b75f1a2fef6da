package org.gridfarm.client.mount.fuse;

/// A running mount, as the file system sees it.
public interface Connection {

    KernelCache cache();

    Passthrough passthrough();

    /// Minor version of the protocol 7 in use.
    int minor();

    /// Largest WRITE in bytes.
    int writeBytesMax();

    /// True when this process took the mount over from another: nodes and handles that it never
    /// gave out are in use.
    boolean resumed();

    /// Of this process.
    RequestFigures figures();
}

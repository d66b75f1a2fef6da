package org.gridfarm.client.mount.fuse;

/// A local file known to the kernel. Made with one holder; the registration ends when the last
/// holder has released it.
public interface Backing {

    /// The kernel's number for it, above 0.
    int id();

    /// Adds a holder.
    void retain();

    /// Removes a holder; the last one ends the registration. Open files go on until they are
    /// closed.
    void release();
}

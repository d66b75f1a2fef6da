package org.gridfarm.client.mount.fuse;

/// Answers with attributes.
public interface AttributesReply extends Request {

    /// To be filled in before [#send].
    Attributes attributes();

    /// @param nanos how long the kernel may believe them
    /// @return false when nobody received them
    boolean send(long nanos);
}

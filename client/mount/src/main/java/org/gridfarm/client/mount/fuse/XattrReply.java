package org.gridfarm.client.mount.fuse;

/// Answers with the value of an extended attribute, or the list of names.
public interface XattrReply extends Request {

    /// Answers with the length alone where the caller asked for it, with ERANGE where its room is
    /// too small, else with the value.
    ///
    /// @return false when nobody received it
    boolean value(byte[] content);
}

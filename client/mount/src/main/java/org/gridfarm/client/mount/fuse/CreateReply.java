package org.gridfarm.client.mount.fuse;

/// Answers with a new or found file and its handle.
public interface CreateReply extends Request {

    /// To be filled in before [#created].
    Attributes attributes();

    /// [EntryReply#entry] and [OpenReply#opened] in one.
    ///
    /// @return false when nobody received it: neither lookup nor handle count
    boolean created(
            long node,
            long generation,
            long entryNanos,
            long attributesNanos,
            long handle,
            int mode,
            int backing);
}

package org.gridfarm.client.mount.fuse;

/// Answers with a name's node and its attributes.
public interface EntryReply extends Request {

    /// To be filled in before [#entry].
    Attributes attributes();

    /// Answers with `node`, counting one lookup of it.
    ///
    /// @param generation differs when a node number is used again for another file
    /// @param entryNanos how long the kernel may believe the name, 0 not at all
    /// @param attributesNanos how long the kernel may believe the attributes
    /// @return false when nobody received it: the lookup does not count
    boolean entry(long node, long generation, long entryNanos, long attributesNanos);

    /// Answers that there is no such name; only for a lookup, and only with a time to keep it (else
    /// `fail(ENOENT)`).
    boolean absent(long entryNanos);
}

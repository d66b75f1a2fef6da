package org.gridfarm.client.mount.fuse;

/// Collects directory entries until the caller's room is full.
public interface DirectoryReply extends Request {

    /// The kernel wants attributes with the entries: use [#addEntry] where they are at hand.
    boolean plus();

    /// To be filled in before each [#addEntry].
    Attributes attributes();

    /// Adds a name without looking it up: always so for `.` and `..`.
    ///
    /// @param inode number shown to readdir(3), not 0
    /// @param type bits of the mode's format ([Flags#FORMAT_MASK])
    /// @param next position behind this entry, not 0; a later request continues there
    /// @return false when there is no room any more
    boolean addName(byte[] name, long inode, int type, long next);

    /// Adds a name with its node, only where [#plus]; counts one lookup if true is returned.
    ///
    /// @param next as in [#addName]
    /// @return false when there is no room any more: no lookup
    boolean addEntry(
            byte[] name,
            long next,
            long node,
            long generation,
            long entryNanos,
            long attributesNanos);

    /// The kernel keeps what is listed ([OpenMode#CACHE_DIRECTORY]): a recall of the directory
    /// waits until it has taken notice of this answer. To be called before [#done].
    void keeps();

    /// Answers with what was added; nothing added means the end of the directory.
    ///
    /// @return false when nobody received it: lookups of [#addEntry] do not count
    boolean done();
}

package org.gridfarm.client.mount.fuse;

/// Answers how full the file system is.
public interface StatfsReply extends Request {

    /// @param blocks of `blockBytes` each, as are `free` and `available` (to ordinary users)
    /// @param files inodes, of which `filesFree` are free
    /// @return false when nobody received it
    boolean statfs(
            long blocks,
            long free,
            long available,
            long files,
            long filesFree,
            int blockBytes,
            int nameBytesMax);
}

package org.gridfarm.client.mount.fuse;

/// Answers which lock is in the way.
public interface LockReply extends Request {

    /// @param conflict a lock in the way, or one of type [LockRange#UNLOCK] when there is none
    /// @return false when nobody received it
    boolean lock(LockRange conflict);
}

package org.gridfarm.client.mount.fuse;

/// Answers that it is done.
public interface EmptyReply extends Request {

    /// @return false when nobody received it
    boolean done();

    /// As [#done], and no name of this mount is believed any more: the kernel would believe of what
    /// it moves now what it believed where that was, and no recall would name it there.
    default boolean doneUnbelieved() {
        return done();
    }
}

package org.gridfarm.client.mount.fuse;

import java.nio.ByteBuffer;

/// Answers with file content.
public interface ReadReply extends Request {

    /// The engine's own direct buffer, of at least the size asked for, position 0, limit the size
    /// asked for: what is put here goes out without another copy by [#data(int)]. Taken from a pool
    /// when first asked for, so ask when the data is at hand.
    ByteBuffer buffer();

    /// Answers with the first `length` bytes of [#buffer].
    ///
    /// @return false when nobody received them
    boolean data(int length);

    /// Answers with what remains of `content`, without copying where it is direct; its position is
    /// not moved.
    ///
    /// @return false when nobody received it
    boolean data(ByteBuffer content);
}

package org.gridfarm.protocol.rpc;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.error.FarmException;

/** Takes the frames that a {@link FrameReader} finds. */
interface FrameSink {
    /**
     * One frame. The buffer is lent: message and payload lie in it, the message at {@code
     * [messageAt, messageAt + messageBytes)} and the payload behind it up to {@code end}; who keeps
     * a part of it retains it.
     */
    void frame(
            byte type,
            long call,
            int method,
            int deadlineMillis,
            ByteBuf buffer,
            int messageAt,
            int messageBytes,
            int end)
            throws FarmException;
}

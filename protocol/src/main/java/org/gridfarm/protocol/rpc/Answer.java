package org.gridfarm.protocol.rpc;

import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;

/**
 * What a call returned: a message and raw bytes beside it. The payload belongs to the receiver, who
 * must release it; where there is none it is {@code Unpooled.EMPTY_BUFFER}, whose release is
 * harmless.
 */
public record Answer<R extends MessageLite>(R message, ByteBuf payload) implements AutoCloseable {
    /** Releases the payload. */
    @Override
    public void close() {
        payload.release();
    }
}

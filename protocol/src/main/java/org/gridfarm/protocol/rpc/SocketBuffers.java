package org.gridfarm.protocol.rpc;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;

/** Buffer sizes of every connection. */
final class SocketBuffers {
    /** A call is small, a block of file data is not: buffers grow with what arrives, up to this. */
    private static final int RECEIVE_BYTES_MAX = 1 << 20;

    private SocketBuffers() {}

    static RecvByteBufAllocator receiving() {
        return new AdaptiveRecvByteBufAllocator(512, 4 << 10, RECEIVE_BYTES_MAX);
    }

    static WriteBufferWaterMark waterMark() {
        return new WriteBufferWaterMark(
                RpcLimits.WRITE_HIGH_WATER_BYTES / 2, RpcLimits.WRITE_HIGH_WATER_BYTES);
    }
}

package org.gridfarm.protocol.rpc;

import java.nio.ByteBuffer;

/** Frames written by hand, from the description of the format and not with its code. */
final class RawFrame {
    private RawFrame() {}

    static byte[] of(int type, long call, int method, byte[] message, int payloadBytes) {
        return ByteBuffer.allocate(4 + 19 + message.length + payloadBytes)
                .putInt(19 + message.length + payloadBytes)
                .put((byte) type)
                .putLong(call)
                .putShort((short) method)
                .putInt(0)
                .putInt(message.length)
                .put(message)
                .array();
    }
}

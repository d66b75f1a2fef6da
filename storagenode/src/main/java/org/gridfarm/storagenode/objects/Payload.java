package org.gridfarm.storagenode.objects;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.ByteBuffer;

/** Bytes of a message as the store wants them. */
public final class Payload {
    private Payload() {}

    /**
     * Views of the readable bytes; PROTOCOL if their checksum is not the one that came with them.
     */
    public static ByteBuffer[] parts(ByteBuf payload, int crc32c, String subject) {
        ByteBuffer[] parts = payload.nioBuffers();
        if (Blocks.crc(parts) != crc32c) {
            throw new FarmException(
                    ErrorKind.PROTOCOL,
                    "receive",
                    subject,
                    "the bytes do not match the checksum they came with");
        }
        return parts;
    }

    public static int crc(ByteBuf payload) {
        return Blocks.crc(payload.nioBuffers());
    }

    /** Nothing but zeros. */
    public static boolean isZeros(ByteBuf bytes) {
        for (ByteBuffer part : bytes.nioBuffers()) {
            while (part.remaining() >= Long.BYTES) {
                if (part.getLong() != 0) {
                    return false;
                }
            }
            while (part.hasRemaining()) {
                if (part.get() != 0) {
                    return false;
                }
            }
        }
        return true;
    }
}

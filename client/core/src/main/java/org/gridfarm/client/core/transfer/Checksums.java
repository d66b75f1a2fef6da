package org.gridfarm.client.core.transfer;

import io.netty.buffer.ByteBuf;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C of a buffer's readable bytes, as frames carry it. */
final class Checksums {
    private Checksums() {}

    static int crc32c(ByteBuf bytes) {
        CRC32C crc = new CRC32C();
        for (ByteBuffer part : bytes.nioBuffers()) {
            crc.update(part);
        }
        return (int) crc.getValue();
    }
}

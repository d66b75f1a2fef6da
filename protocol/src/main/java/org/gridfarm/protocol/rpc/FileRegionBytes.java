package org.gridfarm.protocol.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Reads a file region into memory, for connections that cannot send files by themselves. */
final class FileRegionBytes implements WritableByteChannel {
    private final ByteBuf out;

    private FileRegionBytes(ByteBuf out) {
        this.out = out;
    }

    static void copy(FileRegion region, ByteBuf out) throws IOException {
        FileRegionBytes target = new FileRegionBytes(out);
        while (region.transferred() < region.count()) {
            if (region.transferTo(target, region.transferred()) <= 0)
                throw new EOFException(
                        "the file ended after "
                                + region.transferred()
                                + " of "
                                + region.count()
                                + " bytes");
        }
    }

    @Override
    public int write(ByteBuffer bytes) {
        int count = bytes.remaining();
        out.writeBytes(bytes);
        return count;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {}
}

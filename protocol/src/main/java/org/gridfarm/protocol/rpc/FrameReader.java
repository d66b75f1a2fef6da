package org.gridfarm.protocol.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a byte stream into frames, in place: a frame that lies whole in one received buffer is
 * handed on as it lies there. Only a frame that spans buffers is gathered, small ones by copying
 * and large ones as a chain of the received buffers.
 *
 * <p>Big-endian: u32 length of the rest, u8 type, u64 call id, u16 method, u32 deadline in
 * milliseconds, u32 message length, message, payload. Owned by the event loop.
 */
final class FrameReader {
    static final int LENGTH_BYTES = 4;

    /** What the length counts before the message. */
    static final int HEAD_BYTES = 1 + 8 + 2 + 4 + 4;

    /**
     * Frames longer than this are chained instead of copied: a copy costs what a few components
     * cost.
     */
    private static final int COPY_BYTES_MAX = 64 << 10;

    private FrameSink sink;
    private @Nullable ByteBuf partial; // begins with the length; null between frames
    private boolean closed;
    private int wanted; // bytes of the whole partial frame with its length, or LENGTH_BYTES while

    // unknown

    /** Reads for nobody until {@link #redirect}. */
    FrameReader() {
        sink =
                (type, call, method, deadlineMillis, buffer, messageAt, messageBytes, end) -> {
                    throw new IllegalStateException("nobody reads these frames");
                };
    }

    /** Further frames go to another sink, even those that lie in the buffer being read. */
    void redirect(FrameSink next) {
        sink = next;
    }

    /**
     * Takes in what arrived; does not release it. A frame that breaks the rules throws PROTOCOL,
     * after which this reader must be closed.
     */
    void read(ByteBufAllocator allocator, ByteBuf in) throws FarmException {
        while (!closed && in.isReadable()) {
            if (partial != null) {
                gather(allocator, in);
            } else if (in.readableBytes() < LENGTH_BYTES) {
                begin(allocator, LENGTH_BYTES);
                gather(allocator, in);
            } else {
                int frame = frameBytes(in, in.readerIndex());
                if (in.readableBytes() < frame) {
                    begin(allocator, frame);
                    gather(allocator, in);
                } else {
                    int at = in.readerIndex();
                    in.skipBytes(frame);
                    parse(in, at, frame);
                }
            }
        }
    }

    void close() {
        closed = true;
        if (partial != null) partial.release();
        partial = null;
    }

    private void begin(ByteBufAllocator allocator, int frame) {
        wanted = frame;
        partial =
                frame > COPY_BYTES_MAX
                        ? allocator.compositeBuffer(Integer.MAX_VALUE)
                        : allocator.directBuffer(Math.max(frame, 256));
    }

    private void gather(ByteBufAllocator allocator, ByteBuf in) throws FarmException {
        ByteBuf gathered = partial;
        if (gathered == null) throw new IllegalStateException("no partial frame");
        int bytes = Math.min(in.readableBytes(), wanted - gathered.readableBytes());
        if (gathered instanceof CompositeByteBuf chain) chain(allocator, chain, in, bytes);
        else gathered.writeBytes(in, bytes);
        if (gathered.readableBytes() < wanted) return;
        if (wanted == LENGTH_BYTES) {
            int frame = frameBytes(gathered, 0);
            wanted = frame;
            if (frame > COPY_BYTES_MAX)
                partial = allocator.compositeBuffer(Integer.MAX_VALUE).addComponent(true, gathered);
            return;
        }
        partial = null;
        try {
            parse(gathered, 0, wanted);
        } finally {
            gathered.release();
        }
    }

    /**
     * Keeps the received buffer itself, unless it is mostly air: a chain must not hold far more
     * memory than its bytes.
     */
    private static void chain(
            ByteBufAllocator allocator, CompositeByteBuf chain, ByteBuf in, int bytes) {
        if (bytes >= in.capacity() / 2) {
            chain.addComponent(true, in.readRetainedSlice(bytes));
        } else {
            chain.addComponent(true, allocator.directBuffer(bytes).writeBytes(in, bytes));
        }
    }

    private static int frameBytes(ByteBuf in, int at) throws FarmException {
        long rest = in.getUnsignedInt(at);
        if (rest < HEAD_BYTES || rest > RpcLimits.FRAME_BYTES_MAX)
            throw violation("a frame of " + rest + " bytes");
        return LENGTH_BYTES + (int) rest;
    }

    private void parse(ByteBuf in, int at, int frame) throws FarmException {
        byte type = in.getByte(at + 4);
        long call = in.getLong(at + 5);
        int method = in.getUnsignedShort(at + 13);
        int deadline = in.getInt(at + 15);
        int message = in.getInt(at + 19);
        int messageAt = at + LENGTH_BYTES + HEAD_BYTES;
        if (type < FrameType.REQUEST || type > FrameType.PONG)
            throw violation("a frame of unknown type " + type);
        if (message < 0 || message > frame - LENGTH_BYTES - HEAD_BYTES)
            throw violation("a message longer than its frame");
        sink.frame(type, call, method, deadline, in, messageAt, message, at + frame);
    }

    static FarmException violation(String what) {
        return new FarmException(ErrorKind.PROTOCOL, "receive", "", what);
    }
}

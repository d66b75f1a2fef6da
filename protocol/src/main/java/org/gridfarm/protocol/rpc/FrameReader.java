package org.gridfarm.protocol.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

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

    private final Clock clock;
    private FrameSink sink;
    private FrameGate gate = FrameGate.OPEN;
    private @Nullable ByteBuf partial; // begins with the length; null between frames
    private boolean headKnown; // of the partial frame; else only its head is wanted
    private int wanted; // bytes of the partial frame with its length
    private int counted; // of those, for which room is taken or waited for
    private long begunAt;
    private boolean waits; // for room; then nothing is gathered
    private final Deque<ByteBuf> stalled = new ArrayDeque<>(); // what comes meanwhile
    private int stalledBytes;
    private boolean closed;

    /** Reads for nobody until {@link #redirect}. */
    FrameReader() {
        this(Clock.system());
    }

    FrameReader(Clock clock) {
        this.clock = clock;
        sink =
                (type, call, method, deadlineMillis, buffer, messageAt, messageBytes, end) -> {
                    throw new IllegalStateException("nobody reads these frames");
                };
    }

    /** Further frames go to another sink, even those that lie in the buffer being read. */
    void redirect(FrameSink next) {
        sink = next;
    }

    /** Before anything is read. */
    void guard(FrameGate by) {
        gate = by;
    }

    /**
     * Takes in what arrived; does not release it. A frame that breaks the rules throws PROTOCOL,
     * one that the gate does not let in what that says, after which this reader must be closed.
     */
    void read(ByteBufAllocator allocator, ByteBuf in) throws FarmException {
        while (!closed && in.isReadable()) {
            if (waits) {
                stall(allocator, in);
            } else if (partial != null) {
                gather(allocator, in);
            } else if (in.readableBytes() < LENGTH_BYTES + HEAD_BYTES) {
                headKnown = false;
                wanted = LENGTH_BYTES + HEAD_BYTES;
                partial = allocator.directBuffer(256);
                gather(allocator, in);
            } else {
                int at = in.readerIndex();
                int frame = admitted(in, at);
                if (in.readableBytes() < frame) {
                    begin(allocator, frame, null);
                } else {
                    in.skipBytes(frame);
                    parse(in, at, frame);
                }
            }
        }
    }

    /** There is room for the frame that waited. */
    void goOn(ByteBufAllocator allocator) throws FarmException {
        if (closed || !waits) {
            return;
        }
        waits = false;
        begunAt = clock.nanoTime();
        partial = room(allocator, partial);
        List<ByteBuf> kept = List.copyOf(stalled);
        stalled.clear();
        gate.end(0, stalledBytes);
        stalledBytes = 0;
        try {
            for (ByteBuf bytes : kept) {
                read(allocator, bytes);
            }
        } finally {
            kept.forEach(ByteBuf::release);
        }
    }

    /** It arrives so slowly that nobody waits for it any more. */
    boolean isLate(long now) {
        return counted > 0 && !waits && now - begunAt > RpcLimits.FRAME_MAX.toNanos();
    }

    void close() {
        closed = true;
        if (partial != null) partial.release();
        partial = null;
        stalled.forEach(ByteBuf::release);
        stalled.clear();
        ended();
    }

    private void ended() {
        int frame = counted;
        int kept = stalledBytes;
        counted = 0;
        stalledBytes = 0;
        if (frame > 0 || kept > 0) gate.end(frame, kept);
        waits = false;
    }

    /**
     * @param head the first bytes of it, or null
     */
    private void begin(ByteBufAllocator allocator, int frame, @Nullable ByteBuf head) {
        headKnown = true;
        wanted = frame;
        partial = head;
        if (frame > RpcLimits.UNCOUNTED_BYTES) {
            counted = frame;
            begunAt = clock.nanoTime();
            waits = !gate.begin(frame);
        }
        if (!waits) partial = room(allocator, head);
    }

    private ByteBuf room(ByteBufAllocator allocator, @Nullable ByteBuf head) {
        if (wanted > COPY_BYTES_MAX) {
            CompositeByteBuf chain = allocator.compositeBuffer(Integer.MAX_VALUE);
            return head == null ? chain : chain.addComponent(true, head);
        }
        return head == null ? allocator.directBuffer(Math.max(wanted, 256)) : head;
    }

    /** The buffers that were read into are mostly larger than what is in them. */
    private void stall(ByteBufAllocator allocator, ByteBuf in) {
        int bytes = in.readableBytes();
        gate.stalled(bytes);
        stalledBytes += bytes;
        stalled.add(allocator.directBuffer(bytes).writeBytes(in));
    }

    private void gather(ByteBufAllocator allocator, ByteBuf in) throws FarmException {
        ByteBuf gathered = partial;
        if (gathered == null) throw new IllegalStateException("no partial frame");
        int bytes = Math.min(in.readableBytes(), wanted - gathered.readableBytes());
        if (gathered instanceof CompositeByteBuf chain) chain(allocator, chain, in, bytes);
        else gathered.writeBytes(in, bytes);
        if (!headKnown && gathered.readableBytes() >= LENGTH_BYTES) frameBytes(gathered, 0);
        if (gathered.readableBytes() < wanted) return;
        if (!headKnown) {
            int frame = admitted(gathered, 0);
            if (frame > wanted) {
                begin(allocator, frame, gathered);
                return;
            }
        }
        partial = null;
        try {
            parse(gathered, 0, wanted);
        } finally {
            gathered.release();
            ended();
        }
    }

    private int admitted(ByteBuf in, int at) throws FarmException {
        int frame = frameBytes(in, at);
        gate.admit(in.getByte(at + 4), in.getUnsignedShort(at + 13), frame);
        return frame;
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
        if (type < FrameType.REQUEST || type > FrameType.TRACE)
            throw violation("a frame of unknown type " + type);
        if (message < 0 || message > frame - LENGTH_BYTES - HEAD_BYTES)
            throw violation("a message longer than its frame");
        sink.frame(type, call, method, deadline, in, messageAt, message, at + frame);
    }

    /** What is said of a frame that {@link #isLate}. */
    static FarmException late() {
        String what =
                "a frame did not arrive whole within " + RpcLimits.FRAME_MAX.toSeconds() + " s";
        return new FarmException(ErrorKind.TIMED_OUT, "receive", "", what);
    }

    static FarmException violation(String what) {
        return new FarmException(ErrorKind.PROTOCOL, "receive", "", what);
    }
}

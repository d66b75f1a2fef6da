package org.gridfarm.protocol.rpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.FileRegion;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Builds frames and gathers them into one buffer until {@link #flush}; large payloads go out beside
 * it, uncopied. Owned by the event loop.
 */
final class FrameWriter {
    private static final int PREFIX_BYTES = FrameReader.LENGTH_BYTES + FrameReader.HEAD_BYTES;

    private final Channel channel;
    private final boolean encrypted;
    private final ChannelFutureListener whenWritten;
    private @Nullable ByteBuf batch;
    private boolean unflushed;
    private long bytesWritten;

    FrameWriter(Channel channel, boolean encrypted) {
        this.channel = channel;
        this.encrypted = encrypted;
        // A frame that went out in part tears the stream: nothing after it can be understood.
        this.whenWritten = FrameWriter::closeIfFailed;
    }

    private static void closeIfFailed(ChannelFuture written) {
        Channel channel = written.channel();
        if (!written.isSuccess() && channel.isOpen()) channel.close();
    }

    /** Whether a message and a payload of these sizes fit into one frame. */
    static boolean fits(int messageBytes, long payloadBytes) {
        return fits(messageBytes, payloadBytes, RpcLimits.FRAME_BYTES_MAX);
    }

    static boolean fits(int messageBytes, long payloadBytes, int frameBytesMax) {
        return FrameReader.HEAD_BYTES + messageBytes + payloadBytes <= frameBytesMax;
    }

    void writeBare(byte type, long call) {
        head(type, call, 0, 0, 0, 0, PREFIX_BYTES);
    }

    void write(byte type, long call, int method, int deadlineMillis, MessageLite message) {
        int bytes = message.getSerializedSize();
        ByteBuf out = head(type, call, method, deadlineMillis, bytes, 0, PREFIX_BYTES + bytes);
        append(out, message, bytes);
    }

    /** Takes the payload over. */
    void write(
            byte type,
            long call,
            int method,
            int deadlineMillis,
            MessageLite message,
            ByteBuf payload) {
        int bytes = message.getSerializedSize();
        int raw = payload.readableBytes();
        boolean copied = raw <= RpcLimits.PAYLOAD_COPY_BYTES_MAX;
        int room = PREFIX_BYTES + bytes + (copied ? raw : 0);
        ByteBuf out = head(type, call, method, deadlineMillis, bytes, raw, room);
        append(out, message, bytes);
        if (copied) {
            out.writeBytes(payload, payload.readerIndex(), raw);
            payload.release();
        } else {
            handOver();
            send(payload, raw);
        }
    }

    /** Takes the region over. Behind TLS the file's bytes have to pass through memory. */
    void write(byte type, long call, int method, MessageLite message, FileRegion region) {
        int raw = Math.toIntExact(region.count());
        if (encrypted) {
            ByteBuf bytes = channel.alloc().directBuffer(raw);
            try {
                FileRegionBytes.copy(region, bytes);
            } catch (IOException e) {
                bytes.release();
                throw new UncheckedIOException(e);
            } finally {
                region.release();
            }
            write(type, call, method, 0, message, bytes);
            return;
        }
        int bytes = message.getSerializedSize();
        ByteBuf out = head(type, call, method, 0, bytes, raw, PREFIX_BYTES + bytes);
        append(out, message, bytes);
        handOver();
        send(region, raw);
    }

    /** Gives everything gathered to the socket; false if there was nothing. */
    boolean flush() {
        handOver();
        if (!unflushed) return false;
        unflushed = false;
        channel.flush();
        return true;
    }

    void close() {
        if (batch != null) batch.release();
        batch = null;
    }

    /** Bytes handed to the socket since the last call. */
    long takeBytesWritten() {
        long bytes = bytesWritten;
        bytesWritten = 0;
        return bytes;
    }

    private ByteBuf head(
            byte type,
            long call,
            int method,
            int deadlineMillis,
            int messageBytes,
            int payloadBytes,
            int room) {
        ByteBuf out = batch;
        if (out != null && out.writableBytes() < room) {
            handOver();
            out = null;
        }
        if (out == null) {
            out = channel.alloc().directBuffer(Math.max(room, RpcLimits.BATCH_BYTES));
            batch = out;
        }
        out.writeInt(FrameReader.HEAD_BYTES + messageBytes + payloadBytes);
        out.writeByte(type);
        out.writeLong(call);
        out.writeShort(method);
        out.writeInt(deadlineMillis);
        out.writeInt(messageBytes);
        return out;
    }

    private static void append(ByteBuf out, MessageLite message, int bytes) {
        if (bytes == 0) return;
        int at = out.writerIndex();
        try {
            CodedOutputStream coded = CodedOutputStream.newInstance(out.nioBuffer(at, bytes));
            message.writeTo(coded);
            coded.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("a message did not fit its own size", e);
        }
        out.writerIndex(at + bytes);
    }

    private void handOver() {
        ByteBuf out = batch;
        if (out == null) return;
        batch = null;
        send(out, out.readableBytes());
    }

    private void send(Object bytes, int count) {
        bytesWritten += count;
        unflushed = true;
        channel.write(bytes).addListener(whenWritten);
    }
}

package org.gridfarm.protocol.rpc;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.trace.Trace;
import org.gridfarm.protocol.wire.TraceContext;
import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * Which requests of one connection are made for which trace, both ways. Owned by the event loop.
 */
final class TraceFrames {
    private boolean taken; // the other side knows such frames
    private @Nullable Trace told; // of the request that comes next
    private long toldOf;

    /** Before any call. */
    void areTaken() {
        taken = true;
    }

    /** Before the call itself. */
    void write(FrameWriter writer, long call, Trace trace) {
        if (!taken) return;
        writer.write(
                FrameType.TRACE,
                call,
                0,
                0,
                TraceContext.newBuilder()
                        .setTraceHigh(trace.high())
                        .setTraceLow(trace.low())
                        .setParent(trace.parent())
                        .setFlags(trace.flags())
                        .build());
    }

    /** Numbers that are no trace are none: the request counts. */
    void read(long call, ByteBuf in, int messageAt, int messageBytes) {
        try {
            TraceContext context =
                    Messages.parse(TraceContext.parser(), in, messageAt, messageBytes);
            told =
                    Trace.of(
                                    context.getTraceHigh(),
                                    context.getTraceLow(),
                                    context.getParent(),
                                    context.getFlags())
                            .orElse(null);
            toldOf = call;
        } catch (IOException e) {
            throw FrameReader.violation("an unreadable trace: " + e.getMessage());
        }
    }

    /** What was told of the request that has come, once. */
    @Nullable Trace take(long call) {
        Trace trace = toldOf == call ? told : null;
        told = null;
        return trace;
    }
}

package org.gridfarm.protocol.rpc;

import com.google.protobuf.MessageLite;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.trace.Trace;
import org.jspecify.annotations.Nullable;

/**
 * One request being answered. It is answered exactly once, from any thread, by one of the {@code
 * reply} and {@code fail} methods; a second answer is a bug and throws {@link
 * IllegalStateException}. An answer to a caller who has gone away or has cancelled is dropped
 * quietly, its payload released.
 */
public interface Exchange<Q extends MessageLite, R extends MessageLite> {
    Method<Q, R> method();

    Q request();

    /**
     * The raw bytes that came with the request, or an empty buffer. It is released when the handler
     * returns: {@code retain()} it to keep it longer.
     */
    ByteBuf payload();

    Peer peer();

    /**
     * The instant, on {@link System#nanoTime()}, at which the caller stops waiting; {@link
     * Long#MAX_VALUE} if never.
     */
    long deadlineNanos();

    /**
     * Milliseconds until the deadline, 0 when it has passed, {@link Long#MAX_VALUE} if there is
     * none.
     */
    long millisLeft();

    /** Names this request in logs: unique within this process. */
    String requestId();

    /** For which trace the caller asks; null: for none. */
    default @Nullable Trace trace() {
        return null;
    }

    /** True when the caller has cancelled or is gone: work for it may stop. */
    boolean isCancelled();

    /** True once a reply or a failure was given. */
    boolean isAnswered();

    /**
     * Runs when the caller cancels or its connection is lost before the answer; at once if that has
     * happened.
     */
    void onCancel(Runnable action);

    void reply(R message);

    /** Replies with raw bytes, which are taken over. */
    void reply(R message, ByteBuf payload);

    /**
     * Replies with a piece of a file, sent without copying where the connection is plain. The
     * region is taken over.
     */
    void reply(R message, FileRegion payload);

    void fail(FarmException failure);

    /**
     * Answers with whatever went wrong: a {@link FarmException} (also inside a completion
     * exception) as itself, anything else as INTERNAL with its stack trace logged under the request
     * id.
     */
    void failWith(Throwable cause);
}

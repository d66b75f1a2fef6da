package org.gridfarm.protocol.rpc;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;

/**
 * One call of the protocol: its number on the wire (1 to 65535, never reused), the name that logs
 * and metrics show, what goes in and out, and who may call it.
 *
 * @param requestBytesMax of a frame with a request and its payload; a longer one is not sent, and
 *     not taken in by a server
 * @param waits its answer may wait for something to happen: that it takes long is not slow
 */
public record Method<Q extends MessageLite, R extends MessageLite>(
        int number,
        String name,
        Parser<Q> request,
        Parser<R> reply,
        Retry retry,
        Access access,
        int requestBytesMax,
        boolean waits) {
    /** A method without bulk. */
    public Method(
            int number,
            String name,
            Parser<Q> request,
            Parser<R> reply,
            Retry retry,
            Access access) {
        this(number, name, request, reply, retry, access, RpcLimits.MESSAGE_BYTES_MAX, false);
    }

    /** The same, whose requests may fill a frame. */
    public Method<Q, R> withBulk() {
        return new Method<>(
                number, name, request, reply, retry, access, RpcLimits.FRAME_BYTES_MAX, waits);
    }

    /** The same, whose answer may wait for something to happen. */
    public Method<Q, R> thatWaits() {
        return new Method<>(number, name, request, reply, retry, access, requestBytesMax, true);
    }

    public Method {
        if (number < 1 || number > 0xFFFF)
            throw new IllegalArgumentException("method number " + number + " of " + name);
        if (name.isEmpty()) throw new IllegalArgumentException("method " + number + " has no name");
    }

    @Override
    public String toString() {
        return name;
    }
}

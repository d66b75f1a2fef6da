package org.gridfarm.metaserver.server.state;

import com.google.protobuf.MessageLite;

import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Method;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.BiConsumer;

/** The way to a storage node, over the connection on which it registered. */
public interface NodeLink {
    /** The answer or the failure comes on the event thread; exactly one is null. */
    <Q extends MessageLite, R extends MessageLite> void call(
            Method<Q, R> method,
            Q request,
            Duration deadline,
            BiConsumer<@Nullable R, @Nullable FarmException> answered);
}

package org.gridfarm.protocol.rpc;

import com.google.protobuf.MessageLite;

/** Answers the requests of one method. Runs on the connection's event loop and must not block. */
@FunctionalInterface
public interface Handler<Q extends MessageLite, R extends MessageLite> {
    void handle(Exchange<Q, R> exchange) throws Exception;
}

package org.gridfarm.protocol.rpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;

import io.netty.buffer.ByteBuf;

import java.io.IOException;

/** Reads protobuf messages where they lie. */
final class Messages {
    private Messages() {}

    static <M extends MessageLite> M parse(Parser<M> parser, ByteBuf in, int at, int bytes)
            throws IOException {
        CodedInputStream coded =
                in.hasArray()
                        ? CodedInputStream.newInstance(in.array(), in.arrayOffset() + at, bytes)
                        : CodedInputStream.newInstance(in.nioBuffer(at, bytes));
        M message = parser.parseFrom(coded);
        coded.checkLastTagWas(0);
        return message;
    }
}

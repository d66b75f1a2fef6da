package org.gridfarm.protocol.rpc;

/** The first byte of every frame. Numbers never change. */
final class FrameType {
    static final byte REQUEST = 1;
    static final byte REPLY = 2;
    static final byte FAILURE = 3;
    static final byte CANCEL = 4;
    static final byte WELCOME = 5;
    static final byte PING = 6;
    static final byte PONG = 7;

    /** Says of the request that follows for which trace it is made. */
    static final byte TRACE = 8;

    private FrameType() {}
}

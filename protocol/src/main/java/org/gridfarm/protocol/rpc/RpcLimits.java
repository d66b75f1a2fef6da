package org.gridfarm.protocol.rpc;

import java.time.Duration;

/** Every bound of a connection, with its unit and the reason for its size. */
public final class RpcLimits {
    /**
     * The lowest and highest protocol version this program speaks. A new one where messages change
     * so that older programs would misread them.
     */
    public static final int PROTOCOL_MIN = 2;

    public static final int PROTOCOL_MAX = 2;

    /**
     * Raw bytes in one frame: large enough that a frame's overhead vanishes, small enough to sit in
     * memory many times.
     */
    public static final int PAYLOAD_BYTES_MAX = 8 << 20;

    /** One frame: the largest payload and 64 KiB for its header and message. */
    public static final int FRAME_BYTES_MAX = PAYLOAD_BYTES_MAX + (64 << 10);

    /** A request of a method that carries no bulk: lists of names and ids at most. */
    public static final int MESSAGE_BYTES_MAX = 1 << 20;

    /** Frames up to this size may be half there without being counted. */
    static final int UNCOUNTED_BYTES = 4 << 10;

    /** From the first to the last byte of one frame: 280 KB/s for the largest. */
    static final Duration FRAME_MAX = Duration.ofSeconds(30);

    /** Connections of one server, as far as the process may have descriptors for them. */
    static final int CONNECTIONS_MAX = 8192;

    /** Of those that have not said yet who they are: a burst of clients is through in a second. */
    static final int HANDSHAKES_MAX = 1024;

    /** Handshakes that wait for the thread that computes them; one connection has one. */
    static final int HANDSHAKES_QUEUED_MAX = 4096;

    /**
     * Calls that one side may have unanswered on one connection; a call past it fails with
     * OVERLOADED.
     */
    public static final int CALLS_IN_FLIGHT_MAX = 256 << 10;

    /**
     * Bytes that one connection may hold unsent before its owner refuses further calls with
     * OVERLOADED.
     */
    public static final long UNSENT_BYTES_MAX = 256L << 20;

    /**
     * A server stops reading from a client that lets this many reply bytes lie; it reads on at half
     * of it.
     */
    public static final int WRITE_HIGH_WATER_BYTES = 16 << 20;

    /**
     * Payloads up to this size are copied beside their message: one buffer costs less than two
     * system-call entries.
     */
    public static final int PAYLOAD_COPY_BYTES_MAX = 4 << 10;

    /** Frames are gathered into buffers of about this size before they are handed to the socket. */
    public static final int BATCH_BYTES = 64 << 10;

    /** A side that sent nothing for this long sends a PING. */
    public static final Duration PING_AFTER = Duration.ofSeconds(1);

    /**
     * A connection on which nothing arrived for this long is dead: three lost pings and a little.
     */
    public static final Duration SILENCE_MAX = Duration.ofSeconds(4);

    /** From TCP connect to WELCOME. */
    public static final Duration HANDSHAKE_MAX = Duration.ofSeconds(5);

    /** The deadline of a call that asks for none of its own: no client operation waits longer. */
    public static final Duration DEADLINE_DEFAULT = Duration.ofSeconds(10);

    /**
     * Event-loop threads of one process: network work here is far below one core, the cores belong
     * to the data.
     */
    public static final int LOOP_THREADS_DEFAULT = 2;

    private RpcLimits() {}
}

package org.gridfarm.protocol.rpc;

import com.google.protobuf.Parser;

import io.netty.buffer.ByteBuf;

/**
 * About what a message takes in memory once it has been read, told from its bytes before. Two bytes
 * can become an object of a hundred: eight megabytes of empty entries are a whole small heap. Each
 * field is taken for such an object. Looked into are those fields alone that are messages within
 * the message: a text or the bytes of an argument are one object, whatever they look like.
 */
final class MessageWeight {
    /** Of the request itself and what stands around it. */
    static final int REQUEST_BYTES = 1 << 10;

    /** An object of a few fields and its place in a list. */
    static final int FIELD_BYTES = 48;

    /** Shorter ones cannot hold many fields: they are not looked into. */
    static final int LOOKED_INTO_BYTES = 1 << 10;

    private static final int SHORT_FACTOR = 8;

    /** A byte of a list of numbers becomes up to eight. */
    private static final int LISTED_BYTES_A_FIELD = FIELD_BYTES / Long.BYTES;

    private static final int DEPTH_MAX = 100; // a reader goes no deeper
    private static final int VARINT_BYTES_MAX = 10;

    private final ByteBuf in;
    private final long fieldsMax;
    private long fields;
    private int at;

    private MessageWeight(ByteBuf in, int at, long fieldsMax) {
        this.in = in;
        this.at = at;
        this.fieldsMax = fieldsMax;
    }

    /**
     * @param type how the message is read
     * @param most what is heavier need not be weighed to its end
     */
    static long of(Parser<?> type, ByteBuf in, int at, int bytes, long most) {
        if (bytes <= LOOKED_INTO_BYTES) return REQUEST_BYTES + (long) SHORT_FACTOR * bytes;
        MessageWeight weight = new MessageWeight(in, at, most / FIELD_BYTES + 1);
        weight.count(MessageShape.of(type), at + bytes, 0);
        return REQUEST_BYTES + bytes + weight.fields * FIELD_BYTES;
    }

    /** Up to there, or to what is no field: a reader of the message would get as far. */
    private void count(MessageShape shape, int end, int depth) {
        while (at < end && fields < fieldsMax) {
            long tag = varint(end);
            if (tag <= 7) return; // no number, or broken off
            fields++;
            int next =
                    switch ((int) tag & 7) {
                        case 0 -> varint(end) < 0 ? -1 : at;
                        case 1 -> at + Long.BYTES;
                        case 2 -> within(shape, (int) tag >>> 3, end, depth);
                        case 3, 4 -> at;
                        case 5 -> at + Integer.BYTES;
                        default -> -1;
                    };
            if (next < 0 || next > end) return;
            at = next;
        }
    }

    /** Where the field ends; negative: nowhere before the end. */
    private int within(MessageShape shape, int field, int end, int depth) {
        long varint = varint(end);
        int length = (int) varint; // of a longer one a reader takes these bits, too
        if (varint < 0 || length < 0 || length > end - at) return -1;
        int behind = at + length;
        MessageShape inner = shape.messageIn(field);
        if (inner != null && depth < DEPTH_MAX) count(inner, behind, depth + 1);
        if (shape.hasNumbers(field)) fields += length / LISTED_BYTES_A_FIELD;
        return behind;
    }

    /** Negative: there is none. The tenth byte of one that is negative itself does not matter. */
    private long varint(int end) {
        long value = 0;
        for (int i = 0; i < VARINT_BYTES_MAX && at < end; i++) {
            byte next = in.getByte(at++);
            value |= (long) (next & 0x7f) << 7 * i;
            if (next >= 0) return value & Long.MAX_VALUE;
        }
        return -1;
    }
}

package org.gridfarm.protocol.auth.x509;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/**
 * Writes the few DER shapes that certificates are made of (X.690). Every method returns one
 * complete element.
 */
final class Der {
    static final int BOOLEAN = 0x01;
    static final int INTEGER = 0x02;
    static final int BIT_STRING = 0x03;
    static final int OCTET_STRING = 0x04;
    static final int NULL = 0x05;
    static final int OID = 0x06;
    static final int UTF8_STRING = 0x0c;
    static final int PRINTABLE_STRING = 0x13;
    static final int T61_STRING = 0x14;
    static final int IA5_STRING = 0x16;
    static final int UTC_TIME = 0x17;
    static final int GENERALIZED_TIME = 0x18;
    static final int BMP_STRING = 0x1e;
    static final int SEQUENCE = 0x30;
    static final int SET = 0x31;

    private static final int YEAR_OF_GENERALIZED_TIME = 2050; // RFC 5280, 4.1.2.5
    private static final DateTimeFormatter UTC_FORM =
            DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'");
    private static final DateTimeFormatter GENERALIZED_FORM =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'");

    private Der() {}

    static byte[] element(int tag, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + 6);
        out.write(tag);
        writeLength(out, length);
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }

    static byte[] sequence(byte[]... parts) {
        return element(SEQUENCE, parts);
    }

    static byte[] set(byte[]... parts) {
        return element(SET, parts);
    }

    static byte[] integer(BigInteger value) {
        return element(INTEGER, value.toByteArray());
    }

    static byte[] integer(long value) {
        return integer(BigInteger.valueOf(value));
    }

    static byte[] bool(boolean value) {
        return element(BOOLEAN, new byte[] {(byte) (value ? 0xff : 0)});
    }

    static byte[] nothing() {
        return element(NULL);
    }

    static byte[] octets(byte[] content) {
        return element(OCTET_STRING, content);
    }

    static byte[] bits(byte[] content, int unusedBits) {
        return element(BIT_STRING, new byte[] {(byte) unusedBits}, content);
    }

    static byte[] utf8(String text) {
        return element(UTF8_STRING, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Wraps whole elements in a context tag: {@code [number] EXPLICIT}. */
    static byte[] explicit(int number, byte[]... elements) {
        return element(0xa0 | number, elements);
    }

    /** Replaces the tag of a primitive by a context tag: {@code [number] IMPLICIT}. */
    static byte[] implicit(int number, byte[] content) {
        return element(0x80 | number, content);
    }

    /** A set under a context tag that replaces its own: {@code [number] IMPLICIT SET}. */
    static byte[] implicitSet(int number, byte[]... elements) {
        return element(0xa0 | number, elements);
    }

    static byte[] oid(String dotted) {
        String[] arcs = dotted.split("\\.");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writeArc(out, Long.parseLong(arcs[0]) * 40 + Long.parseLong(arcs[1]));
        for (int i = 2; i < arcs.length; i++) {
            writeArc(out, Long.parseLong(arcs[i]));
        }
        return element(OID, out.toByteArray());
    }

    /** UTCTime up to 2049, GeneralizedTime after, as RFC 5280 asks. */
    static byte[] time(Instant instant) {
        ZonedDateTime utc = instant.atZone(ZoneOffset.UTC);
        boolean late = utc.getYear() >= YEAR_OF_GENERALIZED_TIME;
        String text = (late ? GENERALIZED_FORM : UTC_FORM).format(utc);
        return element(
                late ? GENERALIZED_TIME : UTC_TIME, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void writeArc(ByteArrayOutputStream out, long arc) {
        int groups = 1;
        for (long rest = arc >>> 7; rest != 0; rest >>>= 7) {
            groups++;
        }
        for (int i = groups - 1; i >= 0; i--) {
            out.write((int) (arc >>> (7 * i) & 0x7f) | (i == 0 ? 0 : 0x80));
        }
    }

    private static void writeLength(ByteArrayOutputStream out, int length) {
        if (length < 0x80) {
            out.write(length);
            return;
        }
        int bytes = (32 - Integer.numberOfLeadingZeros(length) + 7) / 8;
        out.write(0x80 | bytes);
        for (int i = bytes - 1; i >= 0; i--) {
            out.write(length >>> (8 * i));
        }
    }
}

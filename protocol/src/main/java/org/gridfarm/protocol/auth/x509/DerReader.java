package org.gridfarm.protocol.auth.x509;

import java.math.BigInteger;
import java.security.cert.CertificateParsingException;
import java.util.Arrays;

/**
 * Reads DER element by element and refuses what is not DER: indefinite or needlessly long lengths,
 * elements that reach past their parent. It never recurses and never reads past its range, so
 * hostile input costs no more than its size.
 */
final class DerReader {
    private final byte[] bytes;
    private final int end;
    private int position;

    DerReader(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    private DerReader(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    boolean hasMore() {
        return position < end;
    }

    /** The next element's tag, or -1 at the end. */
    int peek() {
        return hasMore() ? bytes[position] & 0xff : -1;
    }

    /** Enters the next element, which must have this tag, and steps over it here. */
    DerReader enter(int tag) throws CertificateParsingException {
        if (peek() != tag) {
            throw new CertificateParsingException(
                    "expected DER tag 0x%02x but found %s"
                            .formatted(tag, hasMore() ? "0x%02x".formatted(peek()) : "the end"));
        }
        return next();
    }

    /** Enters the next element whatever its tag. */
    DerReader next() throws CertificateParsingException {
        int tag = peek();
        if (tag < 0 || (tag & 0x1f) == 0x1f) {
            throw new CertificateParsingException("no DER element or an unsupported long tag");
        }
        int at = position + 1;
        int first = at < end ? bytes[at++] & 0xff : 0x80;
        int length = first;
        if (first >= 0x80) {
            int count = first & 0x7f;
            if (count == 0 || count > 3 || end - at < count) {
                throw new CertificateParsingException("bad DER length");
            }
            length = 0;
            for (int i = 0; i < count; i++) {
                length = length << 8 | bytes[at++] & 0xff;
            }
            if (length < 0x80 || length < 1 << (8 * (count - 1))) {
                throw new CertificateParsingException("DER length is not in its shortest form");
            }
        }
        if (length > end - at) {
            throw new CertificateParsingException("DER element reaches past its end");
        }
        position = at + length;
        return new DerReader(bytes, at, at + length);
    }

    /** The whole next element, tag and length included. */
    byte[] element() throws CertificateParsingException {
        int start = position;
        next();
        return Arrays.copyOfRange(bytes, start, position);
    }

    byte[] content() {
        return Arrays.copyOfRange(bytes, position, end);
    }

    BigInteger integer() throws CertificateParsingException {
        byte[] content = enter(Der.INTEGER).content();
        if (content.length == 0
                || content.length > 1
                        && (content[0] == 0 && content[1] >= 0
                                || content[0] == -1 && content[1] < 0)) {
            throw new CertificateParsingException("DER integer is not in its shortest form");
        }
        return new BigInteger(content);
    }

    String oid() throws CertificateParsingException {
        byte[] content = enter(Der.OID).content();
        StringBuilder dotted = new StringBuilder();
        long arc = 0;
        boolean inside = false;
        for (byte b : content) {
            if (arc > Long.MAX_VALUE >> 8 || !inside && b == (byte) 0x80) {
                throw new CertificateParsingException("bad DER object identifier");
            }
            arc = arc << 7 | b & 0x7f;
            inside = b < 0;
            if (!inside) {
                if (dotted.isEmpty()) {
                    long top = Math.min(arc / 40, 2);
                    dotted.append(top).append('.').append(arc - top * 40);
                } else {
                    dotted.append('.').append(arc);
                }
                arc = 0;
            }
        }
        if (inside || content.length == 0) {
            throw new CertificateParsingException("bad DER object identifier");
        }
        return dotted.toString();
    }

    void requireEnd() throws CertificateParsingException {
        if (hasMore()) {
            throw new CertificateParsingException("bytes left over after the last DER element");
        }
    }
}

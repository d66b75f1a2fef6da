package org.gridfarm.client.cli.gateway.s3.auth;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A body that is sent in pieces, {@code aws-chunked} ("Signature calculations for the Authorization
 * header: transferring payload in multiple chunks"): each has its length before it, and perhaps a
 * signature that goes on from the one before; headers may follow. For one reader.
 */
final class Pieces extends InputStream {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int LINE_BYTES_MAX = 4 << 10;
    private static final int TRAILERS_MAX = 16;
    private static final long PIECE_BYTES_MAX = 1L << 30;
    private static final String PIECE = "AWS4-HMAC-SHA256-PAYLOAD";
    private static final String TRAILER = "AWS4-HMAC-SHA256-TRAILER";
    private static final String TRAILER_SIGNATURE = "x-amz-trailer-signature";
    private static final String SIGNATURE = "chunk-signature=";

    private final InputStream from;
    private final Signed signed;
    private final boolean areSigned;
    private final MessageDigest digest = Hashes.digest("SHA-256");
    private final Map<String, String> trailer = new LinkedHashMap<>();
    private String before; // the signature of the piece before
    private String now = ""; // of this one
    private long left; // of this one
    private boolean begun;
    private boolean ended;

    Pieces(InputStream from, Signed signed, boolean areSigned) {
        this.from = new BufferedInputStream(from, BUFFER_BYTES);
        this.signed = signed;
        this.areSigned = areSigned;
        before = signed.signature();
    }

    /** What followed the last piece, by names in lower case. */
    Map<String, String> trailer() {
        return trailer;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) return 0;
        if (left == 0 && !ended) next();
        if (ended) return -1;
        int got = from.read(into, offset, (int) Math.min(length, left));
        if (got < 0) throw new EOFException("the body ends within a piece");
        if (areSigned) digest.update(into, offset, got);
        left -= got;
        return got;
    }

    private void next() throws IOException {
        if (begun) {
            if (!line().isEmpty()) throw broken("a piece is longer than it said");
            verify();
        }
        begun = true;
        String line = line();
        int semicolon = line.indexOf(';');
        String length = semicolon < 0 ? line : line.substring(0, semicolon);
        left = length(length.strip());
        String rest = semicolon < 0 ? "" : line.substring(semicolon + 1).strip();
        now = rest.startsWith(SIGNATURE) ? rest.substring(SIGNATURE.length()) : "";
        if (left == 0) {
            verify();
            trailers();
            ended = true;
        }
    }

    private static long length(String text) {
        try {
            long length = Long.parseLong(text, 16);
            if (length >= 0 && length <= PIECE_BYTES_MAX) return length;
        } catch (NumberFormatException e) {
            throw new S3Failure(
                    S3Code.INVALID_REQUEST, "a piece of the body has no length: " + text, e);
        }
        throw broken("a piece has " + text + " bytes");
    }

    private static S3Failure broken(String why) {
        return new S3Failure(S3Code.INVALID_REQUEST, "the body is not aws-chunked: " + why);
    }

    private void verify() {
        if (!areSigned) return;
        String hash = Hashes.hex(digest.digest());
        String expected = signed.next(PIECE, before, Hashes.sha256(""), hash);
        if (!Hashes.same(expected, now)) throw wrong("a piece of the body");
        before = now;
    }

    private static S3Failure wrong(String what) {
        return new S3Failure(
                S3Code.SIGNATURE_DOES_NOT_MATCH, what + " has not the signature of its sender");
    }

    private void trailers() throws IOException {
        StringBuilder text = new StringBuilder();
        for (String line = lineOrEnd(); !line.isEmpty(); line = lineOrEnd()) {
            int colon = line.indexOf(':');
            if (colon < 0 || trailer.size() == TRAILERS_MAX) throw broken("its trailer is " + line);
            String name = line.substring(0, colon).strip().toLowerCase(Locale.ROOT);
            String value = line.substring(colon + 1).strip();
            trailer.put(name, value);
            if (!name.equals(TRAILER_SIGNATURE)) {
                text.append(name).append(':').append(value).append('\n');
            }
        }
        if (areSigned && !trailer.isEmpty()) {
            String expected = signed.next(TRAILER, before, Hashes.sha256(text.toString()));
            if (!Hashes.same(expected, trailer.getOrDefault(TRAILER_SIGNATURE, ""))) {
                throw wrong("the trailer");
            }
        }
        if (from.read() >= 0) throw broken("something follows its end");
    }

    /** A line; empty at the end of the body, which some clients do not mark otherwise. */
    private String lineOrEnd() throws IOException {
        from.mark(1);
        if (from.read() < 0) return "";
        from.reset();
        return line();
    }

    /** Without its end. */
    private String line() throws IOException {
        byte[] bytes = new byte[LINE_BYTES_MAX];
        int length = 0;
        for (int b = from.read(); b != '\n'; b = from.read()) {
            if (b < 0) throw new EOFException("the body ends between two pieces");
            if (length == LINE_BYTES_MAX) throw broken("a line is too long");
            bytes[length++] = (byte) b;
        }
        if (length > 0 && bytes[length - 1] == '\r') length--;
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }
}

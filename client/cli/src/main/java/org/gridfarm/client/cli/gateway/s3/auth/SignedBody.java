package org.gridfarm.client.cli.gateway.s3.auth;

import org.gridfarm.client.cli.gateway.http.Request;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.Base64;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * The body of a request as its sender meant it: out of its pieces, and checked in the end against
 * all that he said of it. Whoever has read to the end has it whole and unchanged; a reader is told
 * otherwise by an S3Failure. For one reader.
 */
public final class SignedBody extends InputStream {
    private static final String CHECKSUM = "x-amz-checksum-";
    private static final String STREAMING = "STREAMING-";
    private static final String TRAILER = "-TRAILER";
    private static final String SIGNED_PIECES = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
    private static final String UNSIGNED_PIECES = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

    private final Request request;
    private final Signed signed;
    private final InputStream from;
    private final @Nullable Pieces pieces;
    private final Map<String, Checksum> sums = new HashMap<>(); // by header, or trailer, to come
    private final Checksum payload = Checksum.of(Hashes.digest("SHA-256"));
    private long bytes;
    private boolean ended;

    /** Of an object, or a part of one. */
    public static SignedBody content(Request request, Signed signed) {
        return new SignedBody(request, signed, true);
    }

    /** What is to be done, as a document; sums in the head may be of objects that it names. */
    public static SignedBody document(Request request, Signed signed) {
        return new SignedBody(request, signed, false);
    }

    private SignedBody(Request request, Signed signed, boolean isContent) {
        this.request = request;
        this.signed = signed;
        boolean inPieces = signed.payload().startsWith(STREAMING);
        if (inPieces) {
            boolean known =
                    signed.payload().equals(UNSIGNED_PIECES)
                            || signed.payload().equals(SIGNED_PIECES)
                            || signed.payload().equals(SIGNED_PIECES + TRAILER);
            if (!known) {
                throw new S3Failure(
                        S3Code.NOT_OFFERED, "a body cannot be sent as " + signed.payload());
            }
            pieces = new Pieces(request.body(), signed, signed.payload().startsWith(SIGNED_PIECES));
            from = pieces;
        } else {
            pieces = null;
            from = request.body();
        }
        for (String name : request.head().headers().names()) {
            String lower = name.toLowerCase(Locale.ROOT);
            boolean isSum = lower.startsWith(CHECKSUM) && !isAboutChecksums(lower);
            if (isContent && isSum) expect(lower);
        }
        for (String name : request.header("x-amz-trailer").orElse("").split(",")) {
            String lower = name.strip().toLowerCase(Locale.ROOT);
            if (lower.startsWith(CHECKSUM)) expect(lower);
        }
        if (request.header("Content-MD5").isPresent()) {
            sums.put("content-md5", Objects.requireNonNull(Checksum.named("md5")));
        }
    }

    private static boolean isAboutChecksums(String header) {
        return header.equals(CHECKSUM + "type")
                || header.equals(CHECKSUM + "algorithm")
                || header.equals(CHECKSUM + "mode");
    }

    private void expect(String header) {
        Checksum sum = Checksum.named(header.substring(CHECKSUM.length()));
        if (sum == null) {
            throw new S3Failure(S3Code.NOT_OFFERED, header + " is not known here");
        }
        sums.put(header, sum);
    }

    /** Somebody has read of it, and nobody can from its begin on. */
    public boolean isBegun() {
        return ended || bytes > 0;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int got = from.read(into, offset, length);
        if (got > 0) {
            bytes += got;
            sums.values().forEach(sum -> sum.update(into, offset, got));
            if (isHashed()) payload.update(into, offset, got);
        } else if (got < 0 && !ended) {
            ended = true;
            check();
        }
        return got;
    }

    private boolean isHashed() {
        return pieces == null && !signed.payload().equals(Signature.UNSIGNED);
    }

    private void check() {
        if (isHashed() && !Hashes.same(Hashes.hex(payload.value()), signed.payload())) {
            throw new S3Failure(
                    S3Code.CONTENT_SHA256_MISMATCH,
                    "the body is not the one whose SHA-256 was signed");
        }
        String told = request.header("x-amz-decoded-content-length").orElse("");
        if (pieces != null && !told.isEmpty() && !told.equals(String.valueOf(bytes))) {
            throw new S3Failure(S3Code.INCOMPLETE_BODY, bytes + " bytes came of a body of " + told);
        }
        sums.forEach((name, sum) -> {
            String wanted = request.header(name).orElse(trailer(name));
            String is = Base64.getEncoder().encodeToString(sum.value());
            if (!is.equals(wanted)) {
                throw new S3Failure(
                        S3Code.BAD_DIGEST,
                        name + " of what came is " + is + ", and was to be " + wanted);
            }
        });
    }

    private String trailer(String name) {
        return pieces == null ? "" : pieces.trailer().getOrDefault(name, "");
    }
}

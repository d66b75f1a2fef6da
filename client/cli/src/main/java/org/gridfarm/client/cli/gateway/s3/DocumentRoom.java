package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.cli.gateway.s3.auth.S3Code;
import org.gridfarm.client.cli.gateway.s3.auth.S3Failure;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for documents that clients send, over all connections: who begins many and ends none would
 * take all of it. Thread-safe.
 */
final class DocumentRoom {
    private static final int PIECE_BYTES = 64 << 10;
    private static final int SHARE = 8;

    /** A document is kept, copied once, and read into words. */
    private static final int FACTOR = 3;

    private final long max;
    private final AtomicLong taken = new AtomicLong();

    DocumentRoom(long max) {
        this.max = max;
    }

    static DocumentRoom ofThisProcess() {
        return new DocumentRoom(Runtime.getRuntime().maxMemory() / SHARE);
    }

    /** What is made of a document. */
    interface Reader<T> {
        T read(byte[] document) throws IOException;
    }

    /**
     * @param most bytes; what is longer comes as it is with one more
     * @throws S3Failure SERVICE_UNAVAILABLE where others have all the room
     */
    <T> T with(InputStream from, int most, Reader<T> reader) throws IOException {
        long held = 0;
        try {
            ByteArrayOutputStream document = new ByteArrayOutputStream();
            while (document.size() <= most) {
                held += FACTOR * PIECE_BYTES;
                if (taken.addAndGet(FACTOR * PIECE_BYTES) > max) {
                    throw new S3Failure(
                            S3Code.SERVICE_UNAVAILABLE,
                            "too many documents are being read here: come again");
                }
                byte[] piece = from.readNBytes(Math.min(PIECE_BYTES, most + 1 - document.size()));
                if (piece.length == 0) break;
                document.write(piece);
            }
            return reader.read(document.toByteArray());
        } finally {
            taken.addAndGet(-held);
        }
    }

    boolean isEmpty() {
        return taken.get() == 0;
    }
}

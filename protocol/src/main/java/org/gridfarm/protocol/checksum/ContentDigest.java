package org.gridfarm.protocol.checksum;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * SHA-256 over the size of a content and the sums of its blocks, in order: equal contents have
 * equal digests, wherever they are computed. For one thread.
 */
public final class ContentDigest {
    private static final int BUFFERED_SUMS = 1024;

    private final MessageDigest sha;
    private final ByteBuffer bytes = ByteBuffer.allocate(8 + 4 * BUFFERED_SUMS);

    /**
     * @param size bytes of the content; its blocks follow
     */
    public ContentDigest(long size) {
        try {
            sha = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
        bytes.putLong(size);
    }

    /** The next block's, as {@link Blocks#sum} takes it. */
    public void add(int sum) {
        if (bytes.remaining() < Integer.BYTES) {
            sha.update(bytes.flip());
            bytes.clear();
        }
        bytes.putInt(sum);
    }

    /** Of all that was added; to be asked once. */
    public byte[] value() {
        sha.update(bytes.flip());
        return sha.digest();
    }

    /** Of a content that is here in whole; the buffers are not consumed. */
    public static byte[] of(ByteBuffer[] content) {
        int size = 0;
        for (ByteBuffer part : content) {
            size += part.remaining();
        }
        ContentDigest digest = new ContentDigest(size);
        for (int at = 0; at < size; at += Blocks.BYTES) {
            digest.add(Blocks.sum(content, at, Math.min(Blocks.BYTES, size - at)));
        }
        return digest.value();
    }
}

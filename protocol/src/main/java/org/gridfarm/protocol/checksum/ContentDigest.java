package org.gridfarm.protocol.checksum;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * SHA-256 over the size of a content and the sums of its blocks, in order: equal contents have
 * equal digests, wherever they are computed. For one thread.
 *
 * <p>A content of more than {@link #EACH_BLOCK_MAX} bytes may be nearly all holes, and what it
 * costs must not follow its size: there, blocks with a sum of zero are left out, and each run of
 * others is the number of its first block (8 bytes), their sums, and a sum of zero, which none of
 * them has.
 */
public final class ContentDigest {
    /**
     * Up to here every block counts, 128 MiB of sums; a digest of a longer content did not fit into
     * the memory of a node when there was only this one form.
     */
    public static final long EACH_BLOCK_MAX = 2L << 40;

    private static final int BUFFERED_SUMS = 1024;

    private final MessageDigest sha;
    private final ByteBuffer bytes = ByteBuffer.allocate(8 + 4 * BUFFERED_SUMS);
    private final long size;
    private final boolean eachBlock;
    private long block;
    private boolean inRun;

    /**
     * @param size bytes of the content; its blocks follow
     */
    public ContentDigest(long size) {
        try {
            sha = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
        this.size = size;
        eachBlock = size <= EACH_BLOCK_MAX;
        bytes.putLong(size);
    }

    /** Bytes of the content. */
    public long size() {
        return size;
    }

    /** The next block's, as {@link Blocks#sum} takes it. */
    public void add(int sum) {
        if (!eachBlock && sum != 0 && !inRun) {
            put((int) (block >>> 32));
            put((int) block);
        }
        if (eachBlock || sum != 0 || inRun) {
            put(sum);
        }
        inRun = sum != 0;
        block++;
    }

    /** The same as so many sums of zero, for what is known to be a hole. */
    public void addZeros(long blocks) {
        if (blocks <= 0) {
            return;
        }
        if (eachBlock) {
            for (long i = 0; i < blocks; i++) {
                put(0);
            }
        } else if (inRun) {
            put(0);
        }
        inRun = false;
        block += blocks;
    }

    private void put(int sum) {
        if (bytes.remaining() < Integer.BYTES) {
            sha.update(bytes.flip());
            bytes.clear();
        }
        bytes.putInt(sum);
    }

    /** Of all that was added; to be asked once. */
    public byte[] value() {
        if (inRun && !eachBlock) {
            put(0);
        }
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

package org.gridfarm.protocol.name;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * What a staged file is called. Its number is a secret of the client that it was staged for, who
 * claims it by that; the metaserver and everybody who asks how long it is by now are told what is
 * made of the number here.
 */
public final class StagedName {
    /** These bits of a number tell the node where the file lies, and are shown as they are. */
    public static final long PLACE_BITS = 0x7f;

    private StagedName() {}

    /** Never 0 but for 0, which stands for no file. */
    public static long shown(long number) {
        if (number == 0) {
            return 0;
        }
        byte[] digest = sha256(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
        long shown = (ByteBuffer.wrap(digest).getLong() & ~PLACE_BITS) | (number & PLACE_BITS);
        return shown == 0 ? 1 : shown;
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}

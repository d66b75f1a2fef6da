package org.gridfarm.protocol.auth.ticket;

import org.gridfarm.protocol.name.NodeName;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * HMAC-SHA256, which every Java platform has. A Mac with its key costs more to set up than to use:
 * keep it.
 */
final class Hmac {
    private static final String ALGORITHM = "HmacSHA256";

    private Hmac() {}

    /** For one thread. */
    static Mac with(byte[] key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new AssertionError("every Java platform has HMAC-SHA256", e);
        }
    }

    /** The number by which tickets name a node. */
    static long nodeNumber(NodeName node) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(node.text().getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}

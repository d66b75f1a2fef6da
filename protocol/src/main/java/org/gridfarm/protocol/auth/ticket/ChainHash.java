package org.gridfarm.protocol.auth.ticket;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * What a ticket to write says of the members behind the node that it is for: who writes passes them
 * all, or replicas of one file would differ by a client's will.
 */
public final class ChainHash {
    /** Nobody is behind it. */
    public static final long NONE = 0;

    private static final byte JOINING = '+'; // neither is in a node's name
    private static final byte END = '\n';

    private final MessageDigest digest;
    private boolean any;

    public ChainHash() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /** The next one behind. */
    public ChainHash add(String node, boolean joining) {
        any = true;
        digest.update(node.getBytes(StandardCharsets.UTF_8));
        if (joining) digest.update(JOINING);
        digest.update(END);
        return this;
    }

    /** Of all that were added; once. */
    public long value() {
        return any ? ByteBuffer.wrap(digest.digest()).getLong() : NONE;
    }
}

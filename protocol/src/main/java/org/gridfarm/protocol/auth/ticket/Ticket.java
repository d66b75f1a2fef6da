package org.gridfarm.protocol.auth.ticket;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What a ticket says. Its 96 bytes, all numbers big-endian:
 *
 * <pre>
 *  0 magic "GFT1"   4 key epoch      8 node (hash of its name)
 * 16 inode         24 stripe        28 generation
 * 32 uid           36 rights        40 expiry (s since 1970)
 * 48 nonce         56 client        64 HMAC-SHA256 of the 64 bytes before
 * </pre>
 *
 * @param node first 8 bytes of the SHA-256 of the node's name
 * @param uid on whose behalf, for the node's log and accounting
 * @param nonce of a ticket to write at the head of a chain the {@link ChainHash} of the members
 *     behind it; of one to read a replica that is to be made of a staged file what that is shown
 *     as; else drawn at random
 * @param client what binds the ticket to a client's key: {@code AuthenticatedChain.keyBinding()}
 */
public record Ticket(
        int epoch,
        long node,
        long inode,
        int stripe,
        int generation,
        int uid,
        Rights rights,
        long expirySeconds,
        long nonce,
        long client) {
    public static final int BYTES = 96;
    static final int BODY_BYTES = 64;
    static final int CLIENT_AT = 56;
    private static final int MAGIC = 0x47465431;

    /** The body, without its HMAC. */
    byte[] body() {
        return ByteBuffer.allocate(BODY_BYTES)
                .putInt(MAGIC)
                .putInt(epoch)
                .putLong(node)
                .putLong(inode)
                .putInt(stripe)
                .putInt(generation)
                .putInt(uid)
                .putInt(rights.bits())
                .putLong(expirySeconds)
                .putLong(nonce)
                .putLong(client)
                .array();
    }

    /**
     * The key epoch a ticket claims, which alone may be looked at before the HMAC is checked; empty
     * if it is none.
     */
    static Optional<Integer> claimedEpoch(byte[] bytes) {
        if (bytes.length != BYTES) {
            return Optional.empty();
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return buffer.getInt() == MAGIC ? Optional.of(buffer.getInt()) : Optional.empty();
    }

    /** Reads the fields of a ticket whose HMAC was found good. */
    static Ticket read(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 4, BODY_BYTES - 4);
        return new Ticket(
                buffer.getInt(),
                buffer.getLong(),
                buffer.getLong(),
                buffer.getInt(),
                buffer.getInt(),
                buffer.getInt(),
                new Rights(buffer.getInt()),
                buffer.getLong(),
                buffer.getLong(),
                buffer.getLong());
    }
}

package org.gridfarm.protocol.auth.ticket;

import java.security.MessageDigest;

/** The key of one node for one epoch. Its text form never holds the key. */
public record TicketKey(int epoch, byte[] key) {
    public static final int BYTES = 32;

    public TicketKey {
        if (key.length != BYTES) {
            throw new IllegalArgumentException("ticket key of " + key.length + " bytes");
        }
        key = key.clone();
    }

    @Override
    public byte[] key() {
        return key.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TicketKey that
                && epoch == that.epoch
                && MessageDigest.isEqual(key, that.key);
    }

    @Override
    public int hashCode() {
        return epoch;
    }

    @Override
    public String toString() {
        return "TicketKey[epoch " + epoch + "]";
    }
}

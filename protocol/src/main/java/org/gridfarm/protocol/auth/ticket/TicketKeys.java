package org.gridfarm.protocol.auth.ticket;

import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.name.NodeName;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import javax.crypto.Mac;

/**
 * The metaservers' source of ticket keys: one secret, which all of them hold and no node does. The
 * master key of an epoch (one hour by the clock) comes from the secret, each node's key from the
 * master:
 *
 * <pre>
 * master = HMAC(secret, "gf-ticket-master-v1" || epoch)
 * key    = HMAC(master, "gf-ticket-v1" || epoch || node name)
 * </pre>
 *
 * <p>So a new leader mints what the nodes already accept. Thread-safe.
 */
public final class TicketKeys {
    public static final int SECRET_BYTES = 32;
    public static final Duration EPOCH = Duration.ofHours(1);

    private final byte[] secret;

    public TicketKeys(byte[] secret) {
        if (secret.length != SECRET_BYTES) {
            throw new IllegalArgumentException("ticket secret of " + secret.length + " bytes");
        }
        this.secret = secret.clone();
    }

    public static byte[] newSecret(Entropy entropy) {
        byte[] bytes = new byte[SECRET_BYTES];
        entropy.fill(bytes);
        return bytes;
    }

    public static int epochAt(Instant instant) {
        return Math.toIntExact(instant.getEpochSecond() / EPOCH.toSeconds());
    }

    public TicketKey key(NodeName node, int epoch) {
        byte[] number = ByteBuffer.allocate(Integer.BYTES).putInt(epoch).array();
        Mac mac = Hmac.with(secret);
        mac.update(ascii("gf-ticket-master-v1"));
        byte[] master = mac.doFinal(number);
        mac = Hmac.with(master);
        mac.update(ascii("gf-ticket-v1"));
        mac.update(number);
        return new TicketKey(epoch, mac.doFinal(ascii(node.text())));
    }

    /** What a node holds now: the keys of the previous, the present and the next epoch. */
    public List<TicketKey> ring(NodeName node, Instant now) {
        int present = epochAt(now);
        return List.of(key(node, present - 1), key(node, present), key(node, present + 1));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

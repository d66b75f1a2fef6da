package org.gridfarm.protocol.auth.ticket;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.name.NodeName;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import javax.crypto.Mac;

/**
 * Makes tickets, on the metaserver. Thread-safe; each thread keeps its own keyed Mac per node, so a
 * ticket costs about 0.35 µs once the node is known to the thread.
 */
public final class TicketMint {
    /** A node keeps the previous epoch's key, so no ticket may live longer than one epoch. */
    public static final Duration LIFE_MAX = TicketKeys.EPOCH;

    /** Of tickets to read: with less than half a minute left a client asks for others. */
    public static final Duration LIFE_DEFAULT = Duration.ofMinutes(5);

    /** Of tickets to write: for so long one may still be used whose holder has closed the file. */
    public static final Duration LIFE_TO_WRITE = Duration.ofMinutes(1);

    private record Stamp(int epoch, long node, Mac mac) {}

    private final TicketKeys keys;
    private final Clock clock;
    private final Entropy entropy;
    private final ThreadLocal<Map<NodeName, Stamp>> stamps = ThreadLocal.withInitial(HashMap::new);

    /** The entropy must be one that several threads may use at once where several threads seal. */
    public TicketMint(TicketKeys keys, Clock clock, Entropy entropy) {
        this.keys = keys;
        this.clock = clock;
        this.entropy = entropy;
    }

    /**
     * A ticket of {@link Ticket#BYTES} bytes for one object on one node.
     *
     * @param expirySeconds since 1970, at most {@link #LIFE_MAX} from now
     * @param clientBinding of the client that asked, as the node will see it: {@code
     *     AuthenticatedChain.keyBinding()}
     */
    public byte[] seal(
            NodeName node,
            long inode,
            int stripe,
            int generation,
            Rights rights,
            long expirySeconds,
            int uid,
            long clientBinding) {
        return seal(
                node,
                inode,
                stripe,
                generation,
                rights,
                expirySeconds,
                uid,
                entropy.nextLong(),
                clientBinding);
    }

    /**
     * The same with what else it is to say.
     *
     * @param nonce see {@link Ticket}
     */
    public byte[] seal(
            NodeName node,
            long inode,
            int stripe,
            int generation,
            Rights rights,
            long expirySeconds,
            int uid,
            long nonce,
            long clientBinding) {
        long now = clock.now().getEpochSecond();
        if (expirySeconds - now > LIFE_MAX.toSeconds()) {
            throw new IllegalArgumentException(
                    "a ticket of %d s, at most %d"
                            .formatted(expirySeconds - now, LIFE_MAX.toSeconds()));
        }
        Stamp stamp = stamp(node);
        Ticket ticket =
                new Ticket(
                        stamp.epoch,
                        stamp.node,
                        inode,
                        stripe,
                        generation,
                        uid,
                        rights,
                        expirySeconds,
                        nonce,
                        clientBinding);
        byte[] body = ticket.body();
        return ByteBuffer.allocate(Ticket.BYTES).put(body).put(stamp.mac.doFinal(body)).array();
    }

    private Stamp stamp(NodeName node) {
        int epoch = TicketKeys.epochAt(clock.now());
        Map<NodeName, Stamp> mine = stamps.get();
        Stamp stamp = mine.get(node);
        if (stamp == null || stamp.epoch != epoch) {
            stamp = new Stamp(epoch, Hmac.nodeNumber(node), Hmac.with(keys.key(node, epoch).key()));
            mine.put(node, stamp);
        }
        return stamp;
    }
}

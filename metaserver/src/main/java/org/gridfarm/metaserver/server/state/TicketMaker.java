package org.gridfarm.metaserver.server.state;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.auth.ticket.TicketGate;
import org.gridfarm.protocol.auth.ticket.TicketKeys;
import org.gridfarm.protocol.auth.ticket.TicketMint;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.SettingImage;
import org.gridfarm.protocol.wire.TicketKey;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Tickets from the farm's secret, which is a setting like others: made by the first leader, held by
 * every metaserver, never told to a node or client. Event thread.
 */
public final class TicketMaker implements Tickets {
    /** Name of the setting with the secret. */
    static final String SECRET = "ticket-secret";

    /** Name of the setting with the secret before it, and when it was replaced. */
    static final String FORMER = "ticket-secret-former";

    /**
     * After that long each node that still serves has the new keys: it had a heartbeat since. Only
     * then tickets are made with them.
     */
    public static final Duration TOLD_WITHIN = ServerLimits.NODE_LEASE.multipliedBy(5);

    /** By then no ticket of the former secret is valid any more. */
    public static final Duration FORMER_FOR =
            TOLD_WITHIN.plus(TicketMint.LIFE_DEFAULT).plus(TicketGate.CLOCK_SKEW);

    /** What is made of a secret. */
    private record Source(ByteString secret, TicketKeys keys, TicketMint mint) {}

    private final FarmState state;
    private final Clock clock;
    private @Nullable Source current;
    private @Nullable Source former;

    public TicketMaker(FarmState state, Clock clock) {
        this.state = state;
        this.clock = clock;
    }

    private static SettingImage setting(String key, ByteString value) {
        return SettingImage.newBuilder().setKey(key).setValue(value).build();
    }

    private static ByteString newSecret() {
        return ByteString.copyFrom(TicketKeys.newSecret(Entropy.system()));
    }

    /** The setting that a new farm needs, or null if it has one. */
    public @Nullable SettingImage missing() {
        return state.setting(SECRET) != null ? null : setting(SECRET, newSecret());
    }

    /**
     * A new secret in the place of the present one, whose tickets are good for as long as they
     * would have been. Refused while that is so of an earlier one: two at once is all that nodes
     * are told.
     */
    public List<SettingImage> rotated() {
        ByteString present = state.setting(SECRET);
        if (present == null) throw new IllegalStateException("the farm has no ticket secret yet");
        long left = FORMER_FOR.toSeconds() - sinceRotation();
        if (left > 0) {
            throw new FarmException(
                    ErrorKind.BUSY,
                    "rotate-secret",
                    "",
                    "tickets of the secret before this one are good for " + left + " s more");
        }
        ByteBuffer when = ByteBuffer.allocate(Long.BYTES);
        when.putLong(clock.now().getEpochSecond()).flip();
        return List.of(
                setting(FORMER, ByteString.copyFrom(when).concat(present)),
                setting(SECRET, newSecret()));
    }

    /** Seconds. */
    private long sinceRotation() {
        ByteString value = state.setting(FORMER);
        return value == null
                ? Long.MAX_VALUE
                : clock.now().getEpochSecond() - value.asReadOnlyByteBuffer().getLong();
    }

    private Source source() {
        ByteString now = state.setting(SECRET);
        if (now == null) throw new IllegalStateException("the farm has no ticket secret yet");
        Source known = of(now, current);
        current = known;
        return known;
    }

    /** Null: its tickets are over. */
    private @Nullable Source formerSource() {
        ByteString value = state.setting(FORMER);
        if (value == null || sinceRotation() >= FORMER_FOR.toSeconds()) {
            former = null;
        } else {
            former = of(value.substring(Long.BYTES), former);
        }
        return former;
    }

    private Source of(ByteString secret, @Nullable Source known) {
        if (known != null && known.secret.equals(secret)) return known;
        TicketKeys keys = new TicketKeys(secret.toByteArray());
        return new Source(secret, keys, new TicketMint(keys, clock, Entropy.system()));
    }

    private boolean areNodesTold() {
        return sinceRotation() >= TOLD_WITHIN.toSeconds();
    }

    private TicketMint mint() {
        Source before = areNodesTold() ? null : formerSource();
        return before != null ? before.mint : source().mint;
    }

    @Override
    public ByteString mint(String node, ObjectId object, Rights rights, Asker asker) {
        return seal(
                node,
                object,
                rights,
                expirySeconds(rights.cover(Rights.CHAINED)),
                asker.uid(),
                asker.caller().keyBinding());
    }

    @Override
    public ByteString mintStaged(String node, ObjectId object, long staged, Asker asker) {
        return mint(node, object, Rights.READ, staged, asker);
    }

    @Override
    public ByteString mintHead(String node, ObjectId object, long behind, Asker asker) {
        return mint(node, object, Rights.READ_WRITE, behind, asker);
    }

    private ByteString mint(String node, ObjectId object, Rights rights, long says, Asker asker) {
        return ByteString.copyFrom(
                mint().seal(
                                new NodeName(node),
                                object.getInode(),
                                object.getStripe(),
                                object.getGeneration(),
                                rights,
                                expirySeconds(rights.cover(Rights.CHAINED)),
                                asker.uid(),
                                says,
                                asker.caller().keyBinding()));
    }

    /** For another storage node, which shows its own certificate beside it. */
    public ByteString forNodes(String node, ObjectId object, boolean write) {
        Rights rights = write ? Rights.READ_WRITE : Rights.READ;
        return seal(node, object, rights, expirySeconds(false), 0, 0);
    }

    private ByteString seal(
            String node, ObjectId object, Rights rights, long expiry, int uid, long binding) {
        return ByteString.copyFrom(
                mint().seal(
                                new NodeName(node),
                                object.getInode(),
                                object.getStripe(),
                                object.getGeneration(),
                                rights,
                                expiry,
                                uid,
                                binding));
    }

    @Override
    public long expirySeconds(boolean write) {
        return clock.now().getEpochSecond()
                + (write ? TicketMint.LIFE_TO_WRITE : TicketMint.LIFE_DEFAULT).toSeconds();
    }

    /**
     * What the node needs to check tickets now. Those that tickets are made with come last: older
     * nodes keep one key of an epoch, which is that.
     */
    public List<TicketKey> ring(String node) {
        List<Source> sources = new ArrayList<>(List.of(source()));
        Source before = formerSource();
        if (before != null) sources.add(areNodesTold() ? 0 : 1, before);
        return sources.stream()
                .flatMap(one -> one.keys.ring(new NodeName(node), clock.now()).stream())
                .map(key ->
                        TicketKey.newBuilder()
                                .setEpoch(key.epoch())
                                .setKey(ByteString.copyFrom(key.key()))
                                .build())
                .toList();
    }
}

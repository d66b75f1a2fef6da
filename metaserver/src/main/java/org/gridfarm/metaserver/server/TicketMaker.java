package org.gridfarm.metaserver.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.auth.ticket.TicketKeys;
import org.gridfarm.protocol.auth.ticket.TicketMint;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.SettingImage;
import org.gridfarm.protocol.wire.TicketKey;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;

/**
 * Tickets from the farm's secret, which is a setting like others: made by the first leader, held by
 * every metaserver, never told to a node or client. Event thread.
 */
final class TicketMaker implements Tickets {
    /** Name of the setting with the secret. */
    static final String SECRET = "ticket-secret";

    private final FarmState state;
    private final Clock clock;
    private byte[] secret = new byte[0];
    private @Nullable TicketKeys keys;
    private @Nullable TicketMint mint;

    TicketMaker(FarmState state, Clock clock) {
        this.state = state;
        this.clock = clock;
    }

    /** The setting that a new farm needs, or null if it has one. */
    @Nullable SettingImage missing() {
        if (state.setting(SECRET) != null) return null;
        return SettingImage.newBuilder()
                .setKey(SECRET)
                .setValue(ByteString.copyFrom(TicketKeys.newSecret(Entropy.system())))
                .build();
    }

    private TicketMint mint() {
        ByteString now = state.setting(SECRET);
        if (now == null) throw new IllegalStateException("the farm has no ticket secret yet");
        TicketMint known = mint;
        if (known == null || !Arrays.equals(secret, now.toByteArray())) {
            secret = now.toByteArray();
            TicketKeys made = new TicketKeys(secret);
            keys = made;
            known = new TicketMint(made, clock, Entropy.system());
            mint = known;
        }
        return known;
    }

    @Override
    public ByteString mint(String node, ObjectId object, Rights rights, Asker asker) {
        return seal(node, object, rights, asker.uid(), asker.caller().keyBinding());
    }

    @Override
    public ByteString mintHead(String node, ObjectId object, long behind, Asker asker) {
        return ByteString.copyFrom(
                mint().seal(
                                new NodeName(node),
                                object.getInode(),
                                object.getStripe(),
                                object.getGeneration(),
                                Rights.READ_WRITE,
                                expirySeconds(),
                                asker.uid(),
                                behind,
                                asker.caller().keyBinding()));
    }

    /** For another storage node, which shows its own certificate beside it. */
    ByteString forNodes(String node, ObjectId object, boolean write) {
        return seal(node, object, write ? Rights.READ_WRITE : Rights.READ, 0, 0);
    }

    private ByteString seal(String node, ObjectId object, Rights rights, int uid, long binding) {
        return ByteString.copyFrom(
                mint().seal(
                                new NodeName(node),
                                object.getInode(),
                                object.getStripe(),
                                object.getGeneration(),
                                rights,
                                expirySeconds(),
                                uid,
                                binding));
    }

    @Override
    public long expirySeconds() {
        return clock.now().getEpochSecond() + TicketMint.LIFE_DEFAULT.toSeconds();
    }

    /** What the node needs to check tickets now. */
    List<TicketKey> ring(String node) {
        mint();
        TicketKeys known = keys;
        if (known == null) return List.of();
        return known.ring(new NodeName(node), clock.now()).stream()
                .map(key ->
                        TicketKey.newBuilder()
                                .setEpoch(key.epoch())
                                .setKey(ByteString.copyFrom(key.key()))
                                .build())
                .toList();
    }
}

package org.gridfarm.namespace;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.SetPolicy;

import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * The policy as extended attributes that any program can read and set; they are not listed, so that
 * copying tools leave them alone.
 */
final class PolicyAttributes {
    static final String REPLICAS = "gf.replicas";
    static final String GROUPS = "gf.groups";
    static final String STRIPE_COUNT = "gf.stripe_count";
    static final String STRIPE_UNIT = "gf.stripe_unit";
    static final Set<String> NAMES = Set.of(REPLICAS, GROUPS, STRIPE_COUNT, STRIPE_UNIT);

    private PolicyAttributes() {}

    static byte[] read(Policy policy, int defaultReplicas, String name) {
        String text =
                switch (name) {
                    case REPLICAS ->
                            Integer.toString(
                                    policy.replicas() == 0 ? defaultReplicas : policy.replicas());
                    case GROUPS -> policy.groups();
                    case STRIPE_COUNT -> Integer.toString(Math.max(1, policy.stripeCount()));
                    default ->
                            Long.toString(
                                    policy.stripeUnit() == 0
                                            ? Limits.STRIPE_UNIT_DEFAULT
                                            : policy.stripeUnit());
                };
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * @param given as a program wrote it, perhaps with the line's end
     */
    static SetPolicy wish(long inode, String name, String given, String operation) {
        String value = given.strip();
        SetPolicy.Builder wish = SetPolicy.newBuilder().setInode(inode);
        try {
            return switch (name) {
                case REPLICAS -> wish.setReplicas(Integer.parseInt(value)).build();
                case GROUPS -> wish.setGroups(value).build();
                case STRIPE_COUNT -> wish.setStripeCount(Integer.parseInt(value)).build();
                default -> wish.setStripeUnit(Long.parseLong(value)).build();
            };
        } catch (NumberFormatException e) {
            throw new FarmException(
                    ErrorKind.INVALID, operation, name, "'" + value + "' is not a number", e);
        }
    }

    static SetPolicy inherited(long inode) {
        return SetPolicy.newBuilder().setInode(inode).setInherit(true).build();
    }
}

package org.gridfarm.protocol.auth;

import org.gridfarm.protocol.wire.Credentials;

/** As whom root of a host acts that is not trusted with root's rights in the farm. */
public final class Squash {
    /** Owns nothing and is in no group. */
    private static final int NOBODY_ID = 65534;

    public static final Credentials NOBODY =
            Credentials.newBuilder().setUid(NOBODY_ID).setGid(NOBODY_ID).build();

    private Squash() {}

    /** What such a host asserts, without root and root's group. */
    public static Credentials of(Credentials asserted) {
        if (asserted.getUid() == 0) return NOBODY;
        if (asserted.getGid() != 0 && !asserted.getGroupsList().contains(0)) return asserted;
        return asserted.toBuilder()
                .setGid(asserted.getGid() == 0 ? NOBODY_ID : asserted.getGid())
                .clearGroups()
                .addAllGroups(
                        asserted.getGroupsList().stream().filter(group -> group != 0).toList())
                .build();
    }
}

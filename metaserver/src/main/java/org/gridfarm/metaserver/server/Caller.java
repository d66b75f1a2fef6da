package org.gridfarm.metaserver.server;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.rpc.AttachmentKey;
import org.gridfarm.protocol.wire.Credentials;

/**
 * Who is at the other end of a connection, from its OPEN_SESSION on.
 *
 * @param own what the caller acts as when it may not, or does not, speak for others
 * @param speaksForOthers a trusted host: the credentials in its messages are believed
 * @param keyBinding of the caller's certificate, which tickets for it are bound to
 * @param attachedNode the storage node on the caller's machine, empty if none
 */
record Caller(
        Identity identity,
        long session,
        Credentials own,
        boolean speaksForOthers,
        String client,
        String attachedNode,
        long keyBinding) {
    static final AttachmentKey<Caller> KEY = AttachmentKey.named("caller");

    /** Of a connection whose session has gone on over another. */
    static final AttachmentKey<Boolean> LEFT_BEHIND = AttachmentKey.named("left behind");

    static boolean maySpeakForOthers(Identity identity) {
        return identity.role() != Role.USER;
    }

    /** On whose behalf a message acts. */
    Credentials actingAs(boolean present, Credentials asserted) {
        return speaksForOthers && present ? asserted : own;
    }
}

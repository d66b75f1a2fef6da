package org.gridfarm.metaserver.server.state;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.Squash;
import org.gridfarm.protocol.rpc.AttachmentKey;
import org.gridfarm.protocol.wire.Credentials;

/**
 * Who is at the other end of a connection, from its OPEN_SESSION on.
 *
 * @param own what the caller acts as when it may not, or does not, speak for others
 * @param keyBinding of the caller's certificate, which tickets for it are bound to
 * @param attachedNode the storage node on the caller's machine, empty if none
 */
public record Caller(
        Identity identity,
        long session,
        Credentials own,
        String client,
        String attachedNode,
        long keyBinding) {
    public static final AttachmentKey<Caller> KEY = AttachmentKey.named("caller");

    /** Of a connection whose session has gone on over another. */
    public static final AttachmentKey<Boolean> LEFT_BEHIND = AttachmentKey.named("left behind");

    /** What a host acts as by itself. */
    public static Credentials ofHost(Identity host) {
        return host.root() ? Credentials.getDefaultInstance() : Squash.NOBODY;
    }

    /**
     * A mount, whose kernel has judged what its users may do and keeps the answers. Whoever else
     * calls is in the hands of the user.
     */
    public boolean speaksForOthers() {
        return identity.role() == Role.MOUNT;
    }

    /**
     * On whose behalf a message acts. The scheduler looks on behalf of others; that it does no more
     * {@link org.gridfarm.protocol.rpc.Access} sees to.
     */
    public Credentials actingAs(boolean present, Credentials asserted) {
        boolean believed = speaksForOthers() || identity.role() == Role.SCHEDULER;
        return believed && present ? squashed(asserted) : own;
    }

    private Credentials squashed(Credentials asserted) {
        return identity.root() ? asserted : Squash.of(asserted);
    }
}

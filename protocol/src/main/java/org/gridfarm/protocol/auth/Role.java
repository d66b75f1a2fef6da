package org.gridfarm.protocol.auth;

/** What a peer is to the farm. One certificate has one role. */
public enum Role {
    /** A person: acts under his own user name only. */
    USER,
    /** A person who may also administer the farm. */
    ADMIN,
    /** A storage node, known by its node name. */
    NODE,
    METASERVER,
    SCHEDULER,
    /** A host trusted to say on whose behalf (uid, gid, groups) each of its calls comes. */
    MOUNT,
    /**
     * A host that people come to with their certificates: it acts as the one who asks, with files
     * alone, and as itself it may do nothing.
     */
    GATEWAY,
    /**
     * Somebody without a certificate, where such are let in: he may log in by a token or a key, and
     * hand in tickets; nothing else.
     */
    GUEST;

    /** Whether people stand behind it, who have a local user name. */
    public boolean isPerson() {
        return this == USER || this == ADMIN;
    }
}

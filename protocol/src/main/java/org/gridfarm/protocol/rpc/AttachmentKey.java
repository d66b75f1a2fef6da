package org.gridfarm.protocol.rpc;

/**
 * A typed key for what a component keeps with one connection (its session, its lease). Compared by
 * identity.
 */
public final class AttachmentKey<T> {
    private final String name;

    private AttachmentKey(String name) {
        this.name = name;
    }

    /** A new key; keep it in a constant. */
    public static <T> AttachmentKey<T> named(String name) {
        return new AttachmentKey<>(name);
    }

    @Override
    public String toString() {
        return name;
    }
}

package org.gridfarm.client.mount;

import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.protocol.wire.Attributes;

/**
 * Whether an open file may have set-user or set-group bits or capabilities, which a write takes
 * away. They are known from the open on, but for those that somebody gives it meanwhile.
 * Thread-safe.
 */
final class Privileges {
    private boolean setId;
    private boolean capability;
    private int gifts;

    private Privileges(boolean setId, boolean capability) {
        this.setId = setId;
        this.capability = capability;
    }

    static Privileges of(Attributes opened) {
        return new Privileges(
                (opened.getMode() & (Flags.SET_UID | Flags.SET_GID)) != 0,
                opened.getHasCapability());
    }

    /** Of a file of which nothing is known yet. */
    static Privileges unknown() {
        return new Privileges(true, true);
    }

    /**
     * @param bits those of the mode go, too: the writer may not keep them
     */
    synchronized boolean mayGo(boolean bits) {
        return capability || (bits && setId);
    }

    /** So often something was given; to be taken before {@link #gone} is known. */
    synchronized int gifts() {
        return gifts;
    }

    synchronized void given() {
        setId = true;
        capability = true;
        gifts++;
    }

    /** Nothing is there any more but what was given since. */
    synchronized void gone(boolean bits, int before) {
        if (gifts == before) {
            capability = false;
            setId &= !bits;
        }
    }
}

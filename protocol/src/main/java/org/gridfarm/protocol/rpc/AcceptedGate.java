package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.util.function.Supplier;

/**
 * What an accepted connection may send, and keep waiting: {@link FrameRoom}. Other nodes and
 * metaservers always find room: they pass on what was let in elsewhere, and a chain breaks where it
 * waits. Owned by the event loop.
 */
final class AcceptedGate implements FrameGate {
    private final Services services;
    private final Supplier<Identity> identity;
    private final FrameRoom room;
    private final Runnable changed;
    private final Runnable ready;
    private boolean waits;

    /** Whose the frame is that has begun; null: nobody's, it is one of the farm. */
    private @Nullable String who;

    /**
     * @param changed runs when nothing more is to be read
     * @param ready runs on any thread, when there is room: then {@link #goesOn} is to be said
     */
    AcceptedGate(
            Services services,
            Supplier<Identity> identity,
            FrameRoom room,
            Runnable changed,
            Runnable ready) {
        this.services = services;
        this.identity = identity;
        this.room = room;
        this.changed = changed;
        this.ready = ready;
    }

    boolean waits() {
        return waits;
    }

    void goesOn() {
        waits = false;
    }

    @Override
    public void admit(byte type, int method, int frameBytes) {
        if (type != FrameType.REQUEST) return;
        Services.Entry<?, ?> entry = services.find(method);
        int most = entry == null ? RpcLimits.MESSAGE_BYTES_MAX : entry.method().requestBytesMax();
        if (frameBytes - FrameReader.LENGTH_BYTES > most)
            throw new FarmException(
                    ErrorKind.TOO_BIG,
                    entry == null ? "method " + method : entry.method().name(),
                    "",
                    "a request of " + frameBytes + " bytes; at most " + most + " are taken");
    }

    @Override
    public boolean begin(int frameBytes) {
        Role role = identity.get().role();
        boolean isOfTheFarm = role == Role.NODE || role == Role.METASERVER;
        who = isOfTheFarm ? null : Admissions.name(identity.get());
        if (who == null || room.take(who, frameBytes, ready)) return true;
        waits = true;
        changed.run();
        return false;
    }

    @Override
    public void stalled(int bytes) {
        if (who != null) room.stall(who, bytes);
    }

    @Override
    public void end(int frameBytes, int stalledBytes) {
        if (who == null) return;
        if (stalledBytes > 0) room.unstall(who, stalledBytes);
        if (frameBytes > 0 && !(waits && room.cancel(ready))) room.give(who, frameBytes);
    }
}

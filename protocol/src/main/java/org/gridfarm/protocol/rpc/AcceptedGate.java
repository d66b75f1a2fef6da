package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

/**
 * What an accepted connection may send, and keep waiting: {@link FrameRoom}. Other nodes and
 * metaservers always find room: they pass on what was let in elsewhere, and a chain breaks where it
 * waits. Owned by the event loop.
 */
final class AcceptedGate implements FrameGate {
    private final Services services;
    private final String who;
    private final boolean isOfTheFarm;
    private final FrameRoom room;
    private final Runnable changed;
    private final Runnable ready;
    private boolean waits;

    /**
     * @param changed runs when nothing more is to be read
     * @param ready runs on any thread, when there is room: then {@link #goesOn} is to be said
     */
    AcceptedGate(
            Services services,
            Identity identity,
            FrameRoom room,
            Runnable changed,
            Runnable ready) {
        this.services = services;
        this.who = identity.dn();
        this.isOfTheFarm = identity.role() == Role.NODE || identity.role() == Role.METASERVER;
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
        if (isOfTheFarm || room.take(who, frameBytes, ready)) return true;
        waits = true;
        changed.run();
        return false;
    }

    @Override
    public void stalled(int bytes) {
        room.stall(who, bytes);
    }

    @Override
    public void end(int frameBytes, int stalledBytes) {
        if (isOfTheFarm) return;
        if (stalledBytes > 0) room.unstall(who, stalledBytes);
        if (frameBytes > 0 && !(waits && room.cancel(ready))) room.give(who, frameBytes);
    }
}

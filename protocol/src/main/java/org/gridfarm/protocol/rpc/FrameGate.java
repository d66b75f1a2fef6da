package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.error.FarmException;

/** Asked by a {@link FrameReader} before it keeps what it was sent. Owned by the event loop. */
interface FrameGate {
    /** Of a side that dialled: it asked for what it gets. */
    FrameGate OPEN =
            new FrameGate() {
                @Override
                public void admit(byte type, int method, int frameBytes) {}

                @Override
                public boolean begin(int frameBytes) {
                    return true;
                }

                @Override
                public void stalled(int bytes) {}

                @Override
                public void end(int frameBytes, int stalledBytes) {}
            };

    /**
     * Whether such a frame is taken at all, as its head says.
     *
     * @throws FarmException TOO_BIG
     */
    void admit(byte type, int method, int frameBytes);

    /**
     * A frame has begun that is not whole: false when there is no room for it now. Then nothing
     * more is to be sent up, and {@link FrameReader#goOn} is called once there is.
     */
    boolean begin(int frameBytes);

    /**
     * So much had been received when there was no room, and is kept.
     *
     * @throws FarmException OVERLOADED when that is too much, too
     */
    void stalled(int bytes);

    /** The room that was taken, or is waited for, and what was stalled are free again. */
    void end(int frameBytes, int stalledBytes);
}

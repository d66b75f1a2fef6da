package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

/// The clock by which the kernel dates what it writes. It goes by ticks of some milliseconds and so
/// is behind the clock of the system: a file that was dated by that one would be younger than what
/// is written into it right after.
public final class FileClock {
    private static final int CLOCK_REALTIME_COARSE = 5; // linux/time.h

    private FileClock() {}

    /// Nanoseconds since 1970.
    public static long now() {
        long now = Libc.clock(CLOCK_REALTIME_COARSE);
        if (now < 0) {
            throw new FarmException(ErrorKind.INTERNAL, "clock_gettime", "", "errno " + -now);
        }
        return now;
    }
}

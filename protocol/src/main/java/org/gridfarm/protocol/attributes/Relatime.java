package org.gridfarm.protocol.attributes;

import java.time.Duration;

/** When reading moves an access time. All times are nanoseconds since 1970. */
public final class Relatime {
    private static final long DAY = Duration.ofDays(1).toNanos();

    private Relatime() {}

    /** It is not newer than the last change, or a day old. */
    public static boolean moves(long accessed, long modified, long changed, long now) {
        return accessed <= modified || accessed <= changed || now - accessed >= DAY;
    }
}

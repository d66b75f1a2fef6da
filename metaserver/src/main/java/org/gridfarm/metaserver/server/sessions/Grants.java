package org.gridfarm.metaserver.server.sessions;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.SettingImage;

import java.time.Duration;

/** Which leader last gave leases to clients itself, kept as a setting. */
public final class Grants {
    private static final String SETTING = "leases-by-leader";

    /** Servers that were elected one after the other and died before they led, within one lease. */
    private static final long CLAIMS_WITHOUT_LEADING_MAX = 4;

    private Grants() {}

    public static Change declared(long epoch) {
        return Change.newBuilder()
                .setSetting(
                        SettingImage.newBuilder()
                                .setKey(SETTING)
                                .setValue(ByteString.copyFromUtf8(Long.toString(epoch))))
                .build();
    }

    /**
     * How long somebody may still believe what an earlier leader let him, or may be answered by it:
     * clients that read from it for their lease, caches and their clients for the caches' lease.
     * Who only reads has left no trace.
     */
    public static Duration leasesLeft(FarmState state, long newEpoch) {
        if (newEpoch <= 1) return Duration.ZERO;
        ByteString last = state.setting(SETTING);
        boolean gaveItself =
                last != null
                        && Long.parseLong(last.toStringUtf8())
                                >= newEpoch - CLAIMS_WITHOUT_LEADING_MAX;
        return gaveItself ? ServerLimits.CLIENT_LEASE : ServerLimits.CACHE_LEASE;
    }
}

package org.gridfarm.client.cli.gateway;

import org.gridfarm.client.cli.gateway.call.ShownToken;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.OwnLogIn;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * Opens sessions of the farm: as an account by the certificate of this program, or by a token as a
 * guest, who has nothing of what that certificate may do. Thread-safe.
 */
final class Entrance {
    /**
     * Of names and attributes, for a token: as many as there may be have room in the usual heap.
     */
    private static final long TOKEN_CACHE_BYTES = 512 << 10;

    private static final String NAME = "gateway@" + ProcessHandle.current().pid();

    private final ClientConfig config;
    private final Loops loops;
    private final ChannelSecurity security;
    private @Nullable ChannelSecurity guest; // guarded by this; made for the first token

    Entrance(ClientConfig config, Loops loops) {
        this.config = config;
        this.loops = loops;
        security = config.security().open(Clock.system(), loops.handshakes());
    }

    List<HostPort> metaservers() {
        return config.metaservers();
    }

    /**
     * @param account empty: of who runs the program
     */
    Gridfarm as(String account) {
        Gridfarm farm = Gridfarm.open(config.withAccount(account), NAME, loops, security);
        if (farm.user().startsWith("@")) {
            String user = farm.user();
            farm.close();
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "act as",
                    user,
                    "a gateway runs with a person's certificate, or with one that the grid-mapfile calls @gateway");
        }
        return farm;
    }

    /**
     * NOT_AUTHENTICATED where the metaservers refuse it.
     *
     * @param account of whose it is; empty: the usual one
     */
    Gridfarm by(ShownToken token, String account) {
        return Gridfarm.open(
                config.forGuest()
                        .withAccount(account)
                        .withCache(Math.min(config.cacheBytes(), TOKEN_CACHE_BYTES)),
                NAME,
                loops,
                guest().loggingIn(OwnLogIn.byToken(token::text)));
    }

    private synchronized ChannelSecurity guest() {
        ChannelSecurity made = guest;
        if (made == null) {
            made = config.security().openAsGuest(Clock.system(), loops.handshakes());
            guest = made;
        }
        return made;
    }
}

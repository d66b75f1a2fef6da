package org.gridfarm.protocol.auth.tls;

import org.gridfarm.protocol.auth.Current;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.x509.AuthenticatedChain;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.Optional;

/**
 * The other side of a connection, after its chain was validated. Also the event that {@link
 * PeerCheck} fires through the pipeline.
 *
 * @param mapped whom the grid-mapfile makes of it; always present for a server's peers, for a
 *     client's only where the client has a map that names its servers
 * @param people by whom it is judged; none where there is no map here
 */
public record AuthenticatedPeer(
        AuthenticatedChain chain, Optional<Identity> mapped, Current<GridMap> people) {
    /** There is a map here: who is not in it is nobody. */
    public boolean byMap() {
        return people.get().size() > 0;
    }

    public Identity identity() {
        return mapped.orElseThrow(() ->
                new FarmException(
                        ErrorKind.NOT_AUTHENTICATED,
                        "authenticate",
                        chain.dn(),
                        "not in the grid-mapfile"));
    }

    @Override
    public String toString() {
        return mapped.map(Identity::toString).orElse("?") + " " + chain;
    }
}

package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.tls.AuthenticatedPeer;
import org.gridfarm.protocol.auth.tls.ExpectedPeer;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;

import java.util.List;
import java.util.Optional;

/**
 * Whom a dialler means to reach at an address. The certificate must be valid for the host that was
 * dialled; where the dialler has a grid-mapfile, that must also say the role and the node that were
 * meant: a certificate that it does not name is nobody's.
 */
public record ExpectedServer(Role role, Optional<NodeName> node) {
    public static ExpectedServer metaserver() {
        return new ExpectedServer(Role.METASERVER, Optional.empty());
    }

    public static ExpectedServer scheduler() {
        return new ExpectedServer(Role.SCHEDULER, Optional.empty());
    }

    /** Some storage node, whichever it is: for those who were told the address by a metaserver. */
    public static ExpectedServer anyNode() {
        return new ExpectedServer(Role.NODE, Optional.empty());
    }

    public static ExpectedServer node(NodeName node) {
        return new ExpectedServer(Role.NODE, Optional.of(node));
    }

    ExpectedPeer check(HostPort address) {
        return ExpectedPeer.host(address.host())
                .and(peer -> peer.mapped().ifPresentOrElse(this::require, () -> requireName(peer)));
    }

    /** Without a map nobody says which node it is, and a node is nothing without its name. */
    private void requireName(AuthenticatedPeer peer) {
        if (peer.byMap())
            throw new FarmException(
                    ErrorKind.NOT_AUTHENTICATED,
                    "connect",
                    this.toString(),
                    "the grid-mapfile does not name " + peer.chain().dn());
        if (role == Role.NODE && node.isEmpty())
            throw new FarmException(
                    ErrorKind.NOT_AUTHENTICATED,
                    "connect",
                    this.toString(),
                    "no grid-mapfile says which node this is; name its certificate in one");
    }

    /**
     * As the map says; without one the host name has been proved, and the role is the one that was
     * asked for.
     */
    Identity identity(AuthenticatedPeer peer) {
        return peer.mapped()
                .orElseGet(() -> new Identity(peer.chain().dn(), role, List.of(), node, false));
    }

    private void require(Identity found) {
        if (found.role() != role || (node.isPresent() && !node.equals(found.node())))
            throw new FarmException(
                    ErrorKind.NOT_AUTHENTICATED,
                    "connect",
                    this.toString(),
                    "the server there is " + found);
    }

    @Override
    public String toString() {
        return node.map(name -> "node " + name).orElse("a " + role);
    }
}

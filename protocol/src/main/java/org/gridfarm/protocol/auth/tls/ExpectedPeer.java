package org.gridfarm.protocol.auth.tls;

import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.x509.HostNames;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;

import java.security.cert.CertificateParsingException;

/**
 * Whom a client means to reach. A trusted certificate is not enough: it could be that of any host.
 *
 * <p>By host name: the certificate's subjectAltName must hold it. By role or node name: the
 * client's own grid-mapfile must say so of the certificate's name, which also tells apart several
 * nodes of one host.
 */
@FunctionalInterface
public interface ExpectedPeer {
    /** Throws NOT_AUTHENTICATED where the peer is somebody else. */
    void require(AuthenticatedPeer peer);

    static ExpectedPeer host(String host) {
        return peer -> {
            boolean covered;
            try {
                covered = HostNames.cover(peer.chain().endEntity(), host);
            } catch (CertificateParsingException e) {
                throw new FarmException(
                        ErrorKind.NOT_AUTHENTICATED,
                        "connect",
                        host,
                        "unreadable host names in its certificate",
                        e);
            }
            if (!covered) {
                throw other(host, peer);
            }
        };
    }

    static ExpectedPeer role(Role role) {
        return peer -> {
            if (peer.mapped().filter(identity -> identity.role() == role).isEmpty()) {
                throw other("a " + role, peer);
            }
        };
    }

    static ExpectedPeer node(NodeName node) {
        return peer -> {
            if (peer.mapped().flatMap(identity -> identity.node()).filter(node::equals).isEmpty()) {
                throw other("node " + node, peer);
            }
        };
    }

    static ExpectedPeer dn(String dn) {
        return peer -> {
            if (!peer.chain().dn().equals(dn)) {
                throw other(dn, peer);
            }
        };
    }

    default ExpectedPeer and(ExpectedPeer also) {
        return peer -> {
            require(peer);
            also.require(peer);
        };
    }

    private static FarmException other(String expected, AuthenticatedPeer peer) {
        return new FarmException(
                ErrorKind.NOT_AUTHENTICATED,
                "connect",
                expected,
                "the server's certificate is that of " + peer.chain().dn());
    }
}

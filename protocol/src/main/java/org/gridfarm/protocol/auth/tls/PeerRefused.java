package org.gridfarm.protocol.auth.tls;

import org.gridfarm.protocol.error.FarmException;

/**
 * The event that says a peer was refused after the handshake. A handler may write one parting
 * message while it handles the event; then the connection closes. Nothing the peer sent is passed
 * on.
 */
public record PeerRefused(FarmException reason) {}

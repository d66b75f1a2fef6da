/**
 * Connections between parties who know each other: TLS 1.3, both sides with certificates or
 * proxies, on Netty.
 *
 * <p>The engines (the JDK's, or BoringSSL where its library is there) carry the bytes; whom to
 * believe is decided here, by the chain validator and the grid-mapfile, at each handshake and again
 * on each connection, because a resumed session never asks the trust manager.
 */
@NullMarked
package org.gridfarm.protocol.auth.tls;

import org.jspecify.annotations.NullMarked;

/**
 * Certificates: reading and writing them, making an authority and proxies, and judging a peer's
 * chain.
 *
 * <p>Everything here stands on the JDK alone. A chain is judged by {@link ChainValidator} and by
 * nothing else; the TLS engines are told to trust what it says. Proxies are those of RFC 3820 with
 * the policies "inherit all" and Globus "limited"; older Globus proxies are refused.
 */
@NullMarked
package org.gridfarm.protocol.auth.x509;

import org.jspecify.annotations.NullMarked;

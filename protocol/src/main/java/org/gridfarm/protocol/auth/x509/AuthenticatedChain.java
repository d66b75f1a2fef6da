package org.gridfarm.protocol.auth.x509;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.X509Certificate;
import java.time.Instant;

/**
 * A chain that {@link ChainValidator} accepted at some moment.
 *
 * @param dn slash form of the end entity's name: the person or host, whatever proxies stand below
 * @param issuerDn slash form of the authority that issued the end entity's certificate
 * @param endEntity the end entity's certificate
 * @param limited whether a limited proxy is among the chain: data access only, no job submission
 * @param depth how many proxies stand below the end entity
 * @param notAfter when the first certificate on the way runs out; nothing may rest on this chain
 *     after it
 */
public record AuthenticatedChain(
        String dn,
        String issuerDn,
        X509Certificate endEntity,
        boolean limited,
        int depth,
        Instant notAfter) {

    /**
     * What binds a ticket to this peer: the start of the SHA-256 of the end entity's public key,
     * the same for all proxies of one certificate.
     */
    public long keyBinding() {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256")
                            .digest(endEntity.getPublicKey().getEncoded());
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return dn
                + (depth > 0
                        ? " (%s proxy, depth %d)".formatted(limited ? "limited" : "full", depth)
                        : "");
    }
}

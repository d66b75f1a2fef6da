package org.gridfarm.protocol.auth.x509;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;
import java.util.List;

/**
 * A key that waits for a person to sign a proxy for it: delegation as RFC 3820 means it, in which
 * no private key travels. Who is to act for somebody else makes the key and sends a request
 * (PKCS#10, RFC 2986); the person signs what of it he likes, which is the key alone; the chain
 * comes back. Immutable.
 */
public final class ProxyKey {
    private static final String EC_PUBLIC_KEY = "1.2.840.10045.2.1";

    private final KeyPair keys;

    private ProxyKey(KeyPair keys) {
        this.keys = keys;
    }

    /** A new P-256 key. */
    public static ProxyKey make() throws GeneralSecurityException {
        return new ProxyKey(Algorithms.newEcKeys());
    }

    /** Signed with the key, which shows that it is held here. It asks for no name. */
    public byte[] request() throws GeneralSecurityException {
        byte[] body =
                Der.sequence(
                        Der.integer(0), // version 1
                        Der.sequence(),
                        keys.getPublic().getEncoded(),
                        Der.implicitSet(0));
        return Der.sequence(
                body,
                Algorithms.signatureIdentifier(Algorithms.signatureOf(keys.getPrivate())),
                Der.bits(Algorithms.sign(keys.getPrivate(), body), 0));
    }

    /**
     * The key that a request is about. A name or attributes that it asks for mean nothing: who
     * signs decides.
     *
     * @throws GeneralSecurityException what is wrong with the request, its signature included
     */
    public static PublicKey in(byte[] request) throws GeneralSecurityException {
        DerReader whole = new DerReader(request);
        DerReader parts = whole.enter(Der.SEQUENCE);
        whole.requireEnd();
        byte[] body = parts.element();
        byte[] algorithm = parts.element();
        byte[] bits = parts.enter(Der.BIT_STRING).content();
        parts.requireEnd();
        DerReader asked = new DerReader(body).enter(Der.SEQUENCE);
        asked.integer();
        asked.enter(Der.SEQUENCE);
        PublicKey key = key(asked.element());
        Algorithms.requireStrong(key);
        String signedBy = Algorithms.signatureOf(key);
        if (!Arrays.equals(algorithm, Algorithms.signatureIdentifier(signedBy))) {
            throw new CertificateParsingException(
                    "the request is not signed by " + signedBy + ", as its key would");
        }
        Signature verifier = Signature.getInstance(signedBy);
        verifier.initVerify(key);
        verifier.update(body);
        if (bits.length < 1 || bits[0] != 0 || !verifier.verify(bits, 1, bits.length - 1)) {
            throw new CertificateParsingException("who sent the request does not hold its key");
        }
        return key;
    }

    private static PublicKey key(byte[] info) throws GeneralSecurityException {
        String algorithm = new DerReader(info).enter(Der.SEQUENCE).enter(Der.SEQUENCE).oid();
        if (!algorithm.equals(EC_PUBLIC_KEY)) {
            throw new CertificateParsingException(
                    "a proxy is asked for a key of " + algorithm + ", accepted are EC keys");
        }
        return KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(info));
    }

    /**
     * What the key and the signed chain make together. Whether the chain stands, and whose it is,
     * {@link ChainValidator} says; here is seen to it that it is for this key and gives no more
     * than was meant to be given.
     *
     * @throws FarmException INVALID: another key's, not limited, or good for further proxies
     */
    public Credential with(List<X509Certificate> chain) {
        if (chain.isEmpty() || !chain.get(0).getPublicKey().equals(keys.getPublic())) {
            throw refused("the chain is not for the key that was sent");
        }
        try {
            ProxyCertInfo info =
                    ProxyCertInfo.of(chain.get(0))
                            .orElseThrow(() -> refused("its first certificate is no proxy"));
            if (!info.limited() || info.pathLength().orElse(1) != 0) {
                throw refused("a proxy for tasks is limited and has path length 0");
            }
        } catch (CertificateParsingException e) {
            throw refused(String.valueOf(e.getMessage()));
        }
        return new Credential(chain, keys.getPrivate());
    }

    private static FarmException refused(String why) {
        return new FarmException(ErrorKind.INVALID, "delegate", "proxy", why);
    }
}

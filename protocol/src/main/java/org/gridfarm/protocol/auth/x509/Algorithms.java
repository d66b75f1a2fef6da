package org.gridfarm.protocol.auth.x509;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Map;
import java.util.Set;

/** Which keys and signatures are good enough, and which signature a key makes. */
final class Algorithms {
    static final int RSA_BITS_MIN = 2048;
    static final int RSA_BITS_MAX = 8192; // verifying a larger key is a way to keep a server busy
    private static final Set<Integer> EC_BITS = Set.of(256, 384, 521);

    private static final Map<String, String> SIGNATURE_OIDS =
            Map.of(
                    "1.2.840.113549.1.1.11", "SHA256withRSA",
                    "1.2.840.113549.1.1.12", "SHA384withRSA",
                    "1.2.840.113549.1.1.13", "SHA512withRSA",
                    "1.2.840.10045.4.3.2", "SHA256withECDSA",
                    "1.2.840.10045.4.3.3", "SHA384withECDSA",
                    "1.2.840.10045.4.3.4", "SHA512withECDSA",
                    "1.3.101.112", "Ed25519");

    private Algorithms() {}

    static void requireStrong(PublicKey key) throws CertificateException {
        if (key instanceof RSAKey rsa) {
            int bits = rsa.getModulus().bitLength();
            if (bits < RSA_BITS_MIN || bits > RSA_BITS_MAX) {
                throw new CertificateException(
                        "RSA key of %d bits, accepted are %d to %d"
                                .formatted(bits, RSA_BITS_MIN, RSA_BITS_MAX));
            }
        } else if (key instanceof ECKey ec) {
            int bits = ec.getParams().getCurve().getField().getFieldSize();
            if (!EC_BITS.contains(bits)) {
                throw new CertificateException(
                        "EC key of %d bits, accepted are P-256, P-384 and P-521".formatted(bits));
            }
        } else if (!key.getAlgorithm().equals("EdDSA")) {
            throw new CertificateException(
                    "key algorithm " + key.getAlgorithm() + " is not accepted");
        }
    }

    static void requireStrongSignature(String oid) throws CertificateException {
        if (!SIGNATURE_OIDS.containsKey(oid)) {
            throw new CertificateException("signature algorithm " + oid + " is not accepted");
        }
    }

    /** The signature a key makes by itself; never taken from the certificate the key belongs to. */
    static String signatureOf(Key key) throws GeneralSecurityException {
        if (key instanceof RSAKey) {
            return "SHA256withRSA";
        }
        if (key instanceof ECKey ec) {
            int bits = ec.getParams().getCurve().getField().getFieldSize();
            return bits <= 256
                    ? "SHA256withECDSA"
                    : bits <= 384 ? "SHA384withECDSA" : "SHA512withECDSA";
        }
        if (key.getAlgorithm().equals("EdDSA") || key.getAlgorithm().equals("Ed25519")) {
            return "Ed25519";
        }
        throw new GeneralSecurityException("no signature known for keys of " + key.getAlgorithm());
    }

    /** The AlgorithmIdentifier that goes with {@link #signatureOf}. */
    static byte[] signatureIdentifier(String name) {
        String oid =
                SIGNATURE_OIDS.entrySet().stream()
                        .filter(entry -> entry.getValue().equals(name))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(name))
                        .getKey();
        return name.endsWith("RSA")
                ? Der.sequence(Der.oid(oid), Der.nothing())
                : Der.sequence(Der.oid(oid));
    }

    static byte[] sign(PrivateKey key, byte[] content) throws GeneralSecurityException {
        Signature signature = Signature.getInstance(signatureOf(key));
        signature.initSign(key);
        signature.update(content);
        return signature.sign();
    }

    /** A P-256 key pair: the cheapest handshake for a server, and made in under a millisecond. */
    static KeyPair newEcKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    static KeyPair newRsaKeys(int bits) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(bits);
        return generator.generateKeyPair();
    }
}

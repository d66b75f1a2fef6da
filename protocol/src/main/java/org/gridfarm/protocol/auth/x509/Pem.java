package org.gridfarm.protocol.auth.x509;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CRLException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and writes PEM blocks (RFC 7468). A proxy file holds certificate, key and chain in one
 * text; each reader here takes the blocks it understands and steps over the others. Keys: PKCS#8,
 * PKCS#1 (RSA) and SEC1 (EC), in the clear or under a pass phrase.
 */
public final class Pem {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]{1,40})-----\\s([\\s\\S]*?)-----END \\1-----");
    private static final Pattern DEK_INFO = Pattern.compile("DEK-Info:\\s*(\\S+)\\s");
    private static final String RSA_ENCRYPTION = "1.2.840.113549.1.1.1";
    private static final String EC_PUBLIC_KEY = "1.2.840.10045.2.1";
    private static final String EDWARDS_25519 = "1.3.101.112";

    private record Block(String label, String body) {
        byte[] bytes() throws GeneralSecurityException {
            try {
                return Base64.getMimeDecoder().decode(body);
            } catch (IllegalArgumentException e) {
                throw new GeneralSecurityException("PEM block " + label + " is not base64", e);
            }
        }
    }

    private Pem() {}

    /** All certificates of the text in their order. */
    public static List<X509Certificate> certificates(String text) throws CertificateException {
        List<X509Certificate> found = new ArrayList<>();
        for (Block block : blocks(text)) {
            if (block.label.equals("CERTIFICATE") || block.label.equals("X509 CERTIFICATE")) {
                try {
                    found.add(
                            (X509Certificate)
                                    CertificateFactory.getInstance("X.509")
                                            .generateCertificate(
                                                    new ByteArrayInputStream(block.bytes())));
                } catch (CertificateException e) {
                    throw e;
                } catch (GeneralSecurityException e) {
                    throw new CertificateException(e.getMessage(), e);
                }
            }
        }
        return found;
    }

    /** All revocation lists of the text. */
    public static List<X509CRL> revocationLists(String text) throws GeneralSecurityException {
        List<X509CRL> found = new ArrayList<>();
        for (Block block : blocks(text)) {
            if (block.label.equals("X509 CRL")) {
                found.add(revocationList(block.bytes()));
            }
        }
        return found;
    }

    static X509CRL revocationList(byte[] der) throws CertificateException, CRLException {
        return (X509CRL)
                CertificateFactory.getInstance("X.509").generateCRL(new ByteArrayInputStream(der));
    }

    /** The first private key of the text, if it has one; an encrypted one is refused. */
    public static Optional<PrivateKey> privateKey(String text) throws GeneralSecurityException {
        return privateKey(text, PassPhrase.NONE);
    }

    /** The first private key of the text, if it has one. */
    public static Optional<PrivateKey> privateKey(String text, PassPhrase phrase)
            throws GeneralSecurityException {
        for (Block block : blocks(text)) {
            switch (block.label) {
                case "PRIVATE KEY" -> {
                    return Optional.of(fromPkcs8(block.bytes()));
                }
                case "ENCRYPTED PRIVATE KEY" -> {
                    byte[] der = block.bytes();
                    return Optional.of(
                            decrypted(
                                    phrase,
                                    password ->
                                            fromPkcs8(EncryptedKey.decryptPkcs8(der, password))));
                }
                case "RSA PRIVATE KEY", "EC PRIVATE KEY" -> {
                    return Optional.of(traditional(block, phrase));
                }
                default -> {
                    continue;
                }
            }
        }
        return Optional.empty();
    }

    /** Whether the first private key of the text is under a pass phrase. */
    public static boolean isKeyEncrypted(String text) {
        return blocks(text).stream()
                .filter(block -> block.label.endsWith("PRIVATE KEY"))
                .findFirst()
                .filter(block ->
                        block.label.equals("ENCRYPTED PRIVATE KEY")
                                || DEK_INFO.matcher(block.body).find())
                .isPresent();
    }

    private interface Reading {
        PrivateKey with(char[] password) throws GeneralSecurityException;
    }

    private static PrivateKey decrypted(PassPhrase phrase, Reading reading)
            throws GeneralSecurityException {
        char[] password =
                phrase.ask()
                        .orElseThrow(() ->
                                new InvalidKeySpecException(
                                        "the private key is encrypted; make a proxy from it and"
                                                + " use that"));
        try {
            return reading.with(password);
        } finally {
            Arrays.fill(password, ' ');
        }
    }

    /** PKCS#1 or SEC1, with the headers of RFC 1421 where it is encrypted. */
    private static PrivateKey traditional(Block block, PassPhrase phrase)
            throws GeneralSecurityException {
        Matcher header = DEK_INFO.matcher(block.body);
        if (!header.find()) {
            return ofLabel(block.label, block.bytes());
        }
        byte[] encrypted = new Block(block.label, block.body.substring(header.end())).bytes();
        return decrypted(
                phrase,
                password ->
                        ofLabel(
                                block.label,
                                EncryptedKey.decryptTraditional(
                                        header.group(1), encrypted, password)));
    }

    private static PrivateKey ofLabel(String label, byte[] der) throws GeneralSecurityException {
        return label.equals("RSA PRIVATE KEY")
                ? fromPkcs8(wrap(Der.sequence(Der.oid(RSA_ENCRYPTION), Der.nothing()), der))
                : fromSec1(der);
    }

    public static String text(X509Certificate certificate) throws CertificateException {
        return block("CERTIFICATE", certificate.getEncoded());
    }

    /** PKCS#8. */
    public static String text(PrivateKey key) {
        return block("PRIVATE KEY", key.getEncoded());
    }

    /** PKCS#8 under a pass phrase. */
    public static String text(PrivateKey key, char[] password) throws GeneralSecurityException {
        return block("ENCRYPTED PRIVATE KEY", EncryptedKey.encrypt(key, password));
    }

    public static String text(X509CRL list) throws CRLException {
        return block("X509 CRL", list.getEncoded());
    }

    private static String block(String label, byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
    }

    private static List<Block> blocks(String text) {
        List<Block> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(text);
        while (matcher.find()) {
            blocks.add(new Block(matcher.group(1), matcher.group(2)));
        }
        return blocks;
    }

    private static PrivateKey fromSec1(byte[] der) throws GeneralSecurityException {
        DerReader key = new DerReader(der).enter(Der.SEQUENCE);
        key.integer();
        key.enter(Der.OCTET_STRING);
        if (key.peek() != 0xa0) {
            throw new InvalidKeySpecException("the EC private key does not name its curve");
        }
        byte[] curve = key.next().content();
        return fromPkcs8(wrap(Der.sequence(Der.oid(EC_PUBLIC_KEY), curve), der));
    }

    private static byte[] wrap(byte[] algorithm, byte[] key) {
        return Der.sequence(Der.integer(0), algorithm, Der.octets(key));
    }

    private static PrivateKey fromPkcs8(byte[] der) throws GeneralSecurityException {
        DerReader info = new DerReader(der).enter(Der.SEQUENCE);
        info.integer();
        String oid = info.enter(Der.SEQUENCE).oid();
        String algorithm =
                switch (oid) {
                    case RSA_ENCRYPTION -> "RSA";
                    case EC_PUBLIC_KEY -> "EC";
                    case EDWARDS_25519 -> "Ed25519";
                    default ->
                            throw new InvalidKeySpecException(
                                    "private keys of algorithm " + oid + " are not supported");
                };
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
    }
}

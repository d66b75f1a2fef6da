package org.gridfarm.protocol.auth.x509;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.CertificateParsingException;
import java.security.spec.InvalidKeySpecException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.IllegalBlockSizeException;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.PBEParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Private keys under a pass phrase: PKCS#8 with PBES2 (RFC 8018), as OpenSSL writes it today, and
 * for reading alone the older form with a {@code DEK-Info} header (RFC 1421), which grid tools left
 * behind in many a {@code userkey.pem}.
 */
final class EncryptedKey {
    private static final String SCHEME = "PBEWithHmacSHA256AndAES_256";
    private static final String PBES2 = "1.2.840.113549.1.5.13";
    private static final String PBKDF2 = "1.2.840.113549.1.5.12";
    private static final String HMAC_SHA256 = "1.2.840.113549.2.9";
    private static final String AES_256_CBC = "2.16.840.1.101.3.4.1.42";
    private static final int ITERATIONS = 200_000;
    private static final int ITERATIONS_MAX = 10_000_000; // a minute of computing
    private static final int SALT_BYTES = 16;
    private static final int IV_BYTES = 16;

    private EncryptedKey() {}

    /** The DER of an EncryptedPrivateKeyInfo. */
    static byte[] encrypt(PrivateKey key, char[] password) throws GeneralSecurityException {
        SecureRandom random = new SecureRandom();
        byte[] salt = new byte[SALT_BYTES];
        byte[] iv = new byte[IV_BYTES];
        random.nextBytes(salt);
        random.nextBytes(iv);
        Cipher cipher = Cipher.getInstance(SCHEME);
        cipher.init(
                Cipher.ENCRYPT_MODE,
                SecretKeyFactory.getInstance(SCHEME).generateSecret(new PBEKeySpec(password)),
                new PBEParameterSpec(salt, ITERATIONS, new IvParameterSpec(iv)));
        byte[] derivation =
                Der.sequence(
                        Der.oid(PBKDF2),
                        Der.sequence(
                                Der.octets(salt),
                                Der.integer(ITERATIONS),
                                Der.sequence(Der.oid(HMAC_SHA256), Der.nothing())));
        byte[] encryption = Der.sequence(Der.oid(AES_256_CBC), Der.octets(iv));
        byte[] scheme = Der.sequence(Der.oid(PBES2), Der.sequence(derivation, encryption));
        return Der.sequence(scheme, Der.octets(cipher.doFinal(key.getEncoded())));
    }

    /** The DER of the PrivateKeyInfo inside. */
    static byte[] decryptPkcs8(byte[] der, char[] password) throws GeneralSecurityException {
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(der);
            AlgorithmParameters parameters = info.getAlgParameters();
            // Of PBES2 the text of the parameters is the name of the scheme; the JDK knows no
            // other way to ask.
            String scheme =
                    info.getAlgName().equals("PBES2") ? parameters.toString() : info.getAlgName();
            if (parameters.getParameterSpec(PBEParameterSpec.class).getIterationCount()
                    > ITERATIONS_MAX) {
                throw new InvalidKeySpecException(
                        "the private key is encrypted with more than "
                                + ITERATIONS_MAX
                                + " iterations");
            }
            Cipher cipher = Cipher.getInstance(scheme);
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    SecretKeyFactory.getInstance(scheme).generateSecret(new PBEKeySpec(password)),
                    parameters);
            return sequence(cipher.doFinal(info.getEncryptedData()));
        } catch (BadPaddingException | IllegalBlockSizeException e) {
            throw wrongPassword(e);
        } catch (IOException e) {
            throw new InvalidKeySpecException("the encrypted private key cannot be read", e);
        }
    }

    /**
     * @param header the value of {@code DEK-Info}: cipher and initialisation vector
     * @return the DER of the key, in the form that the label of the block says
     */
    static byte[] decryptTraditional(String header, byte[] encrypted, char[] password)
            throws GeneralSecurityException {
        int comma = header.indexOf(',');
        String name = (comma < 0 ? header : header.substring(0, comma)).strip();
        byte[] iv;
        try {
            iv = HexFormat.of().parseHex(header.substring(comma + 1).strip());
        } catch (IllegalArgumentException e) {
            throw new InvalidKeySpecException("the DEK-Info of the private key is damaged", e);
        }
        String algorithm;
        int keyBytes;
        switch (name.toUpperCase(Locale.ROOT)) {
            case "DES-EDE3-CBC" -> {
                algorithm = "DESede";
                keyBytes = 24;
            }
            case "AES-128-CBC" -> {
                algorithm = "AES";
                keyBytes = 16;
            }
            case "AES-192-CBC" -> {
                algorithm = "AES";
                keyBytes = 24;
            }
            case "AES-256-CBC" -> {
                algorithm = "AES";
                keyBytes = 32;
            }
            default ->
                    throw new InvalidKeySpecException(
                            "private keys under the cipher " + name + " are not supported");
        }
        byte[] key = deriveTraditional(password, Arrays.copyOf(iv, 8), keyBytes);
        try {
            Cipher cipher = Cipher.getInstance(algorithm + "/CBC/PKCS5Padding");
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    new SecretKeySpec(key, algorithm),
                    new IvParameterSpec(iv));
            return sequence(cipher.doFinal(encrypted));
        } catch (BadPaddingException | IllegalBlockSizeException e) {
            throw wrongPassword(e);
        } finally {
            Arrays.fill(key, (byte) 0);
        }
    }

    /** OpenSSL's {@code EVP_BytesToKey} with MD5 and one round: weak, but what these files have. */
    private static byte[] deriveTraditional(char[] password, byte[] salt, int keyBytes)
            throws GeneralSecurityException {
        ByteBuffer phrase = StandardCharsets.UTF_8.encode(CharBuffer.wrap(password));
        MessageDigest md5 = MessageDigest.getInstance("MD5");
        byte[] key = new byte[keyBytes];
        byte[] last = new byte[0];
        for (int filled = 0; filled < keyBytes; filled += last.length) {
            md5.update(last);
            md5.update(phrase.duplicate());
            md5.update(salt);
            last = md5.digest();
            System.arraycopy(last, 0, key, filled, Math.min(last.length, keyBytes - filled));
        }
        Arrays.fill(phrase.array(), (byte) 0);
        return key;
    }

    /** One wrong phrase of 256 leaves a padding that looks right; what it decrypts to does not. */
    private static byte[] sequence(byte[] decrypted) throws GeneralSecurityException {
        try {
            DerReader whole = new DerReader(decrypted);
            whole.enter(Der.SEQUENCE);
            if (whole.hasMore()) {
                throw new CertificateParsingException("bytes after the end of the key");
            }
            return decrypted;
        } catch (CertificateParsingException e) {
            throw wrongPassword(e);
        }
    }

    private static GeneralSecurityException wrongPassword(Exception cause) {
        return new InvalidKeySpecException("wrong pass phrase for the private key", cause);
    }
}

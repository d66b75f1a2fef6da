package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.List;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What makes one connection another than all others, seen from either end: the certificates that
 * both have shown, whose keys TLS has proved (the server's as tls-server-end-point of RFC 5929),
 * and what both have made up for it. A proof over it is worth nothing on any other connection: who
 * stands between has neither key.
 *
 * @param challenge of the server
 * @param server digest of its certificate
 * @param client digest of the guest's certificate
 */
public record ChannelBinding(byte[] challenge, byte[] server, byte[] client) {
    static final int RANDOM_BYTES = 32;
    private static final String LABEL = "gridfarm key 1";
    private static final String ALGORITHM = "HmacSHA256";

    /** Who proves; what one says is no proof of the other. */
    public enum Side {
        CLIENT,
        SERVER
    }

    static ChannelBinding of(byte[] challenge, X509Certificate server, X509Certificate client) {
        return new ChannelBinding(challenge, digest(server), digest(client));
    }

    private static byte[] digest(X509Certificate certificate) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
        } catch (NoSuchAlgorithmException | CertificateEncodingException e) {
            throw new FarmException(
                    ErrorKind.NOT_AUTHENTICATED, "log in", "", "unreadable certificate", e);
        }
    }

    /**
     * That one side has the secret.
     *
     * @param nonce of the client
     */
    public byte[] proof(Side side, String id, byte[] secret, byte[] nonce) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            List<byte[]> parts =
                    List.of(
                            bytes(LABEL),
                            bytes(side.name()),
                            bytes(id),
                            challenge,
                            nonce,
                            server,
                            client);
            for (byte[] part : parts) {
                mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
                mac.update(part);
            }
            return mac.doFinal();
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new AssertionError("every Java platform has HMAC-SHA256", e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

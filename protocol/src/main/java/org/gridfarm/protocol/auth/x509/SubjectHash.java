package org.gridfarm.protocol.auth.x509;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;

/**
 * The eight hexadecimal digits by which OpenSSL 1.0 and newer find an authority in a directory
 * ({@code X509_NAME_hash}): the first four bytes of the SHA-1 of its name in a canonical form,
 * backwards. A name for a file, not a protection.
 */
final class SubjectHash {
    private SubjectHash() {}

    static String of(X509Certificate authority) throws CertificateParsingException {
        DerReader name =
                new DerReader(DistinguishedName.subjectOf(authority).der()).enter(Der.SEQUENCE);
        ByteArrayOutputStream canonical = new ByteArrayOutputStream();
        while (name.hasMore()) {
            DerReader pair = name.enter(Der.SET).enter(Der.SEQUENCE);
            byte[] oid = pair.element();
            int tag = pair.peek();
            byte[] value = canonical(tag, pair.next().content());
            canonical.writeBytes(Der.set(Der.sequence(oid, value)));
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(canonical.toByteArray());
            return "%02x%02x%02x%02x".formatted(digest[3], digest[2], digest[1], digest[0]);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }

    /** As a UTF-8 string in lower case (of ASCII), without blanks around it and single inside. */
    private static byte[] canonical(int tag, byte[] content) {
        String text =
                tag == Der.BMP_STRING
                        ? new String(content, StandardCharsets.UTF_16BE)
                        : new String(
                                content,
                                tag == Der.UTF8_STRING
                                        ? StandardCharsets.UTF_8
                                        : StandardCharsets.ISO_8859_1);
        byte[] bytes =
                text.replaceAll("[ \\t\\n\\x0B\\f\\r]+", " ")
                        .replaceAll("^ | $", "")
                        .getBytes(StandardCharsets.UTF_8);
        byte[] lower = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            lower[i] = bytes[i] >= 'A' && bytes[i] <= 'Z' ? (byte) (bytes[i] + 32) : bytes[i];
        }
        return Der.element(Der.UTF8_STRING, lower);
    }
}

package org.gridfarm.protocol.auth.x509;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a process shows of itself: a chain, its own certificate first, and the private key of that
 * first certificate. Its text form never holds the key.
 */
public record Credential(List<X509Certificate> chain, PrivateKey key) {
    public Credential {
        chain = List.copyOf(chain);
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("a credential needs a certificate");
        }
    }

    /**
     * Reads a grid proxy file, or any file with certificates and a key in one text. Mode 600 is
     * required.
     */
    public static Credential load(Path file) {
        return tried(loadUntried(file), file);
    }

    /** The same without a look whether the key belongs to the certificate ({@link #flaw}). */
    public static Credential loadUntried(Path file) {
        String text = SecretFile.read(file);
        return from(text, text, file, PassPhrase.NONE);
    }

    /** Reads a certificate file (chain allowed) and a key file; the key file must have mode 600. */
    public static Credential load(Path certificates, Path key) {
        return load(certificates, key, PassPhrase.NONE);
    }

    /** The same; the phrase is asked for where the key is encrypted. */
    public static Credential load(Path certificates, Path key, PassPhrase phrase) {
        Credential read =
                from(SecretFile.readPublic(certificates), SecretFile.read(key), key, phrase);
        return tried(read, key);
    }

    /** Of two files, without a look whether the key belongs to the certificate. */
    public static Credential loadUntried(Path certificates, Path key) {
        String secret = SecretFile.read(key);
        return from(SecretFile.readPublic(certificates), secret, key, PassPhrase.NONE);
    }

    public X509Certificate certificate() {
        return chain.get(0);
    }

    /** How many proxies stand between the key and the certificate of the person or host. */
    public int proxies() {
        return (int) chain.stream().filter(ProxyCertInfo::isIn).count();
    }

    /** Whether it is good for data alone. */
    public boolean isLimited() throws CertificateException {
        return ProxyCertInfo.of(certificate()).filter(ProxyCertInfo::limited).isPresent();
    }

    /** Whether it is a proxy below which no other may stand. */
    public boolean mayNotDelegate() throws CertificateException {
        return ProxyCertInfo.of(certificate())
                .filter(info -> info.pathLength().orElse(1) == 0)
                .isPresent();
    }

    /** When the first certificate of the chain runs out. */
    public Instant notAfter() {
        return chain.stream()
                .map(c -> c.getNotAfter().toInstant())
                .min(Instant::compareTo)
                .orElseThrow();
    }

    /** Certificate, key, rest of the chain: the order that grid tools read and write. */
    public String toPem() throws CertificateException {
        StringBuilder text = new StringBuilder(Pem.text(certificate())).append(Pem.text(key));
        for (X509Certificate above : chain.subList(1, chain.size())) {
            text.append(Pem.text(above));
        }
        return text.toString();
    }

    /** The certificates alone: what everybody may see. */
    public String chainPem() throws CertificateException {
        StringBuilder text = new StringBuilder();
        for (X509Certificate certificate : chain) {
            text.append(Pem.text(certificate));
        }
        return text.toString();
    }

    /** The key alone, under the phrase if there is one. */
    public String keyPem(PassPhrase phrase) throws GeneralSecurityException {
        char[] password = phrase.ask().orElse(null);
        if (password == null) {
            return Pem.text(key);
        }
        try {
            return Pem.text(key, password);
        } finally {
            Arrays.fill(password, ' ');
        }
    }

    /** Writes {@link #toPem} with mode 600. */
    public void save(Path file) {
        try {
            SecretFile.write(file, toPem());
        } catch (CertificateException e) {
            throw invalid("write credential", file, e);
        }
    }

    @Override
    public String toString() {
        return "Credential["
                + certificate().getSubjectX500Principal()
                + ", until "
                + notAfter()
                + "]";
    }

    private static Credential from(String certificates, String key, Path file, PassPhrase phrase) {
        try {
            return new Credential(
                    requireSome(Pem.certificates(certificates)),
                    Pem.privateKey(key, phrase)
                            .orElseThrow(() ->
                                    new GeneralSecurityException("the file holds no private key")));
        } catch (GeneralSecurityException e) {
            throw invalid("read credential", file, e);
        }
    }

    private static List<X509Certificate> requireSome(List<X509Certificate> certificates)
            throws CertificateException {
        if (certificates.isEmpty()) {
            throw new CertificateException("the file holds no certificate");
        }
        return certificates;
    }

    private static Credential tried(Credential read, Path file) {
        read.flaw()
                .ifPresent(flaw -> {
                    throw invalid("read credential", file, new GeneralSecurityException(flaw));
                });
        return read;
    }

    /**
     * That the key does not belong to the certificate, or cannot be used. To look takes a tenth of
     * a second in a JVM that has just started; whoever shows such a credential is refused anyhow.
     */
    public Optional<String> flaw() {
        try {
            return isKeyFitting()
                    ? Optional.empty()
                    : Optional.of("the private key does not belong to the first certificate");
        } catch (GeneralSecurityException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private boolean isKeyFitting() throws GeneralSecurityException {
        byte[] probe = {1, 2, 3, 4};
        Signature verifier = Signature.getInstance(Algorithms.signatureOf(key));
        byte[] signed = Algorithms.sign(key, probe);
        try {
            verifier.initVerify(certificate().getPublicKey());
            verifier.update(probe);
            return verifier.verify(signed);
        } catch (java.security.InvalidKeyException | java.security.SignatureException e) {
            return false; // a key of another algorithm
        }
    }

    private static FarmException invalid(
            String operation, Path file, GeneralSecurityException cause) {
        return new FarmException(
                ErrorKind.INVALID,
                operation,
                file.toString(),
                String.valueOf(cause.getMessage()),
                cause);
    }
}

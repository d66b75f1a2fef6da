package org.gridfarm.protocol.auth.x509;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import javax.security.auth.x500.X500Principal;

/**
 * The authorities this process trusts, with their revocation lists: one immutable reading of a CA
 * file or of a directory such as /etc/grid-security/certificates ({@code *.pem}, {@code *.crt},
 * {@code *.0} and revocation lists {@code *.r0}, {@code *.crl}).
 *
 * <p>signing_policy and namespaces files are not read: an authority in the directory may sign any
 * name. Put only authorities there that may.
 */
public final class TrustStore {
    private final Map<X500Principal, List<X509Certificate>> anchors = new HashMap<>();
    private final Map<X500Principal, List<X509CRL>> revocationLists = new HashMap<>();
    private final RevocationPolicy policy;

    /**
     * Which lists were found to be signed by which key, so that a list of a million entries is
     * verified once.
     */
    private final Map<PublicKey, List<X509CRL>> verifiedLists = new ConcurrentHashMap<>();

    private TrustStore(RevocationPolicy policy) {
        this.policy = policy;
    }

    public static TrustStore of(X509Certificate... authorities) throws CertificateException {
        return of(List.of(authorities), List.of(), RevocationPolicy.WHEN_PRESENT);
    }

    public static TrustStore of(
            Collection<X509Certificate> authorities,
            Collection<X509CRL> lists,
            RevocationPolicy policy)
            throws CertificateException {
        TrustStore store = new TrustStore(policy);
        for (X509Certificate authority : authorities) {
            store.addAnchor(authority);
        }
        for (X509CRL list : lists) {
            store.addRevocationList(list);
        }
        return store;
    }

    /**
     * Reads a CA file, or every certificate and list of a directory. One bad file refuses all: name
     * it and stop.
     */
    public static TrustStore load(Path fileOrDirectory, RevocationPolicy policy) {
        TrustStore store = new TrustStore(policy);
        for (Path file : files(fileOrDirectory)) {
            String name = file.getFileName().toString();
            try {
                if (name.matches(".*\\.(r[0-9]+|crl)")) {
                    byte[] bytes = Files.readAllBytes(file);
                    List<X509CRL> lists =
                            Pem.revocationLists(
                                    new String(
                                            bytes, java.nio.charset.StandardCharsets.ISO_8859_1));
                    for (X509CRL list :
                            lists.isEmpty() ? List.of(Pem.revocationList(bytes)) : lists) {
                        store.addRevocationList(list);
                    }
                } else if (name.matches(".*\\.([0-9]+|pem|crt|cer)")) {
                    for (X509Certificate authority :
                            Pem.certificates(SecretFile.readPublic(file))) {
                        store.addAnchor(authority);
                    }
                }
            } catch (IOException | GeneralSecurityException e) {
                throw new FarmException(
                        ErrorKind.INVALID,
                        "read trusted authorities",
                        file.toString(),
                        String.valueOf(e.getMessage()),
                        e);
            }
        }
        if (store.anchors.isEmpty()) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "read trusted authorities",
                    fileOrDirectory.toString(),
                    "no authority certificate in it");
        }
        return store;
    }

    /** All trusted authorities of this name; there are two while an authority changes its key. */
    List<X509Certificate> anchorsNamed(X500Principal name) {
        return anchors.getOrDefault(name, List.of());
    }

    boolean isAnchor(X509Certificate certificate) {
        return anchorsNamed(certificate.getSubjectX500Principal()).contains(certificate);
    }

    /**
     * Refuses a certificate that its issuer revoked, or about which the issuer must speak and does
     * not.
     */
    void requireNotRevoked(X509Certificate certificate, X509Certificate issuer, Instant now)
            throws CertificateException {
        boolean current = false;
        for (X509CRL list : listsOf(issuer)) {
            if (list.isRevoked(certificate)) {
                throw new CertificateException(
                        "certificate was revoked by its authority: "
                                + certificate.getSubjectX500Principal());
            }
            current |=
                    list.getNextUpdate() != null && list.getNextUpdate().toInstant().isAfter(now);
        }
        if (!current && policy == RevocationPolicy.REQUIRED) {
            throw new CertificateException(
                    "no current revocation list of " + issuer.getSubjectX500Principal());
        }
    }

    private List<X509CRL> listsOf(X509Certificate issuer) {
        List<X509CRL> named = revocationLists.get(issuer.getSubjectX500Principal());
        if (named == null) {
            return List.of();
        }
        List<X509CRL> known = verifiedLists.get(issuer.getPublicKey());
        if (known == null) {
            known = named.stream().filter(list -> isSignedBy(list, issuer)).toList();
            if (isAnchor(issuer)) { // an unknown intermediate's key must not fill the memory
                verifiedLists.put(issuer.getPublicKey(), known);
            }
        }
        return known;
    }

    private static boolean isSignedBy(X509CRL list, X509Certificate issuer) {
        boolean[] usage = issuer.getKeyUsage();
        if (usage != null && !usage[CertificateWriter.CRL_SIGN]) {
            return false;
        }
        try {
            list.verify(issuer.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false; // a list by another key of the same name, during a change of keys
        }
    }

    private void addAnchor(X509Certificate authority) throws CertificateException {
        boolean[] usage = authority.getKeyUsage();
        if (authority.getBasicConstraints() < 0
                || usage != null && !usage[CertificateWriter.KEY_CERT_SIGN]) {
            throw new CertificateException(
                    "not a certificate of an authority: " + authority.getSubjectX500Principal());
        }
        Algorithms.requireStrong(authority.getPublicKey());
        List<X509Certificate> same =
                anchors.computeIfAbsent(
                        authority.getSubjectX500Principal(), name -> new ArrayList<>());
        if (!same.contains(authority)) { // directories hold each one under its old and new hash
            same.add(authority);
        }
    }

    private void addRevocationList(X509CRL list) throws CertificateException {
        Set<String> critical = list.getCriticalExtensionOIDs();
        if (critical != null && !critical.isEmpty()) {
            throw new CertificateException(
                    "partial or indirect revocation lists are not supported");
        }
        Algorithms.requireStrongSignature(list.getSigAlgOID());
        revocationLists
                .computeIfAbsent(list.getIssuerX500Principal(), name -> new ArrayList<>())
                .add(list);
    }

    private static Collection<Path> files(Path fileOrDirectory) {
        if (!Files.isDirectory(fileOrDirectory)) {
            return List.of(fileOrDirectory);
        }
        try (Stream<Path> entries = Files.list(fileOrDirectory)) {
            return new LinkedHashSet<>(entries.filter(Files::isRegularFile).sorted().toList());
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "read trusted authorities",
                    fileOrDirectory.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }
}

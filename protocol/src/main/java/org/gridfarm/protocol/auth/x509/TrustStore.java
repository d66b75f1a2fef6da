package org.gridfarm.protocol.auth.x509;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import javax.security.auth.x500.X500Principal;

/**
 * The authorities this process trusts, with their revocation lists: one immutable reading of a CA
 * file or of a directory such as /etc/grid-security/certificates ({@code *.pem}, {@code *.crt},
 * {@code *.0}, revocation lists {@code *.r0}, {@code *.crl}, {@code *.signing_policy} and {@code
 * *.namespaces}).
 *
 * <p>An authority with neither a {@link SigningPolicies signing policy} nor {@link Namespaces} may
 * give any name: put only such there that may. Where it has both, both must permit a name.
 */
public final class TrustStore {
    private static final Logger log = LoggerFactory.getLogger(TrustStore.class);

    private final Map<X500Principal, List<X509Certificate>> anchors = new HashMap<>();
    private final Map<X500Principal, List<X509CRL>> revocationLists = new HashMap<>();
    private final RevocationPolicy policy;
    private final SigningPolicies policies = new SigningPolicies();
    private final Namespaces namespaces = new Namespaces();

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
     * Reads a CA file, or all that is in a directory. In a directory a file that cannot be read
     * takes the trust from the authority that it is about, which is told by the name before the dot
     * (0123abcd.0, 0123abcd.r0, 0123abcd.signing_policy, 0123abcd.namespaces), and from no other;
     * the log names both. A revocation list of no authority that is told so refuses all: whose
     * certificates it revokes nobody knows.
     */
    public static TrustStore load(Path fileOrDirectory, RevocationPolicy policy) {
        TrustStore store = new TrustStore(policy);
        Map<String, List<X509Certificate>> byStem = new HashMap<>();
        Map<Path, Exception> bad = new LinkedHashMap<>();
        List<Path> all = new ArrayList<>(files(fileOrDirectory));
        all.sort(Comparator.comparing(TrustStore::isNamespaces)); // they name what others hold
        for (Path file : all) {
            try {
                store.read(file, byStem);
            } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
                bad.put(file, e);
            }
        }
        bad.forEach((file, why) -> {
            boolean alone = !Files.isDirectory(fileOrDirectory);
            List<X509Certificate> authorities = byStem.getOrDefault(stem(file), List.of());
            if (alone || (isRevocationList(file) && authorities.isEmpty())) {
                throw new FarmException(
                        ErrorKind.INVALID,
                        "read trusted authorities",
                        file.toString(),
                        String.valueOf(why.getMessage()),
                        why);
            }
            log.error("{} cannot be read: {}", file, why.getMessage());
            authorities.forEach(store::distrust);
        });
        if (store.anchors.isEmpty()) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "read trusted authorities",
                    fileOrDirectory.toString(),
                    bad.isEmpty()
                            ? "no authority certificate in it"
                            : "no authority certificate in it that can be trusted: "
                                    + bad.keySet());
        }
        return store;
    }

    private void read(Path file, Map<String, List<X509Certificate>> byStem)
            throws IOException, GeneralSecurityException {
        String name = file.getFileName().toString();
        if (isRevocationList(file)) {
            byte[] bytes = Files.readAllBytes(file);
            List<X509CRL> lists =
                    Pem.revocationLists(new String(bytes, StandardCharsets.ISO_8859_1));
            for (X509CRL list : lists.isEmpty() ? List.of(Pem.revocationList(bytes)) : lists) {
                addRevocationList(list);
                if (list.getNextUpdate() != null
                        && list.getNextUpdate().toInstant().isBefore(Instant.now())) {
                    log.warn("{} is out of date since {}", file, list.getNextUpdate().toInstant());
                }
            }
        } else if (name.endsWith(".signing_policy")) {
            policies.add(SecretFile.readPublic(file));
        } else if (isNamespaces(file)) {
            List<String> self = new ArrayList<>();
            for (X509Certificate authority : byStem.getOrDefault(stem(file), List.of())) {
                self.add(DistinguishedName.subjectOf(authority).toString());
            }
            namespaces.add(SecretFile.readPublic(file), self);
        } else if (name.matches(".*\\.([0-9]+|pem|crt|cer)")) {
            for (X509Certificate authority : Pem.certificates(SecretFile.readPublic(file))) {
                addAnchor(authority);
                byStem.computeIfAbsent(stem(file), key -> new ArrayList<>()).add(authority);
            }
        }
    }

    private static boolean isNamespaces(Path file) {
        return file.getFileName().toString().endsWith(".namespaces");
    }

    private static boolean isRevocationList(Path file) {
        return file.getFileName().toString().matches(".*\\.(r[0-9]+|crl)");
    }

    private static String stem(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, Math.max(0, name.lastIndexOf('.')));
    }

    /** Under whatever names it stands in the directory. */
    private void distrust(X509Certificate authority) {
        log.error("not trusted therefore: {}", authority.getSubjectX500Principal());
        anchors.computeIfPresent(
                authority.getSubjectX500Principal(),
                (key, same) -> {
                    same.remove(authority);
                    return same.isEmpty() ? null : same;
                });
    }

    /** Refuses a name that the authority's signing policy or namespaces do not give it. */
    void requireMayName(X509Certificate authority, X509Certificate certificate)
            throws CertificateException {
        if (policies.isEmpty() && namespaces.isEmpty()) {
            return;
        }
        String issuer = DistinguishedName.subjectOf(authority).toString();
        String subject = DistinguishedName.subjectOf(certificate).toString();
        if (!policies.permits(issuer, subject)) {
            throw new CertificateException(
                    "the signing policy of " + issuer + " does not permit the name " + subject);
        }
        if (!namespaces.permits(issuer, subject)) {
            throw new CertificateException(
                    "the namespaces of " + issuer + " do not permit the name " + subject);
        }
    }

    /**
     * What is known here of an authority.
     *
     * @param restricted there is a signing policy of it, or namespaces
     * @param listUntil until when its latest revocation list is current; empty where there is none
     */
    public record Authority(
            String name, Instant notAfter, boolean restricted, Optional<Instant> listUntil) {}

    /** The authority above the last certificate of a chain, or that certificate if it is one. */
    public Optional<Authority> authorityOf(List<X509Certificate> chain) {
        X509Certificate last = chain.get(chain.size() - 1);
        return anchorsNamed(last.getIssuerX500Principal()).stream().findFirst().map(this::describe);
    }

    private Authority describe(X509Certificate authority) {
        String name = authority.getSubjectX500Principal().getName();
        try {
            name = DistinguishedName.subjectOf(authority).toString();
        } catch (CertificateException e) {
            log.debug("{} has no slash form: {}", name, e.getMessage());
        }
        return new Authority(
                name,
                authority.getNotAfter().toInstant(),
                policies.knows(name) || namespaces.knows(name),
                listsOf(authority).stream()
                        .map(list -> list.getNextUpdate())
                        .filter(Objects::nonNull)
                        .map(Date::toInstant)
                        .max(Comparator.naturalOrder()));
    }

    public int size() {
        return anchors.values().stream().mapToInt(List::size).sum();
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
        requireOwnConstraintsCanBeKept(authority);
        List<X509Certificate> same =
                anchors.computeIfAbsent(
                        authority.getSubjectX500Principal(), name -> new ArrayList<>());
        if (!same.contains(authority)) { // directories hold each one under its old and new hash
            same.add(authority);
        }
    }

    /** See {@link ChainValidator}: only a self-signed one can stand in the path it carries. */
    private static void requireOwnConstraintsCanBeKept(X509Certificate authority)
            throws CertificateException {
        if (authority.getExtensionValue(ChainValidator.NAME_CONSTRAINTS) == null) {
            return;
        }
        try {
            authority.verify(authority.getPublicKey());
            Algorithms.requireStrongSignature(authority.getSigAlgOID());
        } catch (GeneralSecurityException e) {
            throw new CertificateException(
                    "its name constraints cannot be kept, since it is not soundly signed by"
                            + " itself; trust the authority above it: "
                            + authority.getSubjectX500Principal(),
                    e);
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

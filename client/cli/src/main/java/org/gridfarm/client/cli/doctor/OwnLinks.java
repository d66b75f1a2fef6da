package org.gridfarm.client.cli.doctor;

import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.x509.AuthenticatedChain;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.config.SecuritySettings;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The links of the chain that lie on this machine: file and dates of the own certificate, proxies,
 * the trusted authorities, the own name in the map. Each is a {@link Finding}; for one thread.
 */
final class OwnLinks {
    private static final String NEW_PROXY = "make a new one: gf proxy init";

    private final SecuritySettings security;
    private final Instant now;
    private final List<Finding> findings = new ArrayList<>();
    private @Nullable Credential credential;
    private @Nullable TrustStore trust;
    private @Nullable GridMap map;

    OwnLinks(SecuritySettings security, Instant now) {
        this.security = security;
        this.now = now;
    }

    List<Finding> findings() {
        return findings;
    }

    /** Empty where it cannot be used at all. */
    Optional<Credential> credential() {
        return Optional.ofNullable(credential);
    }

    Optional<TrustStore> trust() {
        return Optional.ofNullable(trust);
    }

    Optional<GridMap> map() {
        return Optional.ofNullable(map);
    }

    void examine() {
        Path secret = security.key().orElse(security.certificate());
        if (owner(secret)) file(secret);
        authorities();
        names();
        if (credential != null) {
            dates(credential);
            kind(credential);
            if (trust != null) judged(credential, trust);
        }
    }

    private boolean owner(Path secret) {
        try {
            Object owner = Files.getAttribute(secret, "unix:uid");
            Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            if (owner.equals(self) || owner.equals(0)) return true;
            findings.add(
                    Finding.bad(
                            "key file",
                            secret + " belongs to user " + owner,
                            "use one of your own: " + NEW_PROXY));
        } catch (IOException e) {
            findings.add(
                    Finding.bad(
                            "key file",
                            secret
                                    + (Files.exists(secret)
                                            ? " is not yours to read"
                                            : " is missing"),
                            "make a proxy with gf proxy init, or name your certificate as"
                                    + " tls.credential"));
        }
        return false;
    }

    private void file(Path secret) {
        try {
            credential =
                    security.key().isPresent()
                            ? Credential.load(security.certificate(), secret)
                            : Credential.load(secret);
            findings.add(Finding.good("key file", secret + ", for its owner alone"));
        } catch (FarmException e) {
            findings.add(
                    Finding.bad(
                            "key file",
                            e.getMessage(),
                            "chmod 600 where others may touch it; else " + NEW_PROXY));
        }
    }

    /** Of each certificate, since the first that runs out ends all. */
    private void dates(Credential own) {
        for (X509Certificate one : own.chain()) {
            String name = one.getSubjectX500Principal().getName();
            Instant begin = one.getNotBefore().toInstant();
            Instant end = one.getNotAfter().toInstant();
            if (now.isBefore(begin)) {
                findings.add(
                        Finding.bad(
                                "dates",
                                name + " holds only from " + begin + ", and here it is " + now,
                                "set the clock"));
                return;
            }
            if (now.isAfter(end)) {
                boolean proxy = one != own.chain().get(own.chain().size() - 1);
                findings.add(
                        Finding.bad(
                                "dates",
                                name + " ran out at " + end + ", and here it is " + now,
                                proxy
                                        ? NEW_PROXY
                                        : "have it renewed: gf ca renew, or your authority"));
                return;
            }
        }
        Duration left = Duration.between(now, own.notAfter());
        String text = "until " + own.notAfter();
        findings.add(
                left.compareTo(Duration.ofMinutes(30)) < 0
                        ? Finding.warning("dates", text, "renew it soon")
                        : Finding.good("dates", text));
    }

    private void kind(Credential own) {
        try {
            String what = own.proxies() + " proxies below the certificate";
            if (own.proxies() == 0) what = "the certificate itself, no proxy";
            findings.add(
                    own.isLimited()
                            ? Finding.warning(
                                    "proxy",
                                    what + ", limited: good for data, not for jobs",
                                    "gf proxy init without --limited makes a full one")
                            : Finding.good("proxy", what));
        } catch (CertificateException e) {
            findings.add(Finding.bad("proxy", String.valueOf(e.getMessage()), NEW_PROXY));
        }
    }

    private void authorities() {
        try {
            TrustStore store = TrustStore.load(security.trust(), security.revocation());
            trust = store;
            findings.add(
                    Finding.good(
                            "trust", security.trust() + ": authorities trusted: " + store.size()));
        } catch (FarmException e) {
            findings.add(
                    Finding.bad(
                            "trust",
                            e.getMessage(),
                            "copy the authority's directory there (gf ca: certificates)"));
        }
    }

    /** The own chain as a server judges it that trusts the same. */
    private void judged(Credential own, TrustStore store) {
        Optional<TrustStore.Authority> found = store.authorityOf(own.chain());
        if (found.isEmpty()) {
            X509Certificate last = own.chain().get(own.chain().size() - 1);
            findings.add(
                    Finding.bad(
                            "authority",
                            "not trusted here: " + last.getIssuerX500Principal().getName(),
                            "put its certificate into "
                                    + security.trust()
                                    + ", on the servers too"));
            return;
        }
        authority(found.get());
        try {
            AuthenticatedChain chain =
                    new ChainValidator(store)
                            .validate(own.chain(), ChainValidator.Part.CLIENT, now);
            findings.add(Finding.good("chain", chain.dn() + " by " + chain.issuerDn()));
            if (map != null) mapped(chain, map);
        } catch (CertificateException e) {
            findings.add(
                    Finding.bad(
                            "chain",
                            String.valueOf(e.getMessage()),
                            "servers refuse it: have another one issued"));
        }
    }

    private void authority(TrustStore.Authority authority) {
        String name = authority.name();
        if (now.isAfter(authority.notAfter())) {
            findings.add(
                    Finding.bad(
                            "authority",
                            name + " ran out at " + authority.notAfter(),
                            "have it renewed: gf ca renew --authority, then copy it to every host"));
            return;
        }
        findings.add(Finding.good("authority", name + " until " + authority.notAfter()));
        findings.add(
                authority.restricted()
                        ? Finding.good("signing policy", "there is one of it")
                        : Finding.warning(
                                "signing policy",
                                "none: it may give any name",
                                "put its HASH.signing_policy beside it"));
        findings.add(
                authority
                        .listUntil()
                        .map(until ->
                                now.isAfter(until)
                                        ? Finding.warning(
                                                "revocation list",
                                                "out of date since " + until,
                                                "fetch a new one: gf ca crl, or fetch-crl")
                                        : Finding.good("revocation list", "current until " + until))
                        .orElseGet(() ->
                                Finding.warning(
                                        "revocation list",
                                        "none: nobody is known to be revoked",
                                        "put its HASH.r0 beside it")));
    }

    private void names() {
        if (security.map().isEmpty()) return;
        try {
            map = GridMap.load(security.map().get());
        } catch (FarmException e) {
            findings.add(Finding.bad("map", e.getMessage(), "mend the line that is named"));
        }
    }

    private void mapped(AuthenticatedChain chain, GridMap people) {
        Optional<Identity> identity = people.lookUp(chain.dn());
        if (identity.isEmpty()) {
            findings.add(
                    Finding.bad(
                            "map",
                            security.map().orElseThrow() + " does not name " + chain.dn(),
                            "have the administrator add the line \"" + chain.dn() + "\" ACCOUNT"));
            return;
        }
        findings.add(
                Finding.good(
                        "map",
                        chain.dn()
                                + " is "
                                + (identity.get().role().isPerson()
                                        ? String.join(", ", identity.get().users())
                                        : identity.get().user())));
        for (String user : identity.get().users()) account(user);
    }

    private void account(String user) {
        try {
            FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(user);
            findings.add(Finding.good("account", user + " is one of this host"));
        } catch (UserPrincipalNotFoundException e) {
            findings.add(
                    Finding.warning(
                            "account",
                            user + " is none of this host",
                            "a mount here shows his files under a bare number; on the servers he"
                                    + " needs one, or a line in [accounts]"));
        } catch (IOException e) {
            findings.add(
                    Finding.warning(
                            "account", String.valueOf(e.getMessage()), "look at getent passwd"));
        }
    }
}

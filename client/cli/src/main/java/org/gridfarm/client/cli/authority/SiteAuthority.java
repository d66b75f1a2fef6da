package org.gridfarm.client.cli.authority;

import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.CertificateAuthority.Order;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.DistinguishedName;
import org.gridfarm.protocol.auth.x509.PassPhrase;
import org.gridfarm.protocol.auth.x509.TrustDirectory;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The authority of a site in a directory of mode 700:
 *
 * <pre>
 *   ca.pem ca.key         certificate and key, the key perhaps under a pass phrase
 *   index.txt             what it has issued and revoked ({@link Register})
 *   issued/SERIAL.pem     each certificate
 *   crlnumber             of the last revocation list
 *   certificates/         HASH.0 HASH.signing_policy HASH.r0: what every host of the farm trusts
 * </pre>
 *
 * <p>It gives names below its own alone: as /O=Site/CN=Authority those that begin with /O=Site/,
 * and its signing policy says so. What is issued is in the register before anybody has it. Safe to
 * use from several processes at once.
 */
public final class SiteAuthority {
    private static final String KEY = "ca.key";

    /**
     * Long, since a list that runs out warns and no more: every certificate that is issued, renewed
     * or revoked comes with a new list.
     */
    private static final Duration LIST_LIFETIME = Duration.ofDays(398);

    /** A certificate as {@code gf ca list} shows it. */
    public record Issued(String serial, String state, Instant notAfter, String dn) {}

    private final Path directory;
    private final CertificateAuthority authority;

    private SiteAuthority(Path directory, CertificateAuthority authority) {
        this.directory = directory;
        this.authority = authority;
    }

    /**
     * A new authority.
     *
     * @param base what the names begin with that it gives, such as /O=Site
     * @param phrase of its key; none leaves it in the clear
     */
    public static SiteAuthority create(
            Path directory, String base, boolean rsa, Duration lifetime, PassPhrase phrase) {
        if (Files.exists(directory.resolve(KEY))) {
            throw new FarmException(
                    ErrorKind.ALREADY_EXISTS,
                    "make authority",
                    directory.toString(),
                    "there is one already");
        }
        try {
            Files.createDirectories(directory.toAbsolutePath());
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
            CertificateAuthority authority =
                    CertificateAuthority.create(
                            base + "/CN=Authority", Instant.now(), lifetime, rsa);
            authority.save(directory, phrase);
            SiteAuthority site = new SiteAuthority(directory, authority);
            site.locked(register -> {
                site.publish(register);
                return register;
            });
            return site;
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new FarmException(
                    ErrorKind.USAGE, "make authority", base, String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw failed("make authority", directory, e);
        }
    }

    public static SiteAuthority open(Path directory, PassPhrase phrase) {
        requireThere(directory);
        return new SiteAuthority(directory, CertificateAuthority.load(directory, phrase));
    }

    private static void requireThere(Path directory) {
        if (!Files.exists(directory.resolve(KEY))) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND,
                    "open authority",
                    directory.toString(),
                    "no authority there; gf ca init makes one");
        }
    }

    /** What it has issued; needs no key. */
    public static List<Issued> list(Path directory) {
        requireThere(directory);
        Instant now = Instant.now();
        return Register.read(directory.resolve("index.txt")).entries().stream()
                .map(entry ->
                        new Issued(entry.number(), entry.state(now), entry.notAfter(), entry.dn()))
                .toList();
    }

    /** What all its names begin with: its own without the last CN. */
    public String base() {
        String own = name();
        return own.substring(0, own.lastIndexOf("/CN="));
    }

    public String name() {
        try {
            return DistinguishedName.subjectOf(authority.certificate()).toString();
        } catch (GeneralSecurityException e) {
            throw failed("read authority", directory, e);
        }
    }

    public X509Certificate certificate() {
        return authority.certificate();
    }

    public String certificatePem() {
        return authority.certificatePem();
    }

    /** The directory to copy to every host. */
    public Path certificates() {
        return directory.resolve("certificates");
    }

    /** A certificate and its key, which is kept nowhere here. */
    public Credential issue(Order order) {
        return locked(register -> issue(register, order));
    }

    /** A certificate of the same name for a new key. The old one holds until it runs out. */
    public Credential renew(X509Certificate old, boolean rsa, Duration lifetime) {
        return locked(register -> {
            Register.Entry entry = require(register, old.getSerialNumber());
            if (entry.revoked().isPresent()) {
                throw new FarmException(
                        ErrorKind.INVALID,
                        "renew",
                        entry.dn(),
                        "it was revoked; issue another one");
            }
            try {
                old.verify(authority.certificate().getPublicKey());
                return issue(register, Order.like(old, rsa, lifetime));
            } catch (GeneralSecurityException e) {
                throw notOurs("renew", old.getSubjectX500Principal().toString(), e);
            }
        });
    }

    /** Revokes one of which there is a copy, even where the register does not know it. */
    public List<String> revoke(X509Certificate certificate) {
        locked(register -> {
            if (register.of(certificate.getSerialNumber()).isPresent()) return register;
            try {
                certificate.verify(authority.certificate().getPublicKey());
                register.add(entry(certificate));
                return register;
            } catch (GeneralSecurityException e) {
                throw notOurs("revoke", certificate.getSubjectX500Principal().toString(), e);
            }
        });
        return revoke(Register.number(certificate.getSerialNumber()));
    }

    private static Register.Entry entry(X509Certificate certificate)
            throws GeneralSecurityException {
        return new Register.Entry(
                certificate.getSerialNumber(),
                DistinguishedName.subjectOf(certificate).toString(),
                certificate.getNotAfter().toInstant(),
                Optional.empty());
    }

    /**
     * Revokes certificates and writes the list that says so.
     *
     * @param which a serial number in hexadecimal, or a name, of which all that hold are meant
     * @return the names
     */
    public List<String> revoke(String which) {
        return locked(register -> {
            Instant now = Instant.now();
            List<Register.Entry> meant =
                    register.entries().stream()
                            .filter(entry ->
                                    entry.revoked().isEmpty()
                                            && (entry.dn().equals(which)
                                                            && !now.isAfter(entry.notAfter())
                                                    || entry.number().equalsIgnoreCase(which)))
                            .toList();
            if (meant.isEmpty()) {
                throw new FarmException(
                        ErrorKind.NOT_FOUND,
                        "revoke",
                        which,
                        "no certificate of that serial number or name holds; gf ca list shows all");
            }
            meant.forEach(entry -> register.revoke(entry, now));
            publish(register);
            return meant.stream().map(Register.Entry::dn).toList();
        });
    }

    /** A new revocation list with a later end; also what {@link #certificates} lacks. */
    public void publish() {
        locked(register -> {
            publish(register);
            return register;
        });
    }

    /** The authority's own certificate until a later day. */
    public SiteAuthority renewed(Duration lifetime, PassPhrase phrase) {
        return locked(register -> {
            try {
                CertificateAuthority later = authority.renewed(Instant.now(), lifetime);
                later.save(directory, phrase);
                SiteAuthority site = new SiteAuthority(directory, later);
                site.publish(register);
                return site;
            } catch (GeneralSecurityException e) {
                throw failed("renew", directory, e);
            }
        });
    }

    private Credential issue(Register register, Order order) {
        if (!order.dn().startsWith(base() + "/")) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "issue",
                    order.dn(),
                    "this authority gives names that begin with " + base() + "/");
        }
        try {
            Credential issued = authority.issue(order, Instant.now());
            X509Certificate certificate = issued.certificate();
            Register.Entry entry = entry(certificate);
            Path copy = directory.resolve("issued").resolve(entry.number() + ".pem");
            Files.createDirectories(copy.getParent());
            Files.writeString(copy, issued.chainPem());
            register.add(entry);
            publish(register);
            return issued;
        } catch (IOException e) {
            throw failed("issue", directory, e);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new FarmException(
                    ErrorKind.USAGE, "issue", order.dn(), String.valueOf(e.getMessage()), e);
        }
    }

    private Register.Entry require(Register register, BigInteger serial) {
        return register.of(serial).orElseThrow(() -> notOurs("renew", serial.toString(16), null));
    }

    private FarmException notOurs(String operation, String subject, @Nullable Exception cause) {
        return new FarmException(
                ErrorKind.INVALID,
                operation,
                subject,
                "not issued by " + name() + " in " + directory,
                cause);
    }

    private void publish(Register register) {
        try {
            Path counter = directory.resolve("crlnumber");
            BigInteger number =
                    Files.exists(counter)
                            ? new BigInteger(Files.readString(counter).strip(), 16)
                            : BigInteger.ONE;
            String next = number.add(BigInteger.ONE).toString(16);
            Files.writeString(counter, (next.length() % 2 == 0 ? next : "0" + next) + "\n");
            Instant now = Instant.now();
            TrustDirectory trust = new TrustDirectory(certificates());
            trust.write(authority.certificate(), List.of(base() + "/*"));
            trust.write(
                    authority.certificate(),
                    authority.revocationList(
                            number, now, now.plus(LIST_LIFETIME), register.revoked()));
        } catch (IOException | GeneralSecurityException | NumberFormatException e) {
            throw failed("write revocation list", directory, e);
        }
    }

    private <T> T locked(Function<Register, T> work) {
        try (FileChannel file =
                        FileChannel.open(
                                directory.resolve("lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                FileLock _ = file.lock()) {
            return work.apply(Register.read(directory.resolve("index.txt")));
        } catch (IOException e) {
            throw failed("lock", directory, e);
        }
    }

    private static FarmException failed(String operation, Path directory, Exception cause) {
        return new FarmException(
                ErrorKind.DISK_FAILED,
                operation,
                directory.toString(),
                String.valueOf(cause.getMessage()),
                cause);
    }
}

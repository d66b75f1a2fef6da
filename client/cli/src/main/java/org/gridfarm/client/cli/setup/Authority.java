package org.gridfarm.client.cli.setup;

import org.gridfarm.client.cli.authority.IssuedFiles;
import org.gridfarm.client.cli.authority.MapFile;
import org.gridfarm.client.cli.authority.SiteAuthority;
import org.gridfarm.client.cli.authority.Subject;
import org.gridfarm.protocol.auth.x509.CertificateAuthority.Order;
import org.gridfarm.protocol.auth.x509.PassPhrase;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The site's authority on this host, and what it issues into files. */
final class Authority {
    static final Path DIRECTORY = HostPlan.ETC.resolve("authority");
    static final Path MAP = HostPlan.ETC.resolve("grid-mapfile");
    private static final Duration LIFE = Duration.ofDays(398);
    private static final Duration OWN_LIFE = Duration.ofDays(3650);

    private Authority() {}

    static boolean isThere() {
        return Files.exists(DIRECTORY.resolve("ca.key"));
    }

    static void create(String site) {
        SiteAuthority.create(DIRECTORY, site, false, OWN_LIFE, PassPhrase.NONE);
    }

    /** Copies what every host trusts to where it is read. */
    static void publish(Host host, Path trust) {
        host.directory(trust, "rwxr-xr-x");
        for (Path file : host.list(DIRECTORY.resolve("certificates"))) {
            host.write(trust.resolve(file.getFileName().toString()), host.read(file), "rw-r--r--");
        }
        host.write(trust.resolve("site.pem"), host.read(DIRECTORY.resolve("ca.pem")), "rw-r--r--");
    }

    /**
     * A certificate and key as PREFIX.pem and PREFIX.key (or in one file), and its line in the map.
     */
    static void issue(Path prefix, Subject.Kind kind, List<String> words, boolean root) {
        SiteAuthority authority = open();
        Subject subject =
                Subject.of(
                        kind,
                        authority.base(),
                        words,
                        kind == Subject.Kind.ADMIN ? "Administrator of the site" : "",
                        root);
        MapFile.requireRoom(MAP, subject.dn(), subject.target());
        boolean oneFile = subject.oneFile() || kind == Subject.Kind.ADMIN;
        new IssuedFiles(prefix, oneFile)
                .write(
                        authority.issue(new Order(subject.dn(), subject.hosts(), false, LIFE)),
                        PassPhrase.NONE);
        MapFile.add(MAP, subject.dn(), subject.target());
    }

    private static SiteAuthority open() {
        return SiteAuthority.open(
                DIRECTORY, org.gridfarm.client.cli.PassPhrases.of("the authority's key", false));
    }
}

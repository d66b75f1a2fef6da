package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.PassPhrases;
import org.gridfarm.client.cli.authority.IssuedFiles;
import org.gridfarm.client.cli.authority.MapFile;
import org.gridfarm.client.cli.authority.SiteAuthority;
import org.gridfarm.client.cli.authority.Subject;
import org.gridfarm.protocol.auth.x509.CertificateAuthority.Order;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.PassPhrase;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

@Command(
        name = "ca",
        header = "The authority of a site that has none: issues certificates, renews and revokes.",
        description = {
            "",
            "It lives in a directory on one host. What is in its subdirectory certificates goes to every host of",
            "the farm (trust), in the layout of grids: HASH.0, HASH.signing_policy, HASH.r0."
        },
        mixinStandardHelpOptions = true)
public final class Ca {
    private static final String DIRECTORY = "/etc/gridfarm/authority";
    private static final String DAYS = "398";

    @Option(
            names = "--password-stdin",
            scope = picocli.CommandLine.ScopeType.INHERIT,
            description =
                    "pass phrases are lines of standard input, in the order they are asked for")
    private boolean passwordStdin;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            defaultValue = DIRECTORY,
            scope = picocli.CommandLine.ScopeType.INHERIT,
            description = "of the authority (${DEFAULT-VALUE})")
    private Path directory = Path.of(DIRECTORY);

    @Command(
            name = "init",
            header = "Makes an authority.",
            description = {
                "",
                "gf ca init /O=Site makes the authority /O=Site/CN=Authority, which gives names that begin with /O=Site/."
            },
            mixinStandardHelpOptions = true)
    int init(
            @Parameters(paramLabel = "NAME", description = "such as /O=Site or /DC=org/DC=site")
                    String base,
            @Option(
                            names = "--days",
                            defaultValue = "3650",
                            description = "life (${DEFAULT-VALUE})")
                    int days,
            @Option(names = "--rsa", description = "an RSA key, for tools that know no other")
                    boolean rsa,
            @Option(
                            names = "--encrypt",
                            description = "keep the key under a pass phrase, which is asked for")
                    boolean encrypt) {
        PassPhrase phrase = encrypt ? newPhrase("the authority's key") : PassPhrase.NONE;
        SiteAuthority authority = SiteAuthority.create(directory, base, rsa, life(days), phrase);
        System.out.println(authority.name() + " in " + directory);
        System.out.println("copy to every host (trust): " + authority.certificates());
        return 0;
    }

    @Command(
            name = "issue",
            header = "Issues a certificate and its key.",
            description = {
                "",
                "  metaserver HOST [NAME...]        scheduler HOST [NAME...]",
                "  node NODE HOST [NAME...]         mount HOST [NAME...] (root of it is the farm's with --root)",
                "  gateway HOST [NAME...]           acts as the people who come to it, with files alone",
                "  service SERVICE HOST [NAME...]   such as a database: nobody to the farm",
                "  user ACCOUNT[,ACCOUNT...]        admin ACCOUNT[,ACCOUNT...] (--name \"Full Name\")",
                "",
                "NAMEs and addresses are what others may call the host besides. The certificate is PREFIX.pem, the key",
                "PREFIX.key with mode 600. Printed is the line for the grid-mapfile."
            },
            mixinStandardHelpOptions = true)
    int issue(
            @Parameters(index = "0", paramLabel = "KIND") String kind,
            @Parameters(index = "1..*", arity = "1..*", paramLabel = "WORD") List<String> words,
            @Option(
                            names = "--name",
                            defaultValue = "",
                            description = "of the person, in the certificate")
                    String fullName,
            @Option(names = "--root", description = "of a mount: its root is the farm's root, too")
                    boolean root,
            @Option(
                            names = "--out",
                            paramLabel = "PREFIX",
                            description = "of the files (the kind, or the account)")
                    @Nullable Path out,
            @Option(
                            names = "--one-file",
                            description = "certificate and key in PREFIX.pem, as mounts have them")
                    boolean oneFile,
            @Option(
                            names = "--map",
                            paramLabel = "FILE",
                            description = "add the line to this grid-mapfile, and do not print it")
                    @Nullable Path map,
            @Option(names = "--days", defaultValue = DAYS, description = "life (${DEFAULT-VALUE})")
                    int days,
            @Option(names = "--rsa", description = "an RSA key, for tools that know no other")
                    boolean rsa,
            @Option(
                            names = "--encrypt",
                            description =
                                    "keep the new key under a pass phrase, which is asked for")
                    boolean encrypt) {
        SiteAuthority authority = open();
        Subject subject = Subject.of(kind(kind), authority.base(), words, fullName, root);
        if (root && !subject.target().startsWith("@mount")) {
            throw new FarmException(ErrorKind.USAGE, "issue", kind, "--root is for mounts");
        }
        IssuedFiles files =
                new IssuedFiles(
                        out == null ? Path.of(subject.file()) : out, oneFile || subject.oneFile());
        files.requireAbsent();
        if (!subject.target().isEmpty()) {
            MapFile.requireRoom(map, subject.dn(), subject.target());
        }
        PassPhrase phrase = encrypt ? newPhrase("the key of " + subject.dn()) : PassPhrase.NONE;
        phrase.ask(); // what goes wrong there goes wrong before anything is issued
        Credential issued =
                authority.issue(new Order(subject.dn(), subject.hosts(), rsa, life(days)));
        files.write(issued, phrase);
        if (!subject.target().isEmpty()) {
            if (map == null) {
                System.out.println(MapFile.line(subject.dn(), subject.target()));
            } else {
                MapFile.add(map, subject.dn(), subject.target());
            }
        }
        System.err.println(files.written() + ", until " + issued.notAfter());
        return 0;
    }

    @Command(
            name = "renew",
            header =
                    "Issues certificates of the same names again, with new keys, into the same files.",
            description = {
                "",
                "Daemons read the new files by themselves. The old certificates hold until they run out, or are revoked."
            },
            mixinStandardHelpOptions = true)
    int renew(
            @Parameters(
                            arity = "0..*",
                            paramLabel = "FILE.pem",
                            description = "certificates; the key is in it, or in FILE.key")
                    List<Path> certificates,
            @Option(
                            names = "--authority",
                            description = "the authority's own, with the key that it has")
                    boolean own,
            @Option(
                            names = "--days",
                            defaultValue = DAYS,
                            description = "life (${DEFAULT-VALUE}; of the authority 3650)")
                    int days,
            @Option(names = "--rsa", description = "an RSA key, for tools that know no other")
                    boolean rsa,
            @Option(
                            names = "--encrypt",
                            description =
                                    "keep the new keys under a pass phrase, which is asked for")
                    boolean encrypt) {
        if (certificates == null ? !own : certificates.isEmpty() != own) {
            throw new FarmException(
                    ErrorKind.USAGE, "renew", "", "name certificates, or --authority and none");
        }
        PassPhrase asked = oldPhrase();
        if (own) {
            boolean encrypted = IssuedFiles.isEncrypted(directory.resolve("ca.key"));
            PassPhrase phrase = encrypted ? remembered(asked) : PassPhrase.NONE;
            SiteAuthority authority = SiteAuthority.open(directory, phrase);
            int ownDays = Integer.toString(days).equals(DAYS) ? 3650 : days;
            SiteAuthority later = authority.renewed(life(ownDays), phrase);
            System.err.println(
                    later.name() + ", until " + later.certificate().getNotAfter().toInstant());
            return 0;
        }
        SiteAuthority authority = SiteAuthority.open(directory, asked);
        PassPhrase phrase = encrypt ? newPhrase("the new keys") : PassPhrase.NONE;
        phrase.ask();
        for (Path file : certificates) {
            IssuedFiles files = IssuedFiles.of(file);
            if (files.isEncrypted() && !encrypt) {
                throw new FarmException(
                        ErrorKind.USAGE,
                        "renew",
                        file.toString(),
                        "its key is under a pass phrase: say --encrypt for the new one");
            }
            Credential issued = authority.renew(files.certificate(), rsa, life(days));
            files.write(issued, phrase);
            System.err.println(files.written() + ", until " + issued.notAfter());
        }
        return 0;
    }

    @Command(
            name = "revoke",
            header = "Revokes certificates and writes the list that says so.",
            description = {
                "",
                "Copy the list (HASH.r0) to every host; servers read it within seconds and drop who was revoked within a minute."
            },
            mixinStandardHelpOptions = true)
    int revoke(
            @Parameters(
                            arity = "1..*",
                            paramLabel = "SERIAL|NAME|FILE",
                            description =
                                    "as gf ca list shows them; a name means all of it that hold; or certificates")
                    List<String> which) {
        SiteAuthority authority = open();
        for (String one : which) {
            List<String> names =
                    one.endsWith(".pem")
                            ? authority.revoke(IssuedFiles.of(Path.of(one)).certificate())
                            : authority.revoke(one);
            names.forEach(name -> System.err.println("revoked " + name));
        }
        System.err.println("copy to every host (trust): " + authority.certificates());
        return 0;
    }

    @Command(
            name = "crl",
            header = "Writes the list of revoked certificates anew, with a later end.",
            mixinStandardHelpOptions = true)
    int crl() {
        SiteAuthority authority = open();
        authority.publish();
        System.err.println("copy to every host (trust): " + authority.certificates());
        return 0;
    }

    @Command(name = "list", header = "What was issued.", mixinStandardHelpOptions = true)
    int list(@Option(names = "--json", description = "one JSON document") boolean json) {
        List<SiteAuthority.Issued> all = SiteAuthority.list(directory);
        if (json) {
            Output.json(
                    Map.of(
                            "certificates",
                            all.stream()
                                    .map(one ->
                                            Map.of(
                                                    "serial", one.serial(),
                                                    "state", one.state(),
                                                    "until", one.notAfter().toString(),
                                                    "name", one.dn()))
                                    .toList()));
            return 0;
        }
        Output.Table table = Output.table("SERIAL", "STATE", "UNTIL", "NAME");
        for (SiteAuthority.Issued one : all) {
            table.row(one.serial(), one.state(), one.notAfter(), one.dn());
        }
        table.print();
        return 0;
    }

    private SiteAuthority open() {
        return SiteAuthority.open(directory, oldPhrase());
    }

    private PassPhrase oldPhrase() {
        return PassPhrases.of("the authority's key", passwordStdin);
    }

    private PassPhrase newPhrase(String whose) {
        return PassPhrases.forNew(whose, passwordStdin);
    }

    /** Asked once, given as often as needed. */
    private static PassPhrase remembered(PassPhrase phrase) {
        char[] once = phrase.ask().orElseThrow();
        return () -> java.util.Optional.of(once.clone());
    }

    private static Duration life(int days) {
        if (days < 1) {
            throw new FarmException(
                    ErrorKind.USAGE, "ca", Integer.toString(days), "the life is at least a day");
        }
        return Duration.ofDays(days);
    }

    private static Subject.Kind kind(String word) {
        for (Subject.Kind kind : Subject.Kind.values()) {
            if (kind.name().toLowerCase(java.util.Locale.ROOT).equals(word)) return kind;
        }
        throw new FarmException(
                ErrorKind.USAGE,
                "issue",
                word,
                "known kinds are metaserver scheduler node mount gateway service user admin");
    }
}

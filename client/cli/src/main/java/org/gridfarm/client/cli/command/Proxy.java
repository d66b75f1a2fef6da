package org.gridfarm.client.cli.command;

import org.gridfarm.client.cli.Output;
import org.gridfarm.client.cli.PassPhrases;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.ProxyFile;
import org.gridfarm.protocol.auth.x509.ProxyMaker;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

@Command(
        name = "proxy",
        header = "Makes, shows and destroys proxy certificates (RFC 3820).",
        description = {
            "",
            "A proxy is a certificate of short life signed by your own. It is who you are wherever the",
            "configuration names no tls.credential, or one that is not yours to read."
        },
        mixinStandardHelpOptions = true)
public final class Proxy {
    @Command(name = "init", header = "Makes a proxy.", mixinStandardHelpOptions = true)
    int init(
            @Option(
                            names = "--cert",
                            paramLabel = "FILE",
                            description = "your certificate (~/.globus/usercert.pem)")
                    @Nullable Path certificate,
            @Option(
                            names = "--key",
                            paramLabel = "FILE",
                            description = "your key (~/.globus/userkey.pem)")
                    @Nullable Path key,
            @Option(names = "--hours", defaultValue = "12", description = "life (${DEFAULT-VALUE})")
                    int hours,
            @Option(
                            names = "--limited",
                            description = "good for data access only, not for submitting jobs")
                    boolean limited,
            @Option(
                            names = "--path-length",
                            paramLabel = "N",
                            description =
                                    "so many further proxies may be made from it (any number)")
                    @Nullable Integer pathLength,
            @Option(names = "--rsa", description = "with an RSA key, for tools that know no other")
                    boolean rsa,
            @Option(
                            names = {"--password-stdin", "--pwstdin"},
                            description = "the pass phrase of the key is a line of standard input")
                    boolean passwordStdin,
            @Option(
                            names = "--out",
                            paramLabel = "FILE",
                            description = "where to (X509_USER_PROXY or /tmp/x509up_uUID)")
                    @Nullable Path out,
            @Option(names = "--json", description = "one JSON document") boolean json) {
        Path home = Path.of(System.getProperty("user.home"), ".globus");
        Path certificateFile = certificate == null ? home.resolve("usercert.pem") : certificate;
        Path keyFile =
                key == null
                        ? (certificate == null ? home.resolve("userkey.pem") : certificate)
                        : key;
        if (hours < 1) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "proxy",
                    Integer.toString(hours),
                    "the life is at least an hour");
        }
        if (pathLength != null && pathLength < 0) {
            throw new FarmException(
                    ErrorKind.USAGE, "proxy", pathLength.toString(), "a path length is 0 or more");
        }
        Credential issuer =
                Credential.load(
                        certificateFile,
                        keyFile,
                        PassPhrases.of(keyFile.toString(), passwordStdin));
        Path target = out == null ? ProxyFile.standard() : out;
        try {
            ProxyMaker.Options options =
                    ProxyMaker.Options.usual().withLifetime(Duration.ofHours(hours));
            if (limited) options = options.asLimited();
            if (pathLength != null) options = options.withPathLength(pathLength);
            if (rsa) options = options.withKey(ProxyMaker.KeyKind.RSA_2048);
            Credential proxy = ProxyMaker.make(issuer, options, Instant.now());
            proxy.save(target);
            show(target, proxy, json);
            return 0;
        } catch (GeneralSecurityException e) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "proxy",
                    certificateFile.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    @Command(name = "info", header = "Shows a proxy.", mixinStandardHelpOptions = true)
    int info(
            @Option(
                            names = "--file",
                            paramLabel = "FILE",
                            description = "the proxy (X509_USER_PROXY or /tmp/x509up_uUID)")
                    @Nullable Path file,
            @Option(names = "--json", description = "one JSON document") boolean json) {
        Path from = file == null ? ProxyFile.standard() : file;
        ProxyFile.requireOwn(from);
        show(from, Credential.load(from), json);
        return 0;
    }

    @Command(
            name = "destroy",
            header = "Overwrites a proxy and removes it.",
            mixinStandardHelpOptions = true)
    int destroy(
            @Option(
                            names = "--file",
                            paramLabel = "FILE",
                            description = "the proxy (X509_USER_PROXY or /tmp/x509up_uUID)")
                    @Nullable Path file)
            throws IOException {
        Path gone = file == null ? ProxyFile.standard() : file;
        if (!Files.isRegularFile(gone, LinkOption.NOFOLLOW_LINKS)) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND, "proxy", gone.toString(), "there is no proxy");
        }
        Credential.load(gone); // what is something else is left alone
        Files.write(
                gone,
                new byte[Math.toIntExact(Files.size(gone))],
                StandardOpenOption.WRITE,
                StandardOpenOption.DSYNC);
        Files.delete(gone);
        return 0;
    }

    private static void show(Path file, Credential proxy, boolean json) {
        long seconds = Duration.between(Instant.now(), proxy.notAfter()).toSeconds();
        String subject = proxy.certificate().getSubjectX500Principal().getName();
        boolean limited = isLimited(file, proxy);
        if (json) {
            Output.json(
                    Map.of(
                            "file", file.toString(),
                            "subject", subject,
                            "limited", limited,
                            "seconds_left", seconds));
        } else {
            System.out.println("file      " + file);
            System.out.println("subject   " + subject);
            System.out.println(
                    "good for  " + (limited ? "files alone (limited)" : "files and jobs"));
            System.out.println(
                    "time left "
                            + (seconds <= 0
                                    ? "none: expired"
                                    : Duration.ofSeconds(seconds)
                                            .toString()
                                            .substring(2)
                                            .toLowerCase(java.util.Locale.ROOT)));
        }
    }

    private static boolean isLimited(Path file, Credential proxy) {
        try {
            return proxy.isLimited();
        } catch (CertificateException e) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "read proxy",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }
}

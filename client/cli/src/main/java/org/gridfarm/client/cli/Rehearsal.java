package org.gridfarm.client.cli;

import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.RevocationPolicy;
import org.gridfarm.protocol.config.SecuritySettings;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.RpcServer;
import org.gridfarm.protocol.rpc.RpcServerConfig;
import org.gridfarm.protocol.rpc.Services;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the JDK watches to make the start-up cache (deploy/train): a few commands against a server
 * of this process that greets over TLS and answers nothing, and then the rest of our classes, so
 * that nearly all a real command needs has been loaded. For daemons see {@link FarmRehearsal}.
 */
final class Rehearsal {
    private static final Pattern JARS =
            Pattern.compile("gridfarm-(protocol|client-core|cli)\\b.*\\.jar");
    private static final List<String> COMMANDS =
            List.of("ls", "stat", "df", "nodes", "cat", "get", "where", "jobs");

    private Rehearsal() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("gf-rehearsal");
        try {
            talk(folder);
        } finally {
            Cluster.remove(folder);
        }
        load();
        // Loops of a command that failed are left to the end of its process.
        System.exit(0);
    }

    private static void talk(Path folder) throws IOException, GeneralSecurityException {
        CertificateAuthority authority =
                CertificateAuthority.create("/O=Rehearsal/CN=Authority", Instant.now());
        Path trust = folder.resolve("ca.pem");
        Files.writeString(trust, authority.certificatePem(), StandardCharsets.US_ASCII);
        Path host = folder.resolve("host.pem");
        authority
                .issueHost("/O=Rehearsal/CN=server", List.of("127.0.0.1"), Instant.now())
                .save(host);
        Path user = folder.resolve("user.pem");
        authority.issueUser("/O=Rehearsal/CN=user", Instant.now()).save(user);
        Path map = folder.resolve("grid-mapfile");
        Files.writeString(
                map, "\"/O=Rehearsal/CN=user\" user\n\"/O=Rehearsal/CN=server\" @metaserver\n");
        SecuritySettings security =
                new SecuritySettings(
                        host,
                        Optional.empty(),
                        trust,
                        RevocationPolicy.WHEN_PRESENT,
                        TlsEngine.AUTOMATIC,
                        Optional.of(map));
        Loops loops = Loops.start("rehearsal", 1);
        try (RpcServer server =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(
                                new HostPort("127.0.0.1", 0),
                                "rehearsal",
                                security.open(Clock.system(), loops.handshakes()),
                                Services.none()))) {
            Path config = folder.resolve("client.toml");
            Files.writeString(
                    config,
                    """
                    metaservers = ["%s"]
                    timeout = "%dms"
                    [tls]
                    credential = "%s"
                    trust = "%s"
                    """
                            .formatted(
                                    server.address(),
                                    Duration.ofSeconds(1).toMillis(),
                                    user,
                                    trust));
            Gf.run("gf", new String[] {"--help"});
            for (String command : COMMANDS) {
                Gf.run("gf", new String[] {command, "--help"});
                Gf.run("gf", new String[] {command, "--config", config.toString(), "/rehearsal"});
            }
            Output.json(Map.of("rehearsal", List.of(1, "two")));
        } finally {
            loops.close();
        }
    }

    /** Loads, without running any of their code, the classes of our jars beside this one. */
    private static void load() throws IOException, URISyntaxException, ClassNotFoundException {
        Path here =
                Path.of(
                        Rehearsal.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        List<Path> jars;
        try (Stream<Path> files = Files.list(here.resolveSibling("."))) {
            jars =
                    files.filter(file -> JARS.matcher(String.valueOf(file.getFileName())).matches())
                            .sorted()
                            .toList();
        }
        for (Path file : jars) {
            try (JarFile jar = new JarFile(file.toFile())) {
                for (JarEntry entry : jar.stream().toList()) {
                    String name = entry.getName();
                    if (name.endsWith(".class") && !name.contains("-info")) {
                        String type =
                                name.substring(0, name.length() - ".class".length())
                                        .replace('/', '.');
                        Class.forName(type, false, Rehearsal.class.getClassLoader());
                    }
                }
            }
        }
    }
}

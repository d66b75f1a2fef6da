package org.gridfarm.client.cli.doctor;

import org.gridfarm.client.cli.cluster.Mounts;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.mount.fuse.linux.ThisProcess;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.config.SecuritySettings;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.wire.NodeInfo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Looks at everything between a program on this machine and its files, from near to far. */
public final class Examination {
    private static final int JAVA_LEAST = 25;
    private static final int ANSWER_MILLIS_MAX = 2_000;
    private static final Duration EXPIRES_SOON = Duration.ofDays(7);

    /** Of its life, where that is short: a proxy of 12 hours is to be renewed in the last two. */
    private static final int EXPIRES_SOON_PART = 6;

    private final List<Finding> findings = new ArrayList<>();

    /**
     * @param configuration reads the configuration, or fails as reading it does
     */
    public List<Finding> of(Supplier<ClientConfig> configuration) {
        java();
        fuse();
        clock();
        ClientConfig config;
        try {
            config = configuration.get();
        } catch (FarmException e) {
            findings.add(
                    Finding.bad(
                            "configuration",
                            e.getMessage(),
                            "name a good file with --config or GF_CONFIG; gf config check FILE says more"));
            return findings;
        }
        findings.add(Finding.good("configuration", "metaservers " + config.metaservers()));
        if (config.node().isEmpty()) {
            findings.add(
                    Finding.good(
                            "local node",
                            "none is named: if this machine is a storage node, say so (node), to read its replicas as local files"));
        }
        certificate(config.security());
        config.metaservers().forEach(address -> reach("metaserver", address.toString()));
        config.schedulers().forEach(address -> reach("scheduler", address.toString()));
        farm(config);
        return findings;
    }

    private void java() {
        int version = Runtime.version().feature();
        String text = Runtime.version() + " in " + System.getProperty("java.home");
        findings.add(
                version >= JAVA_LEAST
                        ? Finding.good("java", text)
                        : Finding.bad("java", text, "install a JDK " + JAVA_LEAST + " or newer"));
    }

    private void fuse() {
        String obstacle = Mounts.obstacle();
        if (!obstacle.isEmpty()) {
            findings.add(
                    Finding.warning(
                            "fuse", obstacle, "without it gf commands work and gf mount does not"));
            return;
        }
        findings.add(Finding.good("fuse", "/dev/fuse can be used"));
        String kernel = System.getProperty("os.version");
        if (!isAtLeast(kernel, 6, 9)) {
            findings.add(
                    Finding.warning(
                            "passthrough",
                            "Linux " + kernel + " has none",
                            "Linux 6.9 or newer reads and writes local replicas at the disk's speed"));
        } else if (!ThisProcess.isAdministrator()) {
            findings.add(
                    Finding.warning(
                            "passthrough",
                            "the kernel allows it only with CAP_SYS_ADMIN",
                            "mount as root, or by systemd with AmbientCapabilities=CAP_SYS_ADMIN"));
        } else {
            findings.add(
                    Finding.good("passthrough", "Linux " + kernel + " and your rights allow it"));
        }
    }

    private static boolean isAtLeast(String version, int major, int minor) {
        String[] parts = version.split("[^0-9]+");
        int first = parts.length > 0 && !parts[0].isEmpty() ? Integer.parseInt(parts[0]) : 0;
        int second = parts.length > 1 && !parts[1].isEmpty() ? Integer.parseInt(parts[1]) : 0;
        return first > major || (first == major && second >= minor);
    }

    private void clock() {
        boolean kept =
                List.of(
                                "/run/systemd/timesync/synchronized",
                                "/run/chrony/chronyd.pid",
                                "/run/chronyd.pid",
                                "/run/ntpd.pid")
                        .stream()
                        .anyMatch(file -> Files.exists(Path.of(file)));
        String text = "it is " + Instant.now();
        findings.add(
                kept
                        ? Finding.good("clock", text)
                        : Finding.warning(
                                "clock",
                                text + ", and no time service was seen",
                                "run chrony or systemd-timesyncd: certificates and times of files rest on the clock"));
    }

    private void certificate(SecuritySettings security) {
        try {
            Credential credential =
                    security.key().isPresent()
                            ? Credential.load(security.certificate(), security.key().get())
                            : Credential.load(security.certificate());
            Instant end = credential.notAfter();
            Instant begin = credential.certificate().getNotBefore().toInstant();
            String text = security.certificate() + " until " + end;
            Instant now = Instant.now();
            if (now.isBefore(begin)) {
                findings.add(
                        Finding.bad(
                                "certificate",
                                security.certificate() + " holds only from " + begin,
                                "set the clock"));
            } else if (now.isAfter(end)) {
                findings.add(Finding.bad("certificate", text, "renew it: it has run out"));
            } else {
                new ChainValidator(TrustStore.load(security.trust(), security.revocation()))
                        .validate(credential.chain(), ChainValidator.Part.CLIENT, now);
                Duration part = Duration.between(begin, end).dividedBy(EXPIRES_SOON_PART);
                Duration soon = part.compareTo(EXPIRES_SOON) < 0 ? part : EXPIRES_SOON;
                findings.add(
                        now.plus(soon).isAfter(end)
                                ? Finding.warning("certificate", text, "renew it soon")
                                : Finding.good("certificate", text));
            }
        } catch (CertificateException e) {
            findings.add(
                    Finding.bad(
                            "certificate",
                            security.certificate() + ": " + e.getMessage(),
                            "servers refuse it: have another one issued by an authority that the farm trusts"));
        } catch (FarmException e) {
            findings.add(
                    Finding.bad(
                            "certificate",
                            e.getMessage(),
                            "make a proxy with gf proxy init, or see the [tls] part of the configuration"));
        }
    }

    private boolean reach(String what, String address) {
        long began = System.nanoTime();
        try (Socket socket = new Socket()) {
            HostPort at = HostPort.parse(address);
            socket.connect(new InetSocketAddress(at.host(), at.port()), ANSWER_MILLIS_MAX);
            long micros = (System.nanoTime() - began) / 1000;
            findings.add(Finding.good(what + " " + address, "answers in " + micros + " us"));
            return true;
        } catch (IOException | IllegalArgumentException e) {
            findings.add(
                    Finding.bad(
                            what + " " + address,
                            String.valueOf(e.getMessage()),
                            "start it, or let " + address + " through the firewall"));
            return false;
        }
    }

    private void farm(ClientConfig config) {
        try (Gridfarm farm = Gridfarm.open(config, "gf doctor")) {
            findings.add(Finding.good("farm", "known there as " + farm.user()));
            for (NodeInfo node : farm.nodes()) {
                String name = "node " + node.getName();
                switch (node.getState()) {
                    case "suspect", "down" ->
                            findings.add(
                                    Finding.bad(
                                            name,
                                            "is " + node.getState(),
                                            "start it; its files are read from other nodes meanwhile"));
                    case "removed" ->
                            findings.add(Finding.good(name, "was removed by an administrator"));
                    default -> reach(name, node.getAddress());
                }
            }
        } catch (FarmException e) {
            findings.add(Finding.bad("farm", e.getMessage(), Cure.of(e.kind())));
        }
    }
}

package org.gridfarm.client.core;

import org.gridfarm.protocol.auth.x509.ProxyFile;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.config.SecuritySettings;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.HostPort;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Where the farm is and who asks.
 *
 * <pre>
 * metaservers = ["m1:7000", "m2:7000"]
 * scheduler = ["s1:7200"]      # only for jobs
 * node = "n1"                  # the storage node on this host, if there is one
 * node_data = ["/data"]        # its data directories; without them any that looks like one
 * timeout = "10s"              # the longest any operation may take
 * cache = "64M"                # names and attributes kept under lease
 * account = "astro"            # which of one's accounts; else GF_ACCOUNT, else the first in the servers' map
 * [tls]
 * login = "token"              # or key, certificate; else what there is, a certificate first
 * credential = "/home/ann/ann.pem"  # otherwise, and for who cannot read it, the proxy of gf proxy init
 * trust = "/etc/grid-security/certificates"
 * </pre>
 *
 * @param node name of the storage node this client is attached to; empty: none
 * @param nodeData below which it may name local files; empty: in any data directory
 * @param account of those that the servers' map gives to whom the credential names; empty: the
 *     first
 */
public record ClientConfig(
        List<HostPort> metaservers,
        List<HostPort> schedulers,
        String node,
        List<Path> nodeData,
        Duration timeout,
        long cacheBytes,
        String account,
        SecuritySettings security) {
    private static final Duration TIMEOUT_DEFAULT = Duration.ofSeconds(10);
    private static final long CACHE_BYTES_DEFAULT = 64L << 20;
    private static final String ACCOUNT_VARIABLE = "GF_ACCOUNT";

    public ClientConfig {
        metaservers = List.copyOf(metaservers);
        schedulers = List.copyOf(schedulers);
        nodeData = List.copyOf(nodeData);
    }

    /** Reads a file; BAD_CONFIGURATION names what is wrong with it and where. */
    public static ClientConfig read(Path file) {
        return Config.read(file, ClientConfig::of);
    }

    /** From the file of a daemon that is a client as well. */
    public static ClientConfig of(Config config) {
        SecuritySettings security = SecuritySettings.readForPeople(config, ProxyFile.standard());
        // Without a certificate one is not trusted with names of files on this host.
        String node = config.text("node", "");
        return new ClientConfig(
                config.addresses("metaservers"),
                config.addressesIfAny("scheduler"),
                security.logIn().isPresent() ? "" : node,
                config.paths("node_data"),
                config.duration("timeout", TIMEOUT_DEFAULT),
                config.bytes("cache", CACHE_BYTES_DEFAULT),
                config.text("account", ""),
                security);
    }

    /**
     * The file named on the command line, else {@code GF_CONFIG}, else the user's, else the host's.
     */
    public static ClientConfig find(Optional<Path> named) {
        String account = System.getenv(ACCOUNT_VARIABLE);
        return read(locate(named)).withAccount(account == null ? "" : account);
    }

    /** Which file {@link #find} reads; BAD_CONFIGURATION if there is none. */
    public static Path locate(Optional<Path> named) {
        if (named.isPresent()) {
            return named.get();
        }
        String environment = System.getenv("GF_CONFIG");
        if (environment != null && !environment.isEmpty()) {
            return Path.of(environment);
        }
        List<Path> places = new ArrayList<>();
        places.add(Path.of(System.getProperty("user.home"), ".config", "gridfarm", "config.toml"));
        places.add(Path.of("/etc/gridfarm/config.toml"));
        for (Path place : places) {
            if (Files.isReadable(place)) {
                return place;
            }
        }
        throw new FarmException(
                ErrorKind.BAD_CONFIGURATION,
                "find configuration",
                "",
                "no --config, no GF_CONFIG, and none of "
                        + places.get(0)
                        + " and "
                        + places.get(1)
                        + " is there");
    }

    /** Reads who this is; BAD_CONFIGURATION says where no credential was found, and what helps. */
    ChannelSecurity open(Clock clock, Executor handshakes) {
        Path secret = security.key().orElse(security.certificate());
        if (security.logIn().isEmpty() && !Files.isReadable(secret)) {
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "find credential",
                    secret.toString(),
                    (Files.exists(secret) ? "not yours to read" : "no such file")
                            + ": make a proxy with gf proxy init, or name your certificate as tls.credential in a configuration of your own");
        }
        return security.openToConnect(clock, handshakes);
    }

    public ClientConfig withNode(String other) {
        return new ClientConfig(
                metaservers, schedulers, other, nodeData, timeout, cacheBytes, account, security);
    }

    public ClientConfig withTimeout(Duration other) {
        return new ClientConfig(
                metaservers, schedulers, node, nodeData, other, cacheBytes, account, security);
    }

    /** With a cache of names and attributes of this many bytes; 0: nothing is kept. */
    public ClientConfig withCache(long bytes) {
        return new ClientConfig(
                metaservers, schedulers, node, nodeData, timeout, bytes, account, security);
    }

    /** As that one of one's accounts; empty: as configured. */
    public ClientConfig withAccount(String other) {
        return other.isEmpty()
                ? this
                : new ClientConfig(
                        metaservers,
                        schedulers,
                        node,
                        nodeData,
                        timeout,
                        cacheBytes,
                        other,
                        security);
    }

    /** The same farm for somebody else who logs in: without account and node of this one. */
    public ClientConfig forGuest() {
        return new ClientConfig(
                metaservers, schedulers, "", List.of(), timeout, cacheBytes, "", security);
    }
}

package org.gridfarm.client.core;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.config.SecuritySettings;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.jspecify.annotations.Nullable;

/**
 * Where the farm is and who the client is: {@code metaservers}, {@code scheduler}, {@code node} (the storage node on this host, if any), {@code
 * timeout} and {@code [tls]}.
 *
 * @param source the file it was read from
 * @param timeout the longest any call may take; 10 s unless configured
 */
public record ClientConfig(
        Path source,
        List<HostPort> metaservers,
        List<String> schedulers,
        String node,
        Duration timeout,
        SecuritySettings security) {
    private static final Duration TIMEOUT_DEFAULT = Duration.ofSeconds(10);
    private static final Path SYSTEM_WIDE = Path.of("/etc/gridfarm/config.toml");

    public ClientConfig {
        metaservers = List.copyOf(metaservers);
        schedulers = List.copyOf(schedulers);
    }

    /**
     * The file given, else GF_CONFIG, ~/.config/gridfarm/config.toml or /etc/gridfarm/config.toml. BAD_CONFIGURATION names what is wrong, and where
     * none was found, all places looked at.
     */
    public static ClientConfig find(@Nullable Path given) {
        if (given != null) {
            return read(given);
        }
        String named = System.getenv("GF_CONFIG");
        if (named != null && !named.isEmpty()) {
            return read(Path.of(named));
        }
        List<Path> places = new ArrayList<>();
        places.add(Path.of(System.getProperty("user.home"), ".config", "gridfarm", "config.toml"));
        places.add(SYSTEM_WIDE);
        for (Path place : places) {
            if (Files.exists(place)) {
                return read(place);
            }
        }
        throw new FarmException(
                ErrorKind.BAD_CONFIGURATION,
                "find configuration",
                "",
                "use --config FILE or GF_CONFIG, or write " + places.get(0) + " or " + SYSTEM_WIDE);
    }

    public static ClientConfig read(Path file) {
        return Config.read(
                file,
                config ->
                        new ClientConfig(
                                file.toAbsolutePath().normalize(),
                                config.addresses("metaservers"),
                                config.texts("scheduler"),
                                config.text("node", ""),
                                config.duration("timeout", TIMEOUT_DEFAULT),
                                SecuritySettings.read(config)));
    }

    /** For a daemon that is a client as well: its own certificate and the metaservers it was given. */
    public static ClientConfig of(Path source, List<HostPort> metaservers, SecuritySettings security) {
        return new ClientConfig(source, metaservers, List.of(), "", TIMEOUT_DEFAULT, security);
    }

    /** The same, attached to the storage node of that name. */
    public ClientConfig withNode(String name) {
        return new ClientConfig(source, metaservers, schedulers, name, timeout, security);
    }

}

package org.gridfarm.protocol.config;

import org.gridfarm.protocol.rpc.HostPort;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * What every daemon's file says at its top: {@code name}, {@code listen}, {@code advertise}, {@code
 * http}, {@code log_level}, {@code audit_log}, {@code run_file}, {@code slow_request}, and the
 * sections {@code [tls]} and {@code [grid]}.
 *
 * @param listen where calls are answered
 * @param advertise what others are told to dial, if that is another address
 * @param http where metrics and health are served
 * @param auditLog where the audit lines go, if not into the log
 * @param runFile where the daemon writes what it is when it runs: its addresses and its process id
 * @param slowRequest requests that take longer are noted; zero: none are
 */
public record DaemonSettings(
        String name,
        HostPort listen,
        Optional<HostPort> advertise,
        HostPort http,
        String logLevel,
        Optional<Path> auditLog,
        Optional<Path> runFile,
        Duration slowRequest,
        SecuritySettings security) {
    private static final Duration SLOW_REQUEST_DEFAULT = Duration.ofSeconds(1);
    private static final HostPort ANY_PORT = new HostPort("127.0.0.1", 0);

    private enum Level {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    public static DaemonSettings read(Config config) {
        return new DaemonSettings(
                config.text("name"),
                config.address("listen", ANY_PORT),
                config.addressIfAny("advertise"),
                config.address("http", ANY_PORT),
                config.choice("log_level", Level.INFO).name(),
                config.pathIfAny("audit_log"),
                config.pathIfAny("run_file"),
                config.duration("slow_request", SLOW_REQUEST_DEFAULT),
                SecuritySettings.read(config));
    }

    /** The address to tell others, once the port is known. */
    public HostPort advertised(HostPort bound) {
        return advertise
                .map(address ->
                        address.port() == 0 ? new HostPort(address.host(), bound.port()) : address)
                .orElse(bound);
    }
}

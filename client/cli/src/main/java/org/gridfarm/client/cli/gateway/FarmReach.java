package org.gridfarm.client.cli.gateway;

import org.gridfarm.protocol.rpc.HostPort;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Whether any metaserver can be reached, asked of the network at most once in a moment.
 * Thread-safe.
 */
final class FarmReach {
    private static final Duration CONNECT_MAX = Duration.ofSeconds(1);
    private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final List<HostPort> metaservers;
    private Optional<String> known = Optional.empty(); // guarded by this
    private long askedAt = System.nanoTime() - KNOWN_NANOS; // guarded by this

    FarmReach(List<HostPort> metaservers) {
        this.metaservers = List.copyOf(metaservers);
    }

    /** Empty: one answers. */
    synchronized Optional<String> problem() {
        if (System.nanoTime() - askedAt >= KNOWN_NANOS) {
            known = asked();
            askedAt = System.nanoTime();
        }
        return known;
    }

    private Optional<String> asked() {
        List<String> silent = new ArrayList<>();
        for (HostPort one : metaservers) {
            try (Socket socket = new Socket()) {
                socket.connect(
                        new InetSocketAddress(one.host(), one.port()),
                        (int) CONNECT_MAX.toMillis());
                return Optional.empty();
            } catch (IOException e) {
                silent.add(one + " (" + e.getMessage() + ")");
            }
        }
        return Optional.of("no metaserver can be reached: " + String.join(", ", silent));
    }
}

package org.gridfarm.client.cli.cluster;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free loopback ports for a cluster, all different, and the question whether somebody answers at
 * one.
 */
public final class Ports implements AutoCloseable {
    private static final Path GIVEN_TO_CONNECTIONS =
            Path.of("/proc/sys/net/ipv4/ip_local_port_range");

    private static final int FIRST = 10_000;
    private static final int TRIES_MAX = 1_000;

    private final Path directory;
    private final PortClaims claims = new PortClaims(OwnCache.directory().resolve("ports"));
    private final List<ServerSocket> held = new ArrayList<>();
    private final int end = end();

    /** For the cluster of that directory, which is there. */
    public Ports(Path directory) {
        this.directory = directory;
    }

    /**
     * A port nobody uses now. It is held until close, and this user's other clusters do not get it
     * while the directory is there.
     *
     * <p>Afterwards nobody holds it until its daemon listens, which takes seconds, or again when it
     * is started anew. It is none of those that the kernel gives to whoever connects meanwhile.
     */
    public String free() {
        return "127.0.0.1:" + claims.claim(directory, this::free);
    }

    private int free(Set<Integer> taken) {
        for (int tried = 1; ; tried++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, end);
            if (taken.contains(port)) continue;
            try {
                held.add(new ServerSocket(port, 1, InetAddress.getLoopbackAddress()));
                return port;
            } catch (IOException e) {
                if (tried == TRIES_MAX) {
                    throw new FarmException(
                            ErrorKind.UNAVAILABLE,
                            "find",
                            "a free port",
                            String.valueOf(e.getMessage()),
                            e);
                }
            }
        }
    }

    /** The first port of the kernel's range; where that begins too low, the last of all. */
    private static int end() {
        // The kernel gives the line at the first read alone, as much as that asks for.
        try (BufferedReader range = Files.newBufferedReader(GIVEN_TO_CONNECTIONS)) {
            int first = Integer.parseInt(range.lines().findFirst().orElseThrow().split("\\s+")[0]);
            return first >= FIRST + TRIES_MAX ? first : 1 << 16;
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "read",
                    GIVEN_TO_CONNECTIONS.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    static boolean answers(String address) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port(address)), 500);
            return true;
        } catch (IOException e) {
            return false; // nobody listens: that is the answer
        }
    }

    public static int port(String address) {
        return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    }

    @Override
    public void close() {
        for (ServerSocket socket : held) {
            try {
                socket.close();
            } catch (IOException e) {
                throw new FarmException(
                        ErrorKind.INTERNAL, "close", "port", String.valueOf(e.getMessage()), e);
            }
        }
    }
}

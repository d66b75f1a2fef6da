package org.gridfarm.client.cli.cluster;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Free loopback ports, all different, and the question whether somebody answers at one. */
final class Ports implements AutoCloseable {
    private final List<ServerSocket> held = new ArrayList<>();

    /** A port nobody uses now. It is held until close, so that the next call gives another. */
    String free() {
        try {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            held.add(socket);
            return "127.0.0.1:" + socket.getLocalPort();
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "find",
                    "a free port",
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

    static int port(String address) {
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

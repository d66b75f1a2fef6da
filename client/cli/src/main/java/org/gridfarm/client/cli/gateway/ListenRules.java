package org.gridfarm.client.cli.gateway;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Where a gateway may listen, and how its address is told. */
final class ListenRules {
    private ListenRules() {}

    /** USAGE where there is no such host. */
    static boolean isLoopback(String command, HostPort listen) {
        InetAddress address = new InetSocketAddress(listen.host(), listen.port()).getAddress();
        if (address == null) {
            throw new FarmException(ErrorKind.USAGE, command, listen.host(), "no such host");
        }
        return address.isLoopbackAddress();
    }

    /** USAGE where others reach the address in the clear. */
    static void requireTlsBeyondLoopback(String command, HostPort listen, boolean tls) {
        if (!isLoopback(command, listen) && !tls) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    command,
                    listen.toString(),
                    "others reach this address: add --tls, or listen on 127.0.0.1");
        }
    }

    static String url(HostPort listen, int port, boolean tls) {
        String host = listen.host();
        String shown = host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        return (tls ? "https://" : "http://") + shown + ":" + port;
    }
}

package org.gridfarm.protocol.rpc;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;

/**
 * Where a daemon listens: a host name or address and a TCP port; an IPv6 address is written {@code
 * [::1]:7000}.
 */
public record HostPort(String host, int port) {
    public HostPort {
        if (host.isBlank()) throw new IllegalArgumentException("no host in the address");
        if (port < 0 || port > 65535)
            throw new IllegalArgumentException("port " + port + " is not between 0 and 65535");
    }

    /** Reads {@code host:port}; refuses anything else with a sentence that names the text. */
    public static HostPort parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon <= 0 || colon == text.length() - 1)
            throw new IllegalArgumentException("'" + text + "' is not host:port");
        String host = text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) host = host.substring(1, host.length() - 1);
        else if (host.indexOf(':') >= 0)
            throw new IllegalArgumentException(
                    "'" + text + "': write an IPv6 address as [address]:port");
        try {
            return new HostPort(host, Integer.parseInt(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is not host:port", e);
        }
    }

    static HostPort of(@Nullable InetSocketAddress address) {
        return address == null
                ? new HostPort("unknown", 0)
                : new HostPort(address.getHostString(), address.getPort());
    }

    @Override
    public String toString() {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }
}

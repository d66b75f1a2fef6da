package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.security.GeneralSecurityException;
import java.util.Locale;

import javax.net.ssl.SSLException;

/**
 * Turns what the network and the TLS engines throw into a kind and a clause that a person can act
 * on.
 */
public final class NetworkTrouble {
    private NetworkTrouble() {}

    /** The innermost message: engines wrap the reason (expired, unknown CA) several times over. */
    static String reason(Throwable thrown) {
        String text =
                thrown instanceof ClosedChannelException
                        ? "closed during the handshake"
                        : thrown.toString();
        int depth = 0;
        for (Throwable t = thrown; t != null && depth < 10; t = t.getCause(), depth++) {
            if (t.getMessage() != null && !t.getMessage().isBlank()) text = t.getMessage();
        }
        return text.strip();
    }

    /** The host is there, and no process listens at the address: the one that did has ended. */
    public static boolean isRefused(Throwable thrown) {
        ConnectException refused = find(thrown, ConnectException.class);
        return refused != null && reason(refused).contains("Connection refused");
    }

    static FarmException toFailure(Throwable thrown, HostPort address) {
        FarmException known = find(thrown, FarmException.class);
        if (known != null) return known.about("connect", address.toString());
        if (find(thrown, SSLException.class) != null
                || find(thrown, GeneralSecurityException.class) != null)
            return failure(ErrorKind.NOT_AUTHENTICATED, address, "TLS: " + reason(thrown), thrown);
        if (find(thrown, UnknownHostException.class) != null)
            return failure(ErrorKind.UNAVAILABLE, address, "unknown host", thrown);
        if (find(thrown, ConnectException.class) != null)
            return failure(ErrorKind.UNAVAILABLE, address, tail(reason(thrown)), thrown);
        if (find(thrown, ClosedChannelException.class) != null)
            return failure(ErrorKind.UNAVAILABLE, address, reason(thrown), thrown);
        if (thrown instanceof IOException)
            return failure(ErrorKind.UNAVAILABLE, address, reason(thrown), thrown);
        return failure(ErrorKind.INTERNAL, address, thrown.toString(), thrown);
    }

    static String bindReason(Throwable thrown) {
        String text = reason(thrown);
        if (text.contains("Address already in use")) return "the port is in use by another program";
        if (text.contains("Permission denied")) return "ports below 1024 need a privilege";
        if (text.contains("Cannot assign requested address"))
            return "not an address of this machine";
        return text;
    }

    private static FarmException failure(
            ErrorKind kind, HostPort address, String detail, Throwable cause) {
        return new FarmException(kind, "connect", address.toString(), detail, cause);
    }

    /**
     * Netty says {@code finishConnect(..) failed with error(-111): Connection refused:
     * host/1.2.3.4:5}.
     */
    private static String tail(String text) {
        for (String known :
                new String[] {
                    "Connection refused", "No route to host", "Network is unreachable", "timed out"
                }) if (text.contains(known)) return known.toLowerCase(Locale.ROOT);
        return text;
    }

    private static <X extends Throwable> @Nullable X find(Throwable thrown, Class<X> type) {
        int depth = 0;
        for (Throwable t = thrown; t != null && depth < 10; t = t.getCause(), depth++)
            if (type.isInstance(t)) return type.cast(t);
        return null;
    }
}

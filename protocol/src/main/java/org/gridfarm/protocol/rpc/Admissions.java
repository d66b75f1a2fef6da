package org.gridfarm.protocol.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.ProcessLimits;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * How many may be connected to one server: those who have not proved yet who they are, of all and
 * from one host, and those who have, of all and of one identity. The farm's own daemons always find
 * room beside the others. Thread-safe.
 */
final class Admissions {
    private final int handshakesMax;
    private final int connectionsMax;

    @GuardedBy("this")
    private final Map<String, Integer> handshakes = new HashMap<>(); // by host

    @GuardedBy("this")
    private int allHandshakes;

    @GuardedBy("this")
    private final Map<String, Integer> connections = new HashMap<>(); // by identity

    @GuardedBy("this")
    private int others; // than the farm's daemons

    /** Half of the descriptors are left for everything else. */
    static Admissions usual() {
        int connections = Math.min(RpcLimits.CONNECTIONS_MAX, ProcessLimits.openFiles() / 2);
        return new Admissions(Math.min(RpcLimits.HANDSHAKES_MAX, connections), connections);
    }

    Admissions(int handshakesMax, int connectionsMax) {
        this.handshakesMax = handshakesMax;
        this.connectionsMax = connectionsMax;
    }

    /** False: there is no room for another one of this host, of whom nobody knows who he is. */
    synchronized boolean begins(String host) {
        int own = handshakes.getOrDefault(host, 0);
        if (allHandshakes >= handshakesMax || own >= Math.max(1, handshakesMax / 2)) return false;
        allHandshakes++;
        handshakes.put(host, own + 1);
        return true;
    }

    /** After {@link #begins}, however it ended. */
    synchronized void over(String host) {
        allHandshakes--;
        handshakes.computeIfPresent(host, (name, count) -> count == 1 ? null : count - 1);
    }

    /** What a client is told who cannot come in; null: he is in, until {@link #leaves}. */
    synchronized @Nullable FarmException enters(Identity who) {
        int own = connections.getOrDefault(name(who), 0);
        int each = Math.max(1, connectionsMax / 2);
        if (own >= each) {
            return refusal(who, own + " connections of " + who.user() + " are open already");
        }
        if (!isDaemon(who) && others >= connectionsMax) {
            return refusal(who, others + " connections are open already");
        }
        connections.put(name(who), own + 1);
        if (!isDaemon(who)) others++;
        return null;
    }

    private static FarmException refusal(Identity who, String why) {
        return new FarmException(ErrorKind.OVERLOADED, "connect", who.user(), why);
    }

    synchronized void leaves(Identity who) {
        connections.computeIfPresent(name(who), (name, count) -> count == 1 ? null : count - 1);
        if (!isDaemon(who)) others--;
    }

    /** A guest makes as many keys as he likes: all guests are one. */
    static String name(Identity who) {
        return who.role() == Role.GUEST ? "guests" : who.dn();
    }

    static boolean isDaemon(Identity who) {
        return switch (who.role()) {
            case NODE, METASERVER, SCHEDULER -> true;
            case USER, ADMIN, MOUNT, GATEWAY, GUEST -> false;
        };
    }

    synchronized boolean isEmpty() {
        return allHandshakes == 0 && handshakes.isEmpty() && connections.isEmpty() && others == 0;
    }
}

package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.UnderScopes;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Who may call a method. The side that is called asks before it looks at the request; what the
 * caller may do with the object that the request names, the handler decides. Immutable.
 *
 * @param roles of those who may call it at all
 * @param inSession the caller has opened a session on the connection before
 * @param full not with a limited proxy
 * @param underScopes what becomes of it where a token limits the caller to some paths
 * @param right what the handler asks of the object, for people who read the table; empty: nothing
 */
public record Access(
        Set<Role> roles, boolean inSession, boolean full, UnderScopes underScopes, String right) {
    /** Where people's programs and mounts work with files. */
    public static final Access CLIENTS = of(Role.USER, Role.ADMIN, Role.MOUNT);

    public static final Access PEOPLE = of(Role.USER, Role.ADMIN);

    public Access {
        if (roles.isEmpty()) throw new IllegalArgumentException("a method that nobody may call");
        roles = Set.copyOf(roles);
    }

    public static Access of(Role first, Role... others) {
        return new Access(EnumSet.of(first, others), false, false, UnderScopes.REFUSED, "");
    }

    /** The same for one more role. */
    public Access and(Role role) {
        Set<Role> more = EnumSet.copyOf(roles);
        more.add(role);
        return new Access(more, inSession, full, underScopes, right);
    }

    public Access inItsSession() {
        return new Access(roles, true, full, underScopes, right);
    }

    public Access withFullProxy() {
        return new Access(roles, inSession, true, underScopes, right);
    }

    /** Also for whom a token limits to some paths; the server judges each request by them. */
    public Access judgedByScopes() {
        return new Access(roles, inSession, full, UnderScopes.JUDGED, right);
    }

    /** Also for whom a token limits to some paths, whichever they are. */
    public Access freeOfScopes() {
        return new Access(roles, inSession, full, UnderScopes.FREE, right);
    }

    public Access needing(String what) {
        return new Access(roles, inSession, full, underScopes, what);
    }

    /** Refuses other roles with NOT_PERMITTED, and limited proxies with ACCESS_DENIED. */
    public void require(Identity caller, String operation) {
        if (!roles.contains(caller.role())) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    operation,
                    caller.user(),
                    "only for "
                            + roles.stream()
                                    .sorted()
                                    .map(role -> "@" + role.name().toLowerCase(Locale.ROOT))
                                    .collect(Collectors.joining(", ")));
        }
        if (full) caller.requireFull(operation);
        if (underScopes == UnderScopes.REFUSED && caller.scopes().isPresent()) {
            throw new FarmException(
                    ErrorKind.ACCESS_DENIED,
                    operation,
                    caller.user(),
                    "a token is good for files alone");
        }
    }
}

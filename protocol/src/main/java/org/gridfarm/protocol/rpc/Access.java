package org.gridfarm.protocol.rpc;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
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
 * @param right what the handler asks of the object, for people who read the table; empty: nothing
 */
public record Access(Set<Role> roles, boolean inSession, boolean full, String right) {
    /** Where people's programs and mounts work with files. */
    public static final Access CLIENTS = of(Role.USER, Role.ADMIN, Role.MOUNT);

    public static final Access PEOPLE = of(Role.USER, Role.ADMIN);

    public Access {
        if (roles.isEmpty()) throw new IllegalArgumentException("a method that nobody may call");
        roles = Set.copyOf(roles);
    }

    public static Access of(Role first, Role... others) {
        return new Access(EnumSet.of(first, others), false, false, "");
    }

    /** The same for one more role. */
    public Access and(Role role) {
        Set<Role> more = EnumSet.copyOf(roles);
        more.add(role);
        return new Access(more, inSession, full, right);
    }

    public Access inItsSession() {
        return new Access(roles, true, full, right);
    }

    public Access withFullProxy() {
        return new Access(roles, inSession, true, right);
    }

    public Access needing(String what) {
        return new Access(roles, inSession, full, what);
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
    }
}

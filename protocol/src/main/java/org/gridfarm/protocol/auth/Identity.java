package org.gridfarm.protocol.auth;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.NodeName;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Whom the farm takes a peer for.
 *
 * @param dn slash form of the certificate's name, as the grid-mapfile spells it
 * @param role what the peer may be
 * @param users local user names of a person, the usual one first; empty for hosts
 * @param node the storage node's name; present for {@link Role#NODE} alone
 * @param limited the peer came with a limited proxy: data access only, no job submission
 * @param root of a {@link Role#MOUNT}: its superuser is the farm's, too, and not nobody
 * @param scopes what the token says that proved it; empty: no token limits him
 */
public record Identity(
        String dn,
        Role role,
        List<String> users,
        Optional<NodeName> node,
        boolean limited,
        boolean root,
        Optional<Scopes> scopes) {
    public Identity {
        users = List.copyOf(users);
        if (role.isPerson() == users.isEmpty() || node.isPresent() != (role == Role.NODE)) {
            throw new IllegalArgumentException(
                    "role %s does not go with %s %s".formatted(role, users, node));
        }
        if (root && role != Role.MOUNT) {
            throw new IllegalArgumentException("only the root of a mount can be the farm's");
        }
    }

    public Identity(
            String dn,
            Role role,
            List<String> users,
            Optional<NodeName> node,
            boolean limited,
            boolean root) {
        this(dn, role, users, node, limited, root, Optional.empty());
    }

    /** Somebody who has shown a key of his own and has not said yet who he is. */
    public static Identity guest(long keyBinding) {
        return new Identity(
                "guest:%016x".formatted(keyBinding), Role.GUEST, List.of(), Optional.empty(), true);
    }

    /** The same, held to what his token says. */
    public Identity under(Scopes limits) {
        return new Identity(dn, role, users, node, true, root, Optional.of(limits));
    }

    /**
     * To whom a session belongs. One that a token has opened is not for a token that allows more or
     * less: what is open in it was judged by the former.
     */
    public String owner() {
        return scopes.map(limits -> dn + " " + limits).orElse(dn);
    }

    public Identity(
            String dn, Role role, List<String> users, Optional<NodeName> node, boolean limited) {
        this(dn, role, users, node, limited, false);
    }

    /**
     * The usual user name of a person; for a host {@code @node:n1}, {@code @metaserver}, ..., which
     * no user has.
     */
    public String user() {
        if (role.isPerson()) {
            return users.get(0);
        }
        return GridMap.roleText(role) + node.map(name -> ":" + name).orElse("");
    }

    /**
     * The user this person asked to be, who must be one of his; an empty request means the usual
     * one.
     */
    public String userAskedFor(String asked) {
        if (asked.isEmpty()) {
            return user();
        }
        if (!users.contains(asked)) {
            throw new FarmException(
                    ErrorKind.ACCESS_DENIED,
                    "act as",
                    asked,
                    dn + " is not mapped to that user, but to " + String.join(", ", users));
        }
        return asked;
    }

    /** This person as the user he asks to be; ACCESS_DENIED unless that is one of his. */
    public Identity as(String asked) {
        List<String> others = new ArrayList<>(users);
        others.remove(userAskedFor(asked));
        others.add(0, userAskedFor(asked));
        return new Identity(dn, role, others, node, limited, root, scopes);
    }

    /**
     * This gateway as the account of somebody who came to it: with his files it may do what he may,
     * and nothing else of his.
     */
    public Identity inPlaceOf(String account) {
        require(Role.GATEWAY, "act as");
        return new Identity(dn, Role.USER, List.of(account), Optional.empty(), true);
    }

    public boolean isAdmin() {
        return role == Role.ADMIN;
    }

    /** Refuses what a limited proxy must not do, such as submitting jobs. */
    public void requireFull(String operation) {
        if (limited) {
            throw new FarmException(
                    ErrorKind.ACCESS_DENIED,
                    operation,
                    user(),
                    "a limited proxy allows data access only");
        }
    }

    /** Refuses every other role. */
    public void require(Role wanted, String operation) {
        if (role != wanted) {
            throw new FarmException(
                    ErrorKind.ACCESS_DENIED,
                    operation,
                    user(),
                    "only for " + GridMap.roleText(wanted));
        }
    }

    public Identity asLimited(boolean isLimited) {
        return new Identity(dn, role, users, node, isLimited, root, scopes);
    }

    @Override
    public String toString() {
        return user() + (limited ? " (limited)" : "");
    }
}

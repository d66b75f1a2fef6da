package org.gridfarm.client;

import org.gridfarm.client.core.nio.FarmPrincipals;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;

import java.io.IOException;
import java.util.List;

/**
 * A user by number. The farm keeps numbers; their names are those of this host's {@code
 * /etc/passwd} and {@code /etc/group}, and a number without a name is its own.
 *
 * @param gid of the first group
 * @param groups all others
 */
public record Account(int uid, int gid, List<Integer> groups) {
    public Account {
        groups = List.copyOf(groups);
    }

    static Account of(Credentials credentials) {
        return new Account(credentials.getUid(), credentials.getGid(), credentials.getGroupsList());
    }

    public boolean isIn(int group) {
        return gid == group || groups.contains(group);
    }

    public static String userName(int uid) {
        return FarmPrincipals.userName(uid);
    }

    public static String groupName(int gid) {
        return FarmPrincipals.groupName(gid);
    }

    /** INVALID where it is neither a name of this host nor a number. */
    public static int uid(String name) {
        try {
            return FarmPrincipals.uid(name);
        } catch (IOException e) {
            throw unknown("user", name, e);
        }
    }

    /** As {@link #uid(String)}. */
    public static int gid(String name) {
        try {
            return FarmPrincipals.gid(name);
        } catch (IOException e) {
            throw unknown("group", name, e);
        }
    }

    private static FarmException unknown(String what, String name, IOException cause) {
        return new FarmException(
                ErrorKind.INVALID,
                "find " + what,
                name,
                "this host has no such " + what + ": give one of its names, or a number",
                cause);
    }
}

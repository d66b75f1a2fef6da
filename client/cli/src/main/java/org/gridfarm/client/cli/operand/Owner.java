package org.gridfarm.client.cli.operand;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

/**
 * Whom a file is to belong to, as {@code chown} takes it: {@code ann}, {@code ann:staff}, {@code
 * :staff}. A null stays as it is.
 */
public record Owner(@Nullable Integer uid, @Nullable Integer gid) {
    /** NOT_FOUND names whom this host does not know. */
    public static Owner of(String text) {
        int colon = text.indexOf(':');
        String user = colon < 0 ? text : text.substring(0, colon);
        String group = colon < 0 ? "" : text.substring(colon + 1);
        if (user.isEmpty() && group.isEmpty()) {
            throw new FarmException(
                    ErrorKind.USAGE, "owner", text, "give a user, user:group or :group");
        }
        return new Owner(user.isEmpty() ? null : user(user), group.isEmpty() ? null : group(group));
    }

    public static int user(String name) {
        return Accounts.user(name).orElseThrow(() -> unknown("user", name));
    }

    public static int group(String name) {
        return Accounts.group(name).orElseThrow(() -> unknown("group", name));
    }

    private static FarmException unknown(String what, String name) {
        return new FarmException(
                ErrorKind.NOT_FOUND, what, name, "this host knows none of that name");
    }
}

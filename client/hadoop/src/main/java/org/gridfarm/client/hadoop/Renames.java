package org.gridfarm.client.hadoop;

import org.gridfarm.client.FileStatus;
import org.gridfarm.client.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

/**
 * Renames as HDFS does them: into a directory that is there, and false where POSIX would replace
 * something or fail. Each is one atomic step of the farm; one that loses against somebody else who
 * takes the new name meanwhile replaces nothing.
 */
final class Renames {
    private final Gridfarm farm;

    Renames(Gridfarm farm) {
        this.farm = farm;
    }

    boolean rename(String from, String to) {
        FileStatus source = find(from, false);
        if (source == null || from.equals("/") || isBelow(to, from)) {
            return false;
        }
        FileStatus target = find(to, true);
        if (from.equals(to)) {
            return !source.isDirectory();
        }
        String goal = to;
        if (target != null) {
            if (!target.isDirectory()) {
                return false;
            }
            goal = (to.equals("/") ? "" : to) + from.substring(from.lastIndexOf('/'));
            if (goal.equals(from)) {
                return false; // it is in that directory
            }
        }
        try {
            farm.renameToNew(from, goal);
            return true;
        } catch (FarmException e) {
            return switch (e.kind()) {
                // NOT_FOUND: of the new name's directory, or the old name has gone meanwhile.
                case ALREADY_EXISTS, NOT_EMPTY, NOT_FOUND, INVALID -> false;
                default -> throw e;
            };
        }
    }

    /** As rename(2), and ALREADY_EXISTS where it may not replace what has the new name. */
    void renameExactly(String from, String to, boolean mayReplace) {
        FileStatus source = farm.statLink(from);
        FileStatus target = find(to, false);
        if (from.equals("/") || to.equals("/") || isBelow(to, from)) {
            throw new FarmException(ErrorKind.INVALID, "rename", from, "to " + to);
        }
        if (target != null && source.isDirectory() != target.isDirectory()) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "rename",
                    from,
                    to + " is " + (target.isDirectory() ? "" : "not ") + "a directory");
        }
        if (from.equals(to) || !mayReplace) {
            if (target != null) {
                throw new FarmException(ErrorKind.ALREADY_EXISTS, "rename", to);
            }
            farm.renameToNew(from, to);
        } else {
            farm.rename(from, to);
        }
    }

    private static boolean isBelow(String path, String directory) {
        return path.startsWith(directory.equals("/") ? "/" : directory + "/")
                && !path.equals(directory);
    }

    private @Nullable FileStatus find(String path, boolean follow) {
        try {
            return follow ? farm.stat(path) : farm.statLink(path);
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND || e.kind() == ErrorKind.NOT_A_DIRECTORY) {
                return null;
            }
            throw e;
        }
    }
}

package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.List;

/** Becoming the user who submitted the task: root can, anybody else only runs his own. */
final class TaskUser {
    private TaskUser() {}

    /**
     * What to put before the command so that it runs as this user; ACCESS_DENIED if this process
     * may not.
     */
    static List<String> prefix(String user, int uid, int gid) throws IOException {
        int self = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (self == uid) {
            return List.of();
        }
        if (self != 0) {
            throw new FarmException(
                    ErrorKind.ACCESS_DENIED,
                    "run-task",
                    "as " + user,
                    "this node runs as uid "
                            + self
                            + " and cannot become uid "
                            + uid
                            + ": run it as root");
        }
        return List.of(
                "setpriv",
                "--reuid=" + Integer.toUnsignedString(uid),
                "--regid=" + Integer.toUnsignedString(gid),
                isKnownHere(user) ? "--init-groups" : "--clear-groups",
                "--");
    }

    /** Only then has he groups here. */
    private static boolean isKnownHere(String user) throws IOException {
        try {
            return !user.isEmpty()
                    && !user.matches("[0-9]+")
                    && Path.of("/")
                                    .getFileSystem()
                                    .getUserPrincipalLookupService()
                                    .lookupPrincipalByName(user)
                            != null;
        } catch (UserPrincipalNotFoundException e) {
            return false;
        }
    }
}

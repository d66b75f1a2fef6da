package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.RunTaskRequest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Whom a task runs as. A node of root becomes the user who submitted it, and takes every privilege
 * away on the way; any other node runs the tasks of its own account alone.
 *
 * @param name as the farm calls him; may be empty
 * @param home from this host's accounts, if they know him under that name and number
 */
record TaskUser(String name, long uid, long gid, Optional<String> home, long nodeUid) {
    /** To setresuid(2) the number that means "leave it as it is", so root would stay root. */
    private static final long UNCHANGED = 0xFFFF_FFFFL;

    private static volatile long self = -1; // not known yet

    private static final int PASSWD_FIELDS = 7;
    private static final int PASSWD_HOME = 5;

    /** ACCESS_DENIED for whom this node must not or cannot become. */
    static TaskUser of(RunTaskRequest request, TaskSettings settings)
            throws IOException, InterruptedException {
        String name = request.getUser();
        long uid = Integer.toUnsignedLong(request.getUid());
        long gid = Integer.toUnsignedLong(request.getGid());
        long self = self();
        requireAllowed(name, uid, gid, self, settings);
        return new TaskUser(name, uid, gid, home(name, uid), self);
    }

    /** Of this process. */
    static long self() throws IOException {
        long known = self;
        if (known < 0) {
            known = readSelf();
            self = known;
        }
        return known;
    }

    private static long readSelf() throws IOException {
        return Integer.toUnsignedLong((int) Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    static void requireAllowed(String name, long uid, long gid, long self, TaskSettings settings) {
        if (uid == UNCHANGED || gid == UNCHANGED) {
            throw refused(name, "uid " + uid + ", gid " + gid + " is nobody's number");
        }
        if (self != 0) {
            if (uid != self) {
                throw refused(
                        name,
                        "this node runs as uid "
                                + self
                                + " and cannot become uid "
                                + uid
                                + ": run it as root");
            }
            return;
        }
        if (uid == 0) {
            if (!settings.allowRoot()) {
                throw refused(name, "a node runs no tasks of root: submit them as another user");
            }
        } else if (uid < settings.minUid()) {
            throw refused(
                    name,
                    "uid %d is below %d, where the accounts of people begin: see min_uid in the node's [tasks]"
                            .formatted(uid, settings.minUid()));
        }
    }

    private static FarmException refused(String name, String why) {
        return new FarmException(ErrorKind.ACCESS_DENIED, "run-task", "as " + name, why);
    }

    /**
     * By the number, which is what the task will be; of the same name, since another's home and
     * groups are not his.
     */
    private static Optional<String> home(String name, long uid)
            throws IOException, InterruptedException {
        if (name.isEmpty()) {
            return Optional.empty();
        }
        return Programs.remembered(List.of(Programs.of("getent"), "passwd", Long.toString(uid)))
                .map(line -> line.split(":", -1))
                .filter(fields -> fields.length == PASSWD_FIELDS && fields[0].equals(name))
                .map(fields -> fields[PASSWD_HOME]);
    }

    /**
     * What stands before a command so that it runs as this user, with no privilege and no way to
     * gain any (set-user programs included).
     *
     * @param mark a further group, by which all that the command starts is known
     */
    List<String> become(OptionalLong mark) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(Programs.of("setpriv"), "--no-new-privs"));
        if (nodeUid == 0) {
            words.add("--reuid=" + uid);
            words.add("--regid=" + gid);
            words.add(groups(mark));
            words.add("--inh-caps=-all");
            words.add("--ambient-caps=-all");
            words.add("--bounding-set=-all");
        }
        words.add("--");
        return words;
    }

    private String groups(OptionalLong mark) throws IOException, InterruptedException {
        if (mark.isEmpty()) {
            return home.isPresent() ? "--init-groups" : "--clear-groups";
        }
        List<String> groups = new ArrayList<>();
        if (home.isPresent()) {
            Programs.remembered(List.of(Programs.of("id"), "-G", "--", name))
                    .ifPresent(line -> groups.addAll(List.of(line.split(" "))));
        }
        groups.add(Long.toString(mark.getAsLong()));
        return "--groups=" + String.join(",", groups);
    }
}

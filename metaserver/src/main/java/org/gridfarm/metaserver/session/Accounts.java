package org.gridfarm.metaserver.session;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The numbers behind a user name: from the configuration's {@code [accounts]}, else as this host's
 * {@code id} command knows them (files, LDAP, whatever the host uses). Thread-safe; {@link #of} may
 * start a process and so may block for a moment: never call it on the event thread.
 */
public final class Accounts {
    private static final Logger log = LoggerFactory.getLogger(Accounts.class);
    private static final long REMEMBERED_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long ID_SECONDS_MAX = 5;
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9._-]{0,31}\\$?");

    private record Known(Credentials credentials, long at) {}

    private final Map<String, Credentials> configured;
    private final Clock clock;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    /**
     * @param configured user name to uid, gid and groups
     */
    public Accounts(Map<String, Credentials> configured, Clock clock) {
        this.clock = clock;
        this.configured = Map.copyOf(configured);
    }

    /** Refuses with ACCESS_DENIED a user who has no account. */
    public Credentials of(String user) {
        Credentials own = configured.get(user);
        if (own != null) return own;
        Known remembered = known.get(user);
        if (remembered != null && clock.nanoTime() - remembered.at < REMEMBERED_NANOS) {
            return remembered.credentials;
        }
        int uid = numbers(user, "-u")[0];
        int gid = numbers(user, "-g")[0];
        Credentials.Builder credentials = Credentials.newBuilder().setUid(uid).setGid(gid);
        for (int group : numbers(user, "-G")) {
            if (group != gid) credentials.addGroups(group);
        }
        Credentials built = credentials.build();
        known.put(user, new Known(built, clock.nanoTime()));
        return built;
    }

    /** The number of a group of this host; refuses with ACCESS_DENIED one that is not there. */
    public int group(String name) {
        String[] fields = asked(name, "getent", "group", name).split(":");
        if (fields.length < 3) throw unknown(name, "no group of that name");
        return Integer.parseUnsignedInt(fields[2]);
    }

    /** The numbers of those users whom the configuration or this host knows. May block. */
    public Map<String, Integer> users(Collection<String> names) {
        Map<String, Integer> found = listed("passwd", names);
        for (String name : names) {
            Credentials own = configured.get(name);
            if (own != null) found.put(name, own.getUid());
        }
        return found;
    }

    /** The same of groups, which are the host's alone. */
    public Map<String, Integer> groups(Collection<String> names) {
        return listed("group", names);
    }

    private static Map<String, Integer> listed(String table, Collection<String> names) {
        List<String> command = new ArrayList<>(List.of("getent", table));
        names.stream().filter(name -> NAME.matcher(name).matches()).forEach(command::add);
        Map<String, Integer> found = new HashMap<>();
        if (command.size() == 2) return found; // which would ask for all
        for (String line : lines(command)) {
            String[] fields = line.split(":");
            if (fields.length > 2 && fields[2].matches("[0-9]{1,10}")) {
                found.putIfAbsent(fields[0], Integer.parseUnsignedInt(fields[2]));
            }
        }
        found.keySet().retainAll(Set.copyOf(names)); // by number it finds others
        return found;
    }

    /** Its status says only that some of them are not there. */
    private static List<String> lines(List<String> command) {
        try {
            Process getent =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String text =
                    new String(getent.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            if (!getent.waitFor(ID_SECONDS_MAX, TimeUnit.SECONDS)) {
                getent.destroyForcibly();
                throw unknown(command.get(1), "the getent command does not answer");
            }
            return text.lines().toList();
        } catch (IOException e) {
            log.warn("cannot run the getent command: {}", e.getMessage());
            return List.of();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unknown(command.get(1), "interrupted");
        }
    }

    private static int[] numbers(String user, String what) {
        return Arrays.stream(asked(user, "id", what, "--", user).split("\\s+"))
                .mapToInt(Integer::parseUnsignedInt)
                .toArray();
    }

    private static String asked(String user, String... command) {
        try {
            Process id =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String text =
                    new String(id.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                            .strip();
            if (!id.waitFor(ID_SECONDS_MAX, TimeUnit.SECONDS)) {
                id.destroyForcibly();
                throw unknown(user, "the " + command[0] + " command does not answer");
            }
            if (id.exitValue() != 0 || text.isEmpty()) {
                throw unknown(user, "no " + user + " among the accounts of the metaserver's host");
            }
            return text;
        } catch (IOException e) {
            log.warn("cannot run the {} command: {}", command[0], e.getMessage());
            throw unknown(
                    user,
                    "the " + command[0] + " command cannot be run; list users under [accounts]");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unknown(user, "interrupted");
        }
    }

    private static FarmException unknown(String user, String why) {
        return new FarmException(ErrorKind.ACCESS_DENIED, "user", user, why);
    }
}

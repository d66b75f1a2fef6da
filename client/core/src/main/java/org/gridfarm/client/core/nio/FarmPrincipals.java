package org.gridfarm.client.core.nio;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.HashMap;
import java.util.Map;

/**
 * Users and groups. The farm keeps their numbers; names are those of this host's files, as with
 * {@code gf ls}, and a number without a name is its own name.
 */
public final class FarmPrincipals extends UserPrincipalLookupService {
    private static final Logger log = LoggerFactory.getLogger(FarmPrincipals.class);

    private static final Map<Integer, String> USERS = names("/etc/passwd");
    private static final Map<Integer, String> GROUPS = names("/etc/group");

    private record User(int id) implements UserPrincipal {
        @Override
        public String getName() {
            return name(USERS, id);
        }

        @Override
        public String toString() {
            return getName();
        }
    }

    private record Group(int id) implements GroupPrincipal {
        @Override
        public String getName() {
            return name(GROUPS, id);
        }

        @Override
        public String toString() {
            return getName();
        }
    }

    /** The number as text where this host has no name for it. */
    public static String userName(int uid) {
        return name(USERS, uid);
    }

    /** As {@link #userName}. */
    public static String groupName(int gid) {
        return name(GROUPS, gid);
    }

    /**
     * @param name or number; UserPrincipalNotFoundException where it is neither
     */
    public static int uid(String name) throws IOException {
        return number(USERS, name);
    }

    /** As {@link #uid(String)}. */
    public static int gid(String name) throws IOException {
        return number(GROUPS, name);
    }

    static UserPrincipal user(int uid) {
        return new User(uid);
    }

    static GroupPrincipal group(int gid) {
        return new Group(gid);
    }

    static int uid(UserPrincipal user) {
        if (user instanceof User own) {
            return own.id;
        }
        throw new ProviderMismatchException(user + " was not looked up in the farm");
    }

    static int gid(GroupPrincipal group) {
        if (group instanceof Group own) {
            return own.id;
        }
        throw new ProviderMismatchException(group + " was not looked up in the farm");
    }

    /**
     * @param name or number
     */
    @Override
    public UserPrincipal lookupPrincipalByName(String name) throws IOException {
        return new User(number(USERS, name));
    }

    /**
     * @param name or number
     */
    @Override
    public GroupPrincipal lookupPrincipalByGroupName(String name) throws IOException {
        return new Group(number(GROUPS, name));
    }

    private static String name(Map<Integer, String> names, int id) {
        return names.getOrDefault(id, Integer.toUnsignedString(id));
    }

    private static int number(Map<Integer, String> names, String name) throws IOException {
        for (Map.Entry<Integer, String> one : names.entrySet()) {
            if (one.getValue().equals(name)) {
                return one.getKey();
            }
        }
        try {
            return Integer.parseUnsignedInt(name);
        } catch (NumberFormatException e) {
            UserPrincipalNotFoundException unknown = new UserPrincipalNotFoundException(name);
            unknown.initCause(e);
            throw unknown;
        }
    }

    private static Map<Integer, String> names(String file) {
        Map<Integer, String> names = new HashMap<>();
        try {
            for (String line : Files.readAllLines(Path.of(file))) {
                String[] fields = line.split(":");
                if (fields.length > 2 && fields[2].matches("[0-9]{1,9}")) {
                    names.putIfAbsent(Integer.valueOf(fields[2]), fields[0]);
                }
            }
        } catch (IOException e) {
            log.debug("numbers stand for names, {} cannot be read", file, e);
        }
        return names;
    }
}

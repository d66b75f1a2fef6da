package org.gridfarm.protocol.auth;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a bearer token lets its holder do, and below which paths: the {@code storage.} scopes of the
 * WLCG token profile, as {@code storage.read:/data storage.modify:/data/out}. They narrow what the
 * account may do and never widen it. Paths are lists of names, so that {@code /data} does not cover
 * {@code /database}. Immutable; in one order, so that equal scopes are equal.
 */
public record Scopes(List<Scope> all) {
    private static final int SCOPES_MAX = 64;
    private static final int PATH_CHARS_MAX = 4096;
    private static final String PREFIX = "storage.";

    /** What is allowed at a path and below it. */
    public enum Right {
        /** Contents, listings and extended attributes. */
        READ,
        /** New files and directories, and what is written into a new file while it is open. */
        CREATE,
        /** Any change; CREATE among it. */
        MODIFY;

        public boolean covers(Right wanted) {
            return this == wanted || (this == MODIFY && wanted == CREATE);
        }
    }

    /**
     * @param path names from the root on; none: the root
     */
    public record Scope(Right right, List<String> path) {
        public Scope {
            path = List.copyOf(path);
        }

        @Override
        public String toString() {
            return PREFIX
                    + right.name().toLowerCase(java.util.Locale.ROOT)
                    + ":/"
                    + String.join("/", path);
        }
    }

    public Scopes {
        all =
                all.stream()
                        .distinct()
                        .sorted(Comparator.comparing(Scope::toString))
                        .collect(Collectors.toUnmodifiableList());
    }

    /**
     * Reads the claim {@code scope}. Words that are not about storage are for others. A path is
     * what the issuer's base lies before.
     *
     * @param base names of the directory that the issuer's {@code /} is
     * @throws FarmException NOT_AUTHENTICATED where a path is not one, or nothing is about storage
     */
    public static Scopes parse(String claim, List<String> base) {
        List<Scope> scopes = new ArrayList<>();
        for (String word : claim.split(" ", -1)) {
            if (!word.startsWith(PREFIX)) continue;
            int colon = word.indexOf(':');
            if (colon < 0) throw refused("a storage scope without a path");
            Right right =
                    switch (word.substring(PREFIX.length(), colon)) {
                        case "read", "stage" -> Right.READ; // staging is for tapes, and reads
                        case "create" -> Right.CREATE;
                        case "modify" -> Right.MODIFY;
                        default -> throw refused("an unknown storage scope");
                    };
            List<String> path = new ArrayList<>(base);
            path.addAll(names(word.substring(colon + 1)));
            scopes.add(new Scope(right, path));
            if (scopes.size() > SCOPES_MAX) throw refused("more than " + SCOPES_MAX + " scopes");
        }
        if (scopes.isEmpty()) throw refused("it has no storage scope");
        return new Scopes(scopes);
    }

    /** The names of a path in a scope; NOT_AUTHENTICATED where it could be meant otherwise. */
    public static List<String> names(String path) {
        boolean plain =
                path.startsWith("/")
                        && path.length() <= PATH_CHARS_MAX
                        && path.chars().noneMatch(c -> c == '%' || Character.isISOControl(c));
        List<String> names =
                Arrays.stream(path.split("/", -1)).filter(name -> !name.isEmpty()).toList();
        if (!plain || names.contains(".") || names.contains("..")) {
            throw refused("a scope's path is not absolute, or has '%', '.' or '..' in it");
        }
        return names;
    }

    private static FarmException refused(String why) {
        return new FarmException(ErrorKind.NOT_AUTHENTICATED, "log in", "token", why);
    }

    @Override
    public String toString() {
        return all.stream().map(Scope::toString).collect(Collectors.joining(" "));
    }
}

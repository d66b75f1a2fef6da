package org.gridfarm.client.cli.operand;

import org.gridfarm.client.cli.run.Mounted;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Words of a command line that name files. A path in the farm is {@code /a}, {@code gf:/a}, {@code
 * gf:///a}, {@code gfarm:///a}, or the path of a file below a mount of a farm on this host, also a
 * relative one.
 *
 * @param mounted where farms are mounted here
 */
public record Operands(Mounted mounted) {
    private static final List<String> SCHEMES = List.of("gf:", "gfarm:");
    private static final String LOCAL = "file:";

    public static Operands here() {
        return new Operands(Mounted.here());
    }

    /** The path that a word means. */
    public FarmPath path(String word) {
        Optional<String> marked = marked(word);
        if (marked.isPresent()) {
            return FarmPath.of(marked.get());
        }
        if (!word.startsWith("/")) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    "path",
                    word,
                    "a path in the farm begins with '/', or lies below a mount of the farm");
        }
        return FarmPath.of(word);
    }

    /**
     * The paths that words mean, where patterns stand for what they match. A word that is a path
     * that exists stands for that; NOT_FOUND where a pattern matches nothing.
     */
    public List<FarmPath> paths(Gridfarm farm, List<String> words) {
        List<FarmPath> paths = new ArrayList<>();
        for (String word : words) {
            paths.addAll(paths(farm, word));
        }
        return paths;
    }

    public List<FarmPath> paths(Gridfarm farm, String word) {
        FarmPath plain = path(word);
        if (!isPattern(word) || isThere(farm, plain)) {
            return List.of(plain);
        }
        List<FarmPath> matched = farm.glob(plain.toString());
        if (matched.isEmpty()) {
            throw new FarmException(ErrorKind.NOT_FOUND, "match", word, "nothing matches");
        }
        return matched;
    }

    private static boolean isThere(Gridfarm farm, FarmPath path) {
        try {
            return farm.statLink(path).inode() != 0;
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND || e.kind() == ErrorKind.NOT_A_DIRECTORY) {
                return false;
            }
            throw e;
        }
    }

    /** A plain path may be one on this host; one with a scheme or below a mount is not. */
    public boolean isMarked(String word) {
        return marked(word).isPresent();
    }

    public static boolean isMarkedLocal(String word) {
        return word.startsWith(LOCAL);
    }

    /** A path on this host, {@code file:} or not. */
    public static Path local(String word) {
        return LocalPath.of(isMarkedLocal(word) ? word.substring(LOCAL.length()) : word);
    }

    private Optional<String> marked(String word) {
        for (String scheme : SCHEMES) {
            if (word.startsWith(scheme)) {
                return Optional.of(pathOfUrl(word, word.substring(scheme.length())));
            }
        }
        return mounted.inFarm(word);
    }

    private static String pathOfUrl(String url, String rest) {
        if (rest.startsWith("//") && !rest.startsWith("///")) {
            int slash = rest.indexOf('/', 2);
            String host = rest.substring(2, slash < 0 ? rest.length() : slash);
            if (!host.isEmpty()) {
                throw new FarmException(
                        ErrorKind.INVALID,
                        "path",
                        url,
                        "the configuration says which farm is meant: leave out " + host);
            }
            return "/";
        }
        if (!rest.startsWith("/")) {
            throw new FarmException(
                    ErrorKind.INVALID, "path", url, "after the scheme comes '/': gf:/" + rest);
        }
        return rest;
    }

    static boolean isPattern(String word) {
        return word.chars().anyMatch(c -> c == '*' || c == '?' || c == '[');
    }
}

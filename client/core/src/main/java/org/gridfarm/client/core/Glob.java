package org.gridfarm.client.core;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Expands shell patterns over the farm, directory by directory. A wildcard does not match a leading
 * dot.
 */
final class Glob {
    private final Gridfarm farm;

    Glob(Gridfarm farm) {
        this.farm = farm;
    }

    List<FarmPath> expand(String pattern) {
        String plain = pattern.startsWith("gf:") ? pattern.substring(3) : pattern;
        if (!plain.startsWith("/")) {
            throw new FarmException(
                    ErrorKind.INVALID, "expand", pattern, "a path in the farm begins with '/'");
        }
        TreeSet<String> found = new TreeSet<>();
        for (String alternative : braces(plain)) {
            match(FarmPath.ROOT, List.of(alternative.substring(1).split("/+")), 0, found);
        }
        return found.stream().map(FarmPath::of).toList();
    }

    /**
     * {@code a{b,c}d} is {@code abd} and {@code acd}; the innermost braces first do for nested
     * ones.
     */
    private static List<String> braces(String pattern) {
        int close = pattern.indexOf('}');
        int open = close < 0 ? -1 : pattern.lastIndexOf('{', close);
        if (open < 0) {
            return List.of(pattern);
        }
        List<String> all = new ArrayList<>();
        for (String choice : pattern.substring(open + 1, close).split(",", -1)) {
            all.addAll(braces(pattern.substring(0, open) + choice + pattern.substring(close + 1)));
        }
        return all;
    }

    private void match(FarmPath directory, List<String> parts, int next, TreeSet<String> found) {
        if (next == parts.size()) {
            found.add(directory.toString());
            return;
        }
        String part = parts.get(next);
        boolean last = next == parts.size() - 1;
        if (part.isEmpty()) {
            match(directory, parts, next + 1, found);
        } else if (part.equals("**")) {
            match(directory, parts, next + 1, found);
            subdirectories(directory).forEach(below -> match(below, parts, next, found));
        } else if (!isPattern(part)) {
            FarmPath path = directory.child(part);
            if (farm.exists(path)) {
                match(path, parts, next + 1, found);
            }
        } else {
            Pattern matcher = GlobPattern.glob(part);
            entries(directory).stream()
                    .filter(entry -> last || entry.isDirectory() || entry.isSymbolicLink())
                    .filter(entry -> matches(matcher, part, entry.path().last().toString()))
                    .forEach(entry -> match(entry.path(), parts, next + 1, found));
        }
    }

    private static boolean matches(Pattern matcher, String part, String name) {
        return (part.startsWith(".") || !name.startsWith(".")) && matcher.matcher(name).matches();
    }

    private List<FarmPath> subdirectories(FarmPath directory) {
        return entries(directory).stream()
                .filter(FileInfo::isDirectory)
                .map(FileInfo::path)
                .toList();
    }

    private List<FileInfo> entries(FarmPath directory) {
        try {
            return farm.list(directory).toList();
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_A_DIRECTORY || e.kind() == ErrorKind.NOT_FOUND) {
                return List.of();
            }
            throw e;
        }
    }

    private static boolean isPattern(String part) {
        return part.chars().anyMatch(c -> c == '*' || c == '?' || c == '[' || c == '\\');
    }
}

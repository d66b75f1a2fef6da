package org.gridfarm.test.tidy;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * One written file.
 *
 * @param path from the root of the checkout, with slashes
 */
record Text(String path, String content) {
    private static final Pattern NO_CODE = Pattern.compile("$|//|/\\*|\\*|import ");

    boolean isJava() {
        return path.endsWith(".java");
    }

    /** Java that ships, as opposed to tests. */
    boolean isMainJava() {
        return isJava() && path.contains("src/main/java/");
    }

    /** Lines that are neither empty nor a comment nor an import. */
    long linesOfCode() {
        return content.lines()
                .map(String::strip)
                .filter(line -> !NO_CODE.matcher(line).lookingAt())
                .count();
    }

    /** Where the pattern occurs, as {@code path:line: what}, ready to be clicked on. */
    List<String> occurrences(Pattern pattern) {
        List<String> lines = content.lines().toList();
        return IntStream.range(0, lines.size())
                .filter(i -> pattern.matcher(lines.get(i)).find())
                .mapToObj(i -> path + ":" + (i + 1) + ": " + lines.get(i).strip())
                .toList();
    }
}

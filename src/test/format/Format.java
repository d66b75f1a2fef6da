import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.JavaFormatterOptions.Style;
import com.google.googlejavaformat.java.RemoveUnusedImports;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Checks, or with {@code apply} mends, the layout of every Java source of the repository. Run by
 * the build on the JDK that compiles, since the formatter needs a newer one than Maven may run on.
 */
final class Format {
    private static final Set<String> SKIPPED_FOLDERS = Set.of("target", ".git");

    private static final int PASSES_MAX = 4;

    private static final Formatter FORMATTER =
            new Formatter(JavaFormatterOptions.builder().style(Style.AOSP).build());

    public static void main(String[] args) throws IOException {
        boolean apply = args[0].equals("apply");
        Path root = Path.of(args[1]);
        List<Path> astray =
                sources(root).parallelStream()
                        .filter(file -> isAstray(file, apply))
                        .sorted()
                        .toList();
        if (astray.isEmpty()) {
            return;
        }
        String verdict = apply ? "formatted" : "not formatted";
        astray.forEach(file -> System.err.println(verdict + ": " + root.relativize(file)));
        if (!apply) {
            System.err.println("mend with: mvn -q -N verify -Dgf.format=apply");
            System.exit(1);
        }
    }

    private static List<Path> sources(Path root) throws IOException {
        try (Stream<Path> files =
                Files.find(root, 64, (path, attributes) -> isSource(root, path))) {
            return files.toList();
        }
    }

    private static boolean isSource(Path root, Path path) {
        if (!path.toString().endsWith(".java")) {
            return false;
        }
        for (Path part : root.relativize(path)) {
            if (SKIPPED_FOLDERS.contains(part.toString())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAstray(Path file, boolean apply) {
        try {
            String before = Files.readString(file);
            String after = format(before);
            if (before.equals(after)) {
                return false;
            }
            if (apply) {
                // One pass may leave what the next would still change: where it moves a comment,
                // say.
                for (int pass = 1; pass < PASSES_MAX; pass++) {
                    after = format(after);
                }
                Files.writeString(file, after);
            }
            return true;
        } catch (FormatterException e) {
            throw new IllegalStateException(file + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String format(String source) throws FormatterException {
        String imports = RemoveUnusedImports.removeUnusedImports(source);
        return FORMATTER.formatSource(ImportOrderer.reorderImports(imports, Style.AOSP));
    }
}

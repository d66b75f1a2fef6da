package org.gridfarm.test.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The repository these tests were built from. */
public final class Checkout {
    private static final Set<String> MADE =
            Set.of("target", ".git", ".idea", ".vscode", ".settings");
    private static final Set<String> TEXT =
            Set.of(
                    "java",
                    "xml",
                    "md",
                    "proto",
                    "sql",
                    "sh",
                    "toml",
                    "service",
                    "properties",
                    "yml",
                    "yaml",
                    "json",
                    "html");

    private Checkout() {}

    /** The folder that holds {@code ./gf}. */
    public static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null
                && !(Files.exists(folder.resolve("gf"))
                        && Files.exists(folder.resolve("pom.xml")))) {
            folder = folder.getParent();
        }
        if (folder == null) {
            throw new IllegalStateException("no checkout above " + Path.of("").toAbsolutePath());
        }
        return folder;
    }

    /** Every file that somebody wrote, as opposed to what the build made of it. */
    static List<Text> texts() {
        Path root = root();
        List<Text> texts = new ArrayList<>();
        try {
            Files.walkFileTree(
                    root,
                    new SimpleFileVisitor<>() {
                        @Override
                        public FileVisitResult preVisitDirectory(
                                Path folder, BasicFileAttributes attributes) {
                            return MADE.contains(folder.getFileName().toString())
                                    ? FileVisitResult.SKIP_SUBTREE
                                    : FileVisitResult.CONTINUE;
                        }

                        @Override
                        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                                throws IOException {
                            if (attributes.isRegularFile() && isText(file)) {
                                texts.add(
                                        new Text(
                                                root.relativize(file).toString(),
                                                Files.readString(file, StandardCharsets.UTF_8)));
                            }
                            return FileVisitResult.CONTINUE;
                        }
                    });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return texts;
    }

    private static boolean isText(Path file) throws IOException {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        if (dot >= 0) {
            return TEXT.contains(name.substring(dot + 1));
        }
        // Scripts bear no ending here.
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(2), StandardCharsets.ISO_8859_1).equals("#!");
        }
    }
}

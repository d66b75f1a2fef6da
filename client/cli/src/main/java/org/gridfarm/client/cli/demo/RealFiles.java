package org.gridfarm.client.cli.demo;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Files at hand on any machine with a JDK, or the user's own. */
final class RealFiles {
    static final int FILES_MAX = 120;
    private static final String SOURCES_IN_ZIP = "java.base/java/";

    private RealFiles() {}

    /**
     * The largest files below the user's directory, or the largest sources of the JDK, unpacked
     * into {@code scratch}.
     */
    static List<Path> gather(@Nullable Path input, Path scratch) throws IOException {
        if (input != null) {
            if (!Files.isDirectory(input)) {
                throw new FarmException(
                        ErrorKind.NOT_A_DIRECTORY,
                        "demo",
                        input.toString(),
                        "--input needs a directory");
            }
            return largest(input);
        }
        Path sources = Path.of(System.getProperty("java.home"), "lib", "src.zip");
        if (Files.exists(sources)) {
            return unpack(sources, scratch);
        }
        return largest(Path.of(System.getProperty("java.home"), "legal"));
    }

    private static List<Path> largest(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            List<Path> found =
                    all.filter(Files::isRegularFile)
                            .filter(Files::isReadable)
                            .sorted(Comparator.comparingLong(RealFiles::size).reversed())
                            .limit(FILES_MAX)
                            .toList();
            if (found.isEmpty()) {
                throw new FarmException(
                        ErrorKind.NOT_FOUND,
                        "demo",
                        directory.toString(),
                        "holds no readable file");
            }
            return found;
        }
    }

    private static List<Path> unpack(Path zip, Path scratch) throws IOException {
        List<Path> files = new ArrayList<>();
        try (ZipFile sources = new ZipFile(zip.toFile())) {
            List<? extends ZipEntry> entries =
                    sources.stream()
                            .filter(e ->
                                    !e.isDirectory()
                                            && e.getName().startsWith(SOURCES_IN_ZIP)
                                            && e.getName().endsWith(".java"))
                            .sorted(Comparator.comparingLong(ZipEntry::getSize).reversed())
                            .limit(FILES_MAX)
                            .toList();
            for (ZipEntry entry : entries) {
                Path file =
                        scratch.resolve(
                                entry.getName()
                                        .substring(SOURCES_IN_ZIP.length())
                                        .replace('/', '.'));
                try (InputStream in = sources.getInputStream(entry)) {
                    Files.copy(in, file);
                }
                files.add(file);
            }
        }
        return files;
    }

    static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static String sha256(InputStream in) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[64 << 10];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}

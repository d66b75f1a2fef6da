package org.gridfarm.protocol.name;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * Paths of this machine from and to their bytes, whatever the locale says: the JDK writes and reads
 * a path as text in the locale's charset and loses what that does not hold, but a {@link Path}
 * itself holds bytes, and a file's URI tells and takes each of them. Text is in the form of {@link
 * NameText}.
 */
public final class LocalPath {
    private static final Path ROOT = Path.of("/");
    private static final HexFormat HEX = HexFormat.of();

    private LocalPath() {}

    public static Path of(String text) {
        if (isPlain(text)) {
            return Path.of(text);
        }
        Path path = absolute(NameText.bytes(text.startsWith("/") ? text : "/" + text));
        if (text.startsWith("/")) {
            return path;
        }
        Path relative =
                path.getNameCount() == 0 ? Path.of("") : path.subpath(0, path.getNameCount());
        return isHereKnown() ? relative : here().resolve(relative);
    }

    public static Path child(Path directory, Name name) {
        String text = name.toString();
        return directory.resolve(
                NameText.isAscii(text)
                        ? Path.of(text)
                        : absolute(NameText.bytes("/" + text)).getFileName());
    }

    public static String text(Path path) {
        String text = path.toString();
        return NameText.isAscii(text) ? text : NameText.of(bytes(path));
    }

    /** Of the last component. */
    public static Name name(Path path) {
        Path last = path.getFileName();
        return Name.of(text(last == null ? path : last));
    }

    private static byte[] bytes(Path path) {
        String uri = ROOT.resolve(path).toUri().getRawPath();
        int begin = path.isAbsolute() ? 0 : 1;
        // Where it is a directory just now a slash was added.
        int end = uri.length() > 1 && uri.endsWith("/") ? uri.length() - 1 : uri.length();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(end);
        for (int i = begin; i < end; i++) {
            if (uri.charAt(i) == '%') {
                bytes.write(Integer.parseInt(uri.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                bytes.write(uri.charAt(i));
            }
        }
        return bytes.toByteArray();
    }

    private static Path absolute(byte[] bytes) {
        StringBuilder uri = new StringBuilder("file://");
        byte before = 0;
        for (byte b : bytes) {
            if (b == '/' && before != '/') {
                uri.append('/');
            } else if (b != '/') {
                uri.append('%').append(HEX.toHexDigits(b));
            }
            before = b;
        }
        return Path.of(URI.create(uri.toString()));
    }

    private static boolean isPlain(String text) {
        return NameText.isAscii(text) && (text.startsWith("/") || isHereKnown());
    }

    /** False where the JDK lost bytes of the working directory: its relative paths lead nowhere. */
    private static boolean isHereKnown() {
        return System.getProperty("user.dir", "").indexOf('\uFFFD') < 0;
    }

    private static Path here() {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/cwd"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The arguments of this process as they were given, where they are the last words of its
     * command line: the JDK reads them in the locale's charset.
     */
    public static String[] arguments(String[] arguments) {
        boolean plain = true;
        for (String argument : arguments) {
            plain &= NameText.isAscii(argument);
        }
        return plain ? arguments : given(arguments);
    }

    private static String[] given(String[] arguments) {
        byte[] line;
        try {
            line = Files.readAllBytes(Path.of("/proc/self/cmdline"));
        } catch (IOException e) {
            return arguments; // no Linux: as the JDK reads them
        }
        String[] words = new String(line, StandardCharsets.ISO_8859_1).split("\0", -1);
        String[] given = arguments.clone();
        int before = words.length - 1 - arguments.length; // the last one ends, too
        for (int i = 0; before >= 0 && i < arguments.length; i++) {
            byte[] word = words[before + i].getBytes(StandardCharsets.ISO_8859_1);
            given[i] = NameText.of(word);
            if (NameText.isAscii(arguments[i]) && !given[i].equals(arguments[i])) {
                return arguments; // another program's command line
            }
        }
        return given;
    }
}

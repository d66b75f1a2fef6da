package org.gridfarm.storagenode.disk;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Properties;
import java.util.Set;

/**
 * {@code version} in a data directory: {@code format=N}, {@code farm=HEX} once a metaserver has
 * said which farm it is, and {@code modes=owner} once no file below is open to other accounts. A
 * program refuses a format newer than its own and the replicas of another farm, in a sentence.
 */
final class VersionFile {
    static final int FORMAT = 1;

    private static final String NAME = "version";
    private static final String MODES = "modes";
    private static final String OWNER = "owner";

    private static final Set<StandardOpenOption> NEW =
            Set.of(
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE);

    private VersionFile() {}

    /** Writes the file into a new directory; refuses a newer format. */
    static void check(Path root, DiskCalls calls) throws IOException {
        if (!Files.exists(root.resolve(NAME))) {
            if (Files.isDirectory(root.resolve("objects"))) {
                throw refusal(root, "it has objects but no file named version");
            }
            Properties fresh = new Properties();
            fresh.setProperty("format", Integer.toString(FORMAT));
            fresh.setProperty(MODES, OWNER);
            write(root, calls, fresh);
            return;
        }
        String format = read(root).getProperty("format", "");
        if (!format.matches("[0-9]{1,9}")) {
            throw refusal(root, "its version file names no format");
        }
        if (Integer.parseInt(format) > FORMAT) {
            throw refusal(
                    root,
                    "its format is "
                            + format
                            + ", this program knows up to "
                            + FORMAT
                            + ": use a newer Gridfarm");
        }
    }

    static boolean isClosed(Path root) throws IOException {
        return OWNER.equals(read(root).getProperty(MODES));
    }

    static synchronized void markClosed(Path root, DiskCalls calls) throws IOException {
        Properties properties = read(root);
        properties.setProperty(MODES, OWNER);
        write(root, calls, properties);
    }

    static synchronized void bind(Path root, DiskCalls calls, long instance) throws IOException {
        Properties properties = read(root);
        String mine = Long.toHexString(instance);
        String theirs = properties.getProperty("farm");
        if (theirs == null) {
            properties.setProperty("farm", mine);
            write(root, calls, properties);
        } else if (!theirs.equals(mine)) {
            throw refusal(
                    root,
                    "it holds replicas of farm "
                            + theirs
                            + ", but the metaserver's farm is "
                            + mine);
        }
    }

    private static FarmException refusal(Path root, String why) {
        return new FarmException(
                ErrorKind.BAD_CONFIGURATION, "open data directory", root.toString(), why);
    }

    private static Properties read(Path root) throws IOException {
        Properties properties = new Properties();
        try (var in = Files.newBufferedReader(root.resolve(NAME))) {
            properties.load(in);
        } catch (IllegalArgumentException e) {
            throw refusal(root, "its version file is damaged");
        }
        return properties;
    }

    private static void write(Path root, DiskCalls calls, Properties properties)
            throws IOException {
        Path fresh = root.resolve(NAME + ".new");
        StringBuilder text = new StringBuilder("# Gridfarm data directory\n");
        properties.stringPropertyNames().stream()
                .sorted()
                .forEach(key ->
                        text.append(key)
                                .append('=')
                                .append(properties.getProperty(key))
                                .append('\n'));
        try (FileChannel channel = OwnerOnly.open(fresh, NEW)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            calls.force(channel);
        }
        Files.move(fresh, root.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
        calls.forceDirectory(root);
    }
}

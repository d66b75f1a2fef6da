package org.gridfarm.protocol.auth.x509;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Files that hold keys: written whole with mode 600, read only when nobody else can read them. */
public final class SecretFile {
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OTHERS =
            EnumSet.complementOf(
                    EnumSet.of(
                            PosixFilePermission.OWNER_READ,
                            PosixFilePermission.OWNER_WRITE,
                            PosixFilePermission.OWNER_EXECUTE));
    private static final long BYTES_MAX = 1 << 20;

    private SecretFile() {}

    /** Replaces the file at once; a reader sees the old text or the new one. */
    public static void write(Path file, String text) {
        Path directory = file.toAbsolutePath().getParent();
        try {
            Path part =
                    Files.createTempFile(
                            directory,
                            "." + file.getFileName(),
                            ".part",
                            PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            try {
                try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
                    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                    while (bytes.hasRemaining()) {
                        channel.write(bytes);
                    }
                    channel.force(true);
                }
                Files.move(
                        part,
                        file,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(part);
            }
        } catch (IOException e) {
            throw failed("write key file", file, e);
        }
    }

    /** The text of a key file; refused when its group or others may touch it. */
    public static String read(Path file) {
        try {
            Set<PosixFilePermission> modes = Files.getPosixFilePermissions(file);
            if (modes.stream().anyMatch(OTHERS::contains)) {
                throw new FarmException(
                        ErrorKind.NOT_PERMITTED,
                        "read key file",
                        file.toString(),
                        "others may touch it (%s): chmod 600 it"
                                .formatted(PosixFilePermissions.toString(modes)));
            }
            return text(file);
        } catch (IOException e) {
            throw failed("read key file", file, e);
        }
    }

    /** The text of a file that everybody may read, such as a certificate. */
    public static String readPublic(Path file) {
        try {
            return text(file);
        } catch (IOException e) {
            throw failed("read", file, e);
        }
    }

    private static String text(Path file) throws IOException {
        if (Files.size(file) > BYTES_MAX || !Files.isRegularFile(file, new LinkOption[0])) {
            throw new IOException("not a regular file of at most " + BYTES_MAX + " bytes");
        }
        return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    }

    private static FarmException failed(String operation, Path file, IOException cause) {
        ErrorKind kind = ErrorKind.DISK_FAILED;
        String detail = String.valueOf(cause.getMessage());
        if (cause instanceof NoSuchFileException) {
            kind = ErrorKind.NOT_FOUND;
            detail = "no such file";
        } else if (cause instanceof AccessDeniedException) {
            kind = ErrorKind.ACCESS_DENIED;
            detail = "not for user " + System.getProperty("user.name");
        }
        return new FarmException(kind, operation, file.toString(), detail, cause);
    }
}

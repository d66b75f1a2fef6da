package org.gridfarm.storagenode.disk;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.Set;

/**
 * Modes in a data directory: 0700 and 0600, whatever the umask. Tasks run as other accounts on the
 * same host, and a replica that they can open is one they need no ticket for.
 */
public final class OwnerOnly {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerOnly.class);
    private static final Set<PosixFilePermission> DIRECTORY_MODE =
            PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE_MODE =
            PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OTHERS =
            EnumSet.complementOf(
                    EnumSet.of(
                            PosixFilePermission.OWNER_READ,
                            PosixFilePermission.OWNER_WRITE,
                            PosixFilePermission.OWNER_EXECUTE));

    private OwnerOnly() {}

    private static FileAttribute<?> directoryMode() {
        return PosixFilePermissions.asFileAttribute(DIRECTORY_MODE);
    }

    private static FileAttribute<?> fileMode() {
        return PosixFilePermissions.asFileAttribute(FILE_MODE);
    }

    /** A file that must not be there yet. */
    public static void createFile(Path file) throws IOException {
        Files.createFile(file, fileMode());
    }

    /** Where the options make a file, it is the owner's alone. */
    public static FileChannel open(Path file, Set<? extends OpenOption> how) throws IOException {
        return FileChannel.open(file, how, fileMode());
    }

    /** Made if need be; what lies above it has the modes of its own. */
    public static void makeDirectory(Path directory) throws IOException {
        if (Files.isDirectory(directory)) {
            return;
        }
        Path above = directory.toAbsolutePath().getParent();
        if (above != null) {
            Files.createDirectories(above);
        }
        try {
            Files.createDirectory(directory, directoryMode());
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory)) {
                throw e;
            }
        }
    }

    /** Nobody else gets into the directory afterwards; a line in the log where somebody could. */
    static void closeDirectory(Path directory, UserPrincipal owner) throws IOException {
        Set<PosixFilePermission> before = Files.getPosixFilePermissions(directory);
        if (close(directory, DIRECTORY_MODE, owner)) {
            LOG.warn(
                    "{} was open to other accounts ({}): now it is to {} alone",
                    directory,
                    PosixFilePermissions.toString(before),
                    owner.getName());
        }
    }

    /** True where something had to be changed. */
    private static boolean close(Path path, Set<PosixFilePermission> mode, UserPrincipal owner)
            throws IOException {
        boolean changed = false;
        try {
            if (!Files.getOwner(path).equals(owner)) {
                Files.setOwner(path, owner);
                changed = true;
            }
            if (isOpenToOthers(path)) {
                Files.setPosixFilePermissions(path, mode);
                changed = true;
            }
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw refusal(path, owner, e.toString());
        }
        if (changed && isOpenToOthers(path)) {
            throw refusal(path, owner, "its file system keeps no modes");
        }
        return changed;
    }

    private static boolean isOpenToOthers(Path path) throws IOException {
        return Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
    }

    private static FarmException refusal(Path path, UserPrincipal owner, String why) {
        String name = owner.getName();
        return new FarmException(
                ErrorKind.BAD_CONFIGURATION,
                "open data directory",
                path.toString(),
                "other accounts can look into it: chown %s it and chmod 700 it (%s)"
                        .formatted(name, why));
    }

    /**
     * All below the directory, of a farm that was made when nothing had modes. Nobody else gets
     * that far any more; this is for the day when the tree is moved, or its root opened by mistake.
     *
     * @return false: it was interrupted
     */
    static boolean closeTree(Path root, UserPrincipal owner) throws IOException {
        boolean[] whole = {true};
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path at, BasicFileAttributes seen)
                            throws IOException {
                        return visit(at, DIRECTORY_MODE);
                    }

                    @Override
                    public FileVisitResult visitFile(Path at, BasicFileAttributes seen)
                            throws IOException {
                        return seen.isRegularFile()
                                ? visit(at, FILE_MODE)
                                : FileVisitResult.CONTINUE; // chmod would follow a link
                    }

                    private FileVisitResult visit(Path at, Set<PosixFilePermission> mode)
                            throws IOException {
                        if (Thread.currentThread().isInterrupted()) {
                            whole[0] = false;
                            return FileVisitResult.TERMINATE;
                        }
                        try {
                            close(at, mode, owner);
                        } catch (NoSuchFileException e) {
                            LOG.trace("{} is gone", at); // removed, or renamed, meanwhile
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path at, IOException e)
                            throws IOException {
                        if (e instanceof NoSuchFileException) {
                            return FileVisitResult.CONTINUE;
                        }
                        throw e;
                    }
                });
        return whole[0];
    }
}

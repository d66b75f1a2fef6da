package org.gridfarm.client.core;

import org.gridfarm.protocol.error.DiskTrouble;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * Copies files and trees between the farm and the local file system. Symbolic links below what is
 * copied are copied as links.
 */
final class LocalCopy {
    private static final OpenOption[] AS_NAMED = {
        StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE
    };
    private static final OpenOption[] BELOW = {
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE,
        LinkOption.NOFOLLOW_LINKS
    };

    private final Gridfarm farm;

    LocalCopy(Gridfarm farm) {
        this.farm = farm;
    }

    long in(Path local, FarmPath target) {
        if (Files.isDirectory(local)) {
            farm.mkdirs(target);
            long sum = 0;
            for (Path entry : children(local)) {
                FarmPath to = target.child(LocalPath.name(entry));
                if (Files.isSymbolicLink(entry)) {
                    farm.symlink(linkOf(entry), to);
                } else {
                    sum += in(entry, to);
                }
            }
            return sum;
        }
        try (InputStream from = Files.newInputStream(local);
                OutputStream to = farm.write(target)) {
            return from.transferTo(to);
        } catch (IOException e) {
            throw failure(e, "copy", LocalPath.text(local) + " to " + target);
        }
    }

    private static String linkOf(Path link) {
        try {
            return LocalPath.text(Files.readSymbolicLink(link));
        } catch (IOException e) {
            throw failure(e, "read", LocalPath.text(link));
        }
    }

    private static List<Path> children(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.sorted().toList();
        } catch (IOException e) {
            throw failure(e, "list", LocalPath.text(directory));
        }
    }

    long out(FarmPath source, Path local) {
        return out(farm.stat(source).isDirectory(), source, local, AS_NAMED);
    }

    private long out(boolean isDirectory, FarmPath source, Path local, OpenOption[] options) {
        try {
            if (isDirectory) {
                Files.createDirectories(local);
                long sum = 0;
                for (FileInfo entry : farm.list(source).toList()) {
                    sum += below(entry, LocalPath.child(local, entry.path().last()));
                }
                return sum;
            }
            try (InputStream from = farm.read(source);
                    OutputStream to = Files.newOutputStream(local, options)) {
                return from.transferTo(to);
            }
        } catch (IOException e) {
            throw failure(e, "copy", source + " to " + LocalPath.text(local));
        }
    }

    /**
     * What has its name there may be a link that came out of the farm before: whoever made it there
     * does not choose what is written here, so it goes.
     */
    private long below(FileInfo entry, Path to) throws IOException {
        if (Files.isSymbolicLink(to)) {
            Files.delete(to);
        }
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(to, LocalPath.of(farm.readLink(entry.path())));
            return 0;
        }
        return out(entry.isDirectory(), entry.path(), to, BELOW);
    }

    /**
     * A failure of the farm keeps its kind; one of the local file system has none of ours but its
     * own words.
     */
    private static FarmException failure(IOException e, String operation, String subject) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof FarmException farm) {
                return farm.about(operation, subject);
            }
        }
        ErrorKind kind =
                e instanceof java.nio.file.NoSuchFileException
                        ? ErrorKind.NOT_FOUND
                        : e instanceof java.nio.file.AccessDeniedException
                                ? ErrorKind.ACCESS_DENIED
                                : DiskTrouble.kind(e);
        return new FarmException(kind, operation, subject, String.valueOf(e.getMessage()), e);
    }
}

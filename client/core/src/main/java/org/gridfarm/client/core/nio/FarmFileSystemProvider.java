package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.NewMode;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.LocalPath;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Found by {@code java.nio.file} under the scheme {@code gf}. Thread-safe. */
public final class FarmFileSystemProvider extends FileSystemProvider {
    private @Nullable FarmFileSystem open; // guarded by this

    @Override
    public String getScheme() {
        return "gf";
    }

    /**
     * @param env {@code config}: the configuration file (a Path or text); absent: where commands
     *     find it
     */
    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> env) {
        Object config = env.get("config");
        Optional<Path> file =
                config == null ? Optional.empty() : Optional.of(LocalPath.of(config.toString()));
        return newFileSystem(Gridfarm.open(ClientConfig.find(file)));
    }

    /** Over a farm that is open already; closing the file system closes it. */
    public synchronized FileSystem newFileSystem(Gridfarm farm) {
        if (open != null && open.isOpen()) {
            throw new FileSystemAlreadyExistsException("gf:/");
        }
        open = new FarmFileSystem(this, farm);
        return open;
    }

    @Override
    public synchronized FileSystem getFileSystem(URI uri) {
        if (open == null || !open.isOpen()) {
            throw new FileSystemNotFoundException("gf:/ is not open");
        }
        return open;
    }

    @Override
    public synchronized Path getPath(URI uri) {
        if (open == null || !open.isOpen()) {
            newFileSystem(uri, Map.of());
        }
        return getFileSystem(uri).getPath(FarmNioPath.text(uri));
    }

    // ---- contents

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public FileChannel newFileChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        OpenChoice choice = OpenChoice.of(options);
        NewMode mode = InitialMode.of(NewMode.FILE, attributes);
        FarmFile file = opened(own(path), choice, mode);
        return new FarmFileChannel(file, choice, own(path).getFileSystem().locks());
    }

    /** An interrupt of it is told as one of what would have been done with the open file. */
    private static FarmFile opened(FarmNioPath path, OpenChoice choice, NewMode mode)
            throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new ClosedByInterruptException(); // an answer that is there already would not be
            // waited for
        }
        try {
            return call(() -> open(path, choice, mode));
        } catch (InterruptedIOException e) {
            ClosedByInterruptException told = new ClosedByInterruptException();
            told.initCause(e);
            throw told;
        }
    }

    private static FarmFile open(FarmNioPath path, OpenChoice choice, NewMode mode) {
        Gridfarm farm = path.farm();
        FarmPath where = path.farmPath();
        boolean make = choice.create() || choice.createNew();
        FarmFile file =
                make
                        ? farm.create(
                                where, choice.flags(), choice.createNew(), mode, choice.follow())
                        : farm.open(where, choice.flags(), choice.follow());
        if (choice.deleteOnClose()) {
            unlink(farm, file);
        }
        return file;
    }

    /** So that the file is gone also if this process does not get to close it. */
    private static void unlink(Gridfarm farm, FarmFile file) {
        try {
            farm.delete(file.path());
        } catch (FarmException e) {
            try (file) {
                throw e;
            }
        }
    }

    /** Reads ahead in large pieces. */
    @Override
    public InputStream newInputStream(Path path, OpenOption... options) throws IOException {
        Set<OpenOption> wanted = new HashSet<>(Arrays.asList(options));
        wanted.remove(StandardOpenOption.READ);
        return wanted.isEmpty()
                ? call(() -> farm(path).read(farmPath(path)))
                : super.newInputStream(path, options);
    }

    /**
     * Collects what is written and sends it in large pieces, several at once: at the nodes is what
     * was flushed or closed. With SYNC or DSYNC every write is sent and synced by itself.
     */
    @Override
    public OutputStream newOutputStream(Path path, OpenOption... options) throws IOException {
        Set<OpenOption> wanted = new HashSet<>(Arrays.asList(options));
        if (wanted.contains(StandardOpenOption.READ)) {
            throw new IllegalArgumentException("READ of a stream to write");
        }
        if (wanted.isEmpty()) {
            wanted.add(StandardOpenOption.CREATE);
            wanted.add(StandardOpenOption.TRUNCATE_EXISTING);
        }
        wanted.add(StandardOpenOption.WRITE);
        OpenChoice choice = OpenChoice.of(wanted);
        return choice.sync()
                ? Channels.newOutputStream(newByteChannel(path, wanted))
                : opened(own(path), choice, NewMode.FILE).output();
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(
            Path directory, DirectoryStream.Filter<? super Path> filter) throws IOException {
        Stream<FileInfo> entries = call(() -> farm(directory).list(farmPath(directory)));
        return new FarmDirectoryStream(directory, entries, filter);
    }

    // ---- names

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        NewMode mode = InitialMode.of(NewMode.DIRECTORY, attributes);
        run(() -> farm(directory).mkdir(farmPath(directory), mode));
    }

    @Override
    public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes)
            throws IOException {
        if (attributes.length > 0) {
            throw new UnsupportedOperationException(
                    "'" + attributes[0].name() + "' cannot be given when a link is made");
        }
        run(() -> farm(link).symlink(target.toString(), farmPath(link)));
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        run(() -> farm(link).link(farmPath(existing), farmPath(link)));
    }

    @Override
    public Path readSymbolicLink(Path link) throws IOException {
        return call(() -> link.getFileSystem().getPath(farm(link).readLink(farmPath(link))));
    }

    @Override
    public void delete(Path path) throws IOException {
        run(() -> farm(path).delete(farmPath(path)));
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        call(() -> {
            new FarmCopies(own(source), own(target), options).copy();
            return true;
        });
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        call(() -> {
            new FarmCopies(own(source), own(target), options).move();
            return true;
        });
    }

    // ---- attributes

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        if (path.equals(other)) {
            return true;
        }
        return other.getFileSystem().provider() == this
                && call(() ->
                        farm(path).stat(farmPath(path)).inode()
                                == farm(other).stat(farmPath(other)).inode());
    }

    @Override
    public boolean isHidden(Path path) {
        Path name = path.getFileName();
        return name != null && name.toString().startsWith(".");
    }

    @Override
    public FileStore getFileStore(Path path) {
        return new FarmFileStore(farm(path));
    }

    /** By the mode bits of the path itself; the metaserver judges when the file is opened. */
    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        FileInfo info = call(() -> farm(path).stat(farmPath(path)));
        for (AccessMode mode : modes) {
            if (!FarmAttributes.permits(farm(path), info, mode)) {
                throw new AccessDeniedException(path.toString());
            }
        }
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        boolean follow = follows(options);
        if (type == UserDefinedFileAttributeView.class) {
            return type.cast(new FarmUserView(own(path), follow));
        }
        String name =
                type == BasicFileAttributeView.class
                        ? "basic"
                        : type == FileOwnerAttributeView.class
                                ? "owner"
                                : type == PosixFileAttributeView.class ? "posix" : "";
        return name.isEmpty() ? null : type.cast(new FarmAttributeView(name, own(path), follow));
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(
            Path path, Class<A> type, LinkOption... options) throws IOException {
        if (type != BasicFileAttributes.class && type != PosixFileAttributes.class) {
            throw new UnsupportedOperationException(type.getName());
        }
        return type.cast(
                new FarmAttributeView("posix", own(path), follows(options)).readAttributes());
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String names, LinkOption... options)
            throws IOException {
        return NamedAttributes.read(own(path), follows(options), names);
    }

    @Override
    public void setAttribute(Path path, String name, Object value, LinkOption... options)
            throws IOException {
        NamedAttributes.set(own(path), follows(options), name, value);
    }

    private static boolean follows(LinkOption... options) {
        return !Arrays.asList(options).contains(LinkOption.NOFOLLOW_LINKS);
    }

    // ---- between the two worlds

    interface Action<T> {
        T run() throws IOException;
    }

    static <T> T call(Action<T> action) throws IOException {
        try {
            return action.run();
        } catch (FarmException e) {
            throw e.toIoException();
        }
    }

    static void run(Runnable action) throws IOException {
        call(() -> {
            action.run();
            return true;
        });
    }

    private static FarmNioPath own(Path path) {
        if (path instanceof FarmNioPath own) {
            return own;
        }
        throw new ProviderMismatchException(path + " is not a path in the farm");
    }

    private static Gridfarm farm(Path path) {
        return own(path).farm();
    }

    private static FarmPath farmPath(Path path) {
        return own(path).farmPath();
    }
}

package org.gridfarm.client.cli.bench.api;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** {@code java.nio.file}, whichever file system the root is of. */
record NioDoor(String label, Path root) implements Door {
    private record Channel(FileChannel channel) implements Opened {
        @Override
        public void write(long offset, ByteBuffer from) throws IOException {
            for (long at = offset; from.hasRemaining(); ) at += channel.write(from, at);
        }

        @Override
        public void read(long offset, ByteBuffer into) throws IOException {
            for (long at = offset; into.hasRemaining(); ) {
                int got = channel.read(into, at);
                if (got < 0) throw new EOFException("it ends at " + at);
                at += got;
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private Opened opened(String name, OpenOption... options) throws IOException {
        return new Channel(FileChannel.open(root.resolve(name), options));
    }

    @Override
    public void makeDirectory(String name) throws IOException {
        Files.createDirectory(root.resolve(name));
    }

    @Override
    public Opened make(String name) throws IOException {
        return opened(name, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    @Override
    public Opened open(String name) throws IOException {
        return opened(name, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @Override
    public Opened openToRead(String name) throws IOException {
        return opened(name, StandardOpenOption.READ);
    }

    @Override
    public OutputStream output(String name) throws IOException {
        return Files.newOutputStream(root.resolve(name));
    }

    @Override
    public InputStream input(String name) throws IOException {
        return Files.newInputStream(root.resolve(name));
    }

    @Override
    public long list(String directory) throws IOException {
        AtomicLong entries = new AtomicLong();
        Files.walkFileTree(
                root.resolve(directory),
                Set.of(),
                1,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (attributes.size() >= 0) entries.incrementAndGet();
                        return FileVisitResult.CONTINUE;
                    }
                });
        return entries.get();
    }
}

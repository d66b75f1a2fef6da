package org.gridfarm.client.core.nio;

import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** An open file as a channel. Its methods exclude one another. */
final class FarmByteChannel implements SeekableByteChannel {
    private final FarmFile file;
    private final OpenFlags flags;
    private final @Nullable Path deleteAtClose;
    private boolean open = true;

    FarmByteChannel(FarmFile file, OpenFlags flags, @Nullable Path deleteAtClose) {
        this.file = file;
        this.flags = flags;
        this.deleteAtClose = deleteAtClose;
    }

    private void requireOpen() throws ClosedChannelException {
        if (!open) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public synchronized int read(ByteBuffer into) throws IOException {
        requireOpen();
        if (!flags.read()) {
            throw new NonReadableChannelException();
        }
        return into.hasRemaining() ? FarmFileSystemProvider.call(() -> file.read(into)) : 0;
    }

    @Override
    public synchronized int write(ByteBuffer from) throws IOException {
        requireOpen();
        if (!flags.write()) {
            throw new NonWritableChannelException();
        }
        int length = from.remaining();
        FarmFileSystemProvider.run(() -> {
            if (flags.append()) {
                file.append(from);
                file.seek(file.size());
            } else {
                file.write(from);
            }
        });
        return length;
    }

    @Override
    public synchronized long position() throws IOException {
        requireOpen();
        return file.position();
    }

    @Override
    public synchronized SeekableByteChannel position(long position) throws IOException {
        requireOpen();
        if (position < 0) {
            throw new IllegalArgumentException("position " + position);
        }
        file.seek(position);
        return this;
    }

    @Override
    public synchronized long size() throws IOException {
        requireOpen();
        return FarmFileSystemProvider.call(file::size);
    }

    @Override
    public synchronized SeekableByteChannel truncate(long size) throws IOException {
        requireOpen();
        if (!flags.write()) {
            throw new NonWritableChannelException();
        }
        if (size < size()) {
            FarmFileSystemProvider.run(() -> file.truncate(size));
        }
        file.seek(Math.min(file.position(), size));
        return this;
    }

    @Override
    public synchronized boolean isOpen() {
        return open;
    }

    @Override
    public synchronized void close() throws IOException {
        if (!open) {
            return;
        }
        open = false;
        FarmFileSystemProvider.run(file::close);
        if (deleteAtClose != null) {
            Files.deleteIfExists(deleteAtClose);
        }
    }
}

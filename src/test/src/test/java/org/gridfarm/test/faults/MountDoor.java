package org.gridfarm.test.faults;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** System calls on a mount. */
record MountDoor(Path mount) implements Door {
    private record File(FileChannel channel) implements Open {
        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public int read(long offset, ByteBuffer into) throws IOException {
            return channel.read(into, offset);
        }

        @Override
        public void write(long offset, byte[] bytes) throws IOException {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                channel.write(left, offset + left.position());
            }
        }

        @Override
        public void append(byte[] bytes) throws IOException {
            int written = channel.write(ByteBuffer.wrap(bytes));
            if (written != bytes.length) {
                throw new IOException("appended " + written + " of " + bytes.length);
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            channel.truncate(size);
        }

        @Override
        public void sync() throws IOException {
            channel.force(true);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    private Open open(String name, OpenOption... options) throws IOException {
        return new File(FileChannel.open(mount.resolve(name), options));
    }

    @Override
    public Open create(String name) throws IOException {
        return open(name, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    @Override
    public Open change(String name) throws IOException {
        return open(name, StandardOpenOption.WRITE);
    }

    @Override
    public Open appending(String name) throws IOException {
        return open(name, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Override
    public Open reading(String name) throws IOException {
        return open(name, StandardOpenOption.READ);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(mount.resolve(from), mount.resolve(to));
    }

    @Override
    public String toString() {
        return mount.toString();
    }
}

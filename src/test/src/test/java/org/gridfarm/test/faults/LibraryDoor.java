package org.gridfarm.test.faults;

import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/** The client library, attached to no node. */
record LibraryDoor(Gridfarm farm) implements Door {
    private record File(FarmFile file) implements Open {
        @Override
        public long size() throws IOException {
            return told(file::size);
        }

        @Override
        public int read(long offset, ByteBuffer into) throws IOException {
            return told(() -> file.read(offset, into));
        }

        @Override
        public void write(long offset, byte[] bytes) throws IOException {
            told(() -> file.write(offset, ByteBuffer.wrap(bytes)));
        }

        @Override
        public void append(byte[] bytes) throws IOException {
            told(() -> file.append(ByteBuffer.wrap(bytes)));
        }

        @Override
        public void truncate(long size) throws IOException {
            told(() -> file.truncate(size));
        }

        @Override
        public void sync() throws IOException {
            told(file::sync);
        }

        @Override
        public void close() throws IOException {
            told(file::close);
        }
    }

    private static <T> T told(Supplier<T> call) throws IOException {
        try {
            return call.get();
        } catch (FarmException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static void told(Runnable call) throws IOException {
        told(() -> {
            call.run();
            return true;
        });
    }

    private static FarmPath path(String name) {
        return FarmPath.of("/" + name);
    }

    @Override
    public Open create(String name) throws IOException {
        return new File(told(() -> farm.create(path(name), OpenFlags.WRITE, true)));
    }

    @Override
    public Open change(String name) throws IOException {
        return new File(told(() -> farm.open(path(name), OpenFlags.WRITE)));
    }

    @Override
    public Open appending(String name) throws IOException {
        return new File(told(() -> farm.create(path(name), OpenFlags.WRITE.appending(), false)));
    }

    @Override
    public Open reading(String name) throws IOException {
        return new File(told(() -> farm.open(path(name), OpenFlags.READ)));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        told(() -> farm.rename(path(from), path(to)));
    }

    @Override
    public String toString() {
        return "the library";
    }
}

package org.gridfarm.client.cli.bench.api;

import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.name.FarmPath;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** The library's own calls, those that the public {@code Gridfarm} passes on as they are. */
record LibraryDoor(String label, Gridfarm farm, FarmPath root) implements Door {
    private record Handle(FarmFile file) implements Opened {
        @Override
        public void write(long offset, ByteBuffer from) {
            file.write(offset, from);
        }

        @Override
        public void read(long offset, ByteBuffer into) throws IOException {
            for (long at = offset; into.hasRemaining(); ) {
                int got = file.read(at, into);
                if (got < 0) throw new EOFException("it ends at " + at);
                at += got;
            }
        }

        @Override
        public void close() {
            file.close();
        }
    }

    private FarmPath at(String name) {
        return FarmPath.of(root + "/" + name);
    }

    @Override
    public void makeDirectory(String name) {
        farm.mkdir(at(name));
    }

    @Override
    public Opened make(String name) {
        return new Handle(farm.create(at(name), OpenFlags.WRITE, true));
    }

    @Override
    public Opened open(String name) {
        return new Handle(farm.open(at(name), OpenFlags.READ_WRITE));
    }

    @Override
    public Opened openToRead(String name) {
        return new Handle(farm.open(at(name), OpenFlags.READ));
    }

    @Override
    public OutputStream output(String name) {
        return farm.write(at(name));
    }

    @Override
    public InputStream input(String name) {
        return farm.read(at(name));
    }

    @Override
    public long list(String directory) {
        try (var entries = farm.list(at(directory))) {
            return entries.filter(entry -> entry.size() >= 0).count();
        }
    }
}

package org.gridfarm.client.hadoop;

import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.PathHandle;
import org.gridfarm.client.FileStatus;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;

/**
 * A file under its name, and as it was: the handle leads nowhere when another file has the name,
 * or, where that was asked for, when the content has changed. A file that was renamed is not found
 * by it.
 *
 * @param inode 0: whatever has the name
 * @param size -1: the content may change
 */
record FarmPathHandle(String path, long inode, long size, Instant modified) implements PathHandle {
    private static final long serialVersionUID = 1;
    private static final int VERSION = 1;

    /** Handles that follow a renamed file are refused with UnsupportedOperationException. */
    static FarmPathHandle of(String path, GridfarmFileStatus status, HandleOpt... options) {
        boolean mayMove =
                HandleOpt.getOpt(HandleOpt.Location.class, options)
                        .orElse(HandleOpt.moved(false))
                        .allowChange();
        boolean mayChange =
                HandleOpt.getOpt(HandleOpt.Data.class, options)
                        .orElse(HandleOpt.changed(false))
                        .allowChange();
        if (mayMove) {
            throw new UnsupportedOperationException(
                    "handles of the farm do not follow a file that is renamed");
        }
        return mayChange
                ? new FarmPathHandle(path, 0, -1, Instant.EPOCH)
                : new FarmPathHandle(path, status.inode(), status.getLen(), status.modified());
    }

    static FarmPathHandle of(PathHandle handle) throws IOException {
        if (handle instanceof FarmPathHandle own) {
            return own;
        }
        ByteBuffer bytes = handle.bytes();
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(copy))) {
            if (in.read() != VERSION) {
                throw new InvalidPathHandleException("not a handle of a gf file system");
            }
            return new FarmPathHandle(
                    in.readUTF(),
                    in.readLong(),
                    in.readLong(),
                    Instant.ofEpochSecond(in.readLong(), in.readInt()));
        }
    }

    @Override
    public ByteBuffer bytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.write(VERSION);
            out.writeUTF(path);
            out.writeLong(inode);
            out.writeLong(size);
            out.writeLong(modified.getEpochSecond());
            out.writeInt(modified.getNano());
        } catch (IOException e) {
            throw new UncheckedIOException(path + " is too long for a handle", e);
        }
        return ByteBuffer.wrap(bytes.toByteArray());
    }

    void require(FileStatus now) throws InvalidPathHandleException {
        if (inode != 0 && inode != now.inode()) {
            throw new InvalidPathHandleException(path + " is another file by now");
        }
        if (size >= 0 && (size != now.size() || !modified.equals(now.modified()))) {
            throw new InvalidPathHandleException(path + " has changed since " + modified);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PathHandle handle && bytes().equals(handle.bytes());
    }

    @Override
    public int hashCode() {
        return bytes().hashCode();
    }
}

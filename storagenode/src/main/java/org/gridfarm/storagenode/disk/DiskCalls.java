package org.gridfarm.storagenode.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * The disk as a seam: the calls whose failure or absence matters. Thread-safe, stateless. A failed
 * {@link #force} must be believed: the kernel has dropped the dirty pages, and asking again would
 * succeed without the data being there.
 */
public interface DiskCalls {
    /** fdatasync(2): the bytes and the size of the file are on stable storage when this returns. */
    void force(FileChannel channel) throws IOException;

    /** Makes the names in the directory durable. */
    void forceDirectory(Path directory) throws IOException;

    /**
     * fallocate(2) of blocks; grows the file unless keepSize. May do nothing but grow where blocks
     * cannot be had beforehand.
     */
    void allocate(Path file, FileChannel channel, long offset, long length, boolean keepSize)
            throws IOException;

    /**
     * The range inside the file reads as zeros afterwards and, where the file system can, takes no
     * space; the size stays.
     */
    void punch(Path file, FileChannel channel, long offset, long length) throws IOException;

    /** The first byte at or after the offset that may hold data, or -1 when there is none. */
    long nextData(Path file, FileChannel channel, long offset) throws IOException;

    /**
     * The first byte at or after the offset (which lies inside the file) that is in a hole; the end
     * of the file counts as one.
     */
    long nextHole(Path file, FileChannel channel, long offset) throws IOException;

    /**
     * The file counts as modified now. Where the system can do that, by the clock that dates what
     * is written: it goes by ticks, and what is written right after is not to be older.
     */
    void date(Path file) throws IOException;

    /** Reading what is opened so leaves the access time as it is, where the system can do that. */
    QuietFile openQuietly(Path file) throws IOException;

    /** Bytes the file takes on disk. */
    long allocated(Path file, FileChannel channel) throws IOException;

    /**
     * syncfs(2): all that was written to the file system of this directory before the call is
     * durable. False where that cannot be had.
     */
    boolean forceAll(Path directory) throws IOException;

    /**
     * Directories made in this one from now on belong apart: each is given a place of its own on
     * the disk, as far as the file system can, and what is made in it lies there. See
     * docs/decisions/places-on-the-disk.md.
     */
    void spread(Path directory) throws IOException;
}

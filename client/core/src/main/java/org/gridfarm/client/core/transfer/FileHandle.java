package org.gridfarm.client.core.transfer;

import io.netty.buffer.ByteBuf;

import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.DataMode;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * One open file. Thread-safe; operations may overlap and those that touch the same bytes take
 * effect in the order in which they were started.
 *
 * <p>A write is acknowledged when every member of the chain has the bytes in memory (or has been
 * struck off). Whoever has several writes outstanding sees the first failure again at {@link
 * #sync()} and {@link #close()}. Every operation ends within the client's operation deadline.
 */
public interface FileHandle {
    long inode();

    /** The number by which the metaserver knows this open file. */
    long id();

    OpenFlags flags();

    /**
     * How much may be cached beyond this library at this moment; it goes down by a recall, which
     * the mount hears as well.
     */
    DataMode mode();

    /**
     * Attributes with the size and times this handle knows of. Exact unless the mode is
     * WRITE_SHARED; then ask {@link #stat()}.
     */
    Attributes attributes();

    /** Attributes with size, times and allocation as they stand at the chain's head. */
    CompletableFuture<Attributes> stat();

    /**
     * Bytes from the offset: fewer than asked only at the end of the file, none at or behind it.
     * The buffer is the caller's to release. At most 8 MiB.
     */
    CompletableFuture<ByteBuf> read(long offset, int length);

    /**
     * The same by the calling thread itself, where the bytes lie in a plain file of this host.
     *
     * @return their number; -1: they are to be asked for by {@link #read}, and the buffer is as it
     *     was
     */
    int readHere(long offset, ByteBuffer into);

    /**
     * Writes all of the buffer by the calling thread itself, where a plain file of this host may be
     * written; false: it is to be sent by {@link #write}, and the buffer is as it was. Who writes a
     * lot is given the file after a while. For programs, which hear of a close when it is done, and
     * not for mounts.
     */
    boolean writeHere(long offset, ByteBuffer from);

    /** {@link #writeHere} would write, were nothing under way of what was sent before. */
    boolean mayWriteHereSoon();

    /** Bytes of a file that is written by {@link #writeHere}; -1: it is not. */
    long sizeHere();

    /** Writes all of the buffer, which is taken over. At most 8 MiB. */
    CompletableFuture<Void> write(long offset, ByteBuf bytes);

    /**
     * Writes at the end, atomically among all writers; completes with the offset where the bytes
     * begin.
     */
    CompletableFuture<Long> append(ByteBuf bytes);

    /**
     * The same for what may have to be asked for again by another process of this session.
     *
     * @param number never used for another append of the session; 0: nobody will ask again
     */
    CompletableFuture<Long> append(ByteBuf bytes, long number);

    /**
     * The same for what a former process may have appended already: it is in the file once
     * afterwards.
     *
     * @param number the same as then
     * @param end the file was at least this long when it was asked for first
     */
    CompletableFuture<Long> appendAgain(ByteBuf bytes, long number, long end);

    CompletableFuture<Void> truncate(long size);

    /**
     * fallocate(2) with the modes that exist: keep_size, punch_hole (keeps the size), zero_range.
     */
    CompletableFuture<Void> allocate(
            long offset, long length, boolean keepSize, boolean punchHole, boolean zeroRange);

    /** SEEK_DATA or SEEK_HOLE; NO_DATA_AFTER when there is none. */
    CompletableFuture<Long> seek(long offset, boolean hole);

    /**
     * copy_file_range(2): on the nodes, without passing through this process; completes with the
     * bytes copied (fewer at the source's end).
     */
    CompletableFuture<Long> copyRange(
            FileHandle source, long sourceOffset, long offset, long length);

    /**
     * Everything written through this handle has reached its chain. close(2) of one of several
     * descriptors.
     */
    CompletableFuture<Void> flush();

    /**
     * fsync(2): everything written through this handle is on stable storage at every member, and
     * size and times are durable.
     */
    CompletableFuture<Void> sync();

    /**
     * fdatasync(2): the same, but for times that nobody needs to read the bytes. The metaserver may
     * hear of these at the close.
     */
    CompletableFuture<Void> syncData();

    /**
     * Gives the file up; what was written is committed and visible everywhere when this completes.
     * Ends the handle also when it fails. A second close does nothing.
     */
    CompletableFuture<Void> close();

    /**
     * Completes after {@link #close} when the metaserver has the file open under this handle no
     * more on account of it: a file that was read may be kept open there for a while.
     */
    CompletableFuture<Void> ended();

    /**
     * Whoever would close the file for this process, were it killed, knows of this open: should the
     * same handle have been closed before, {@link #ended} of that close completes.
     */
    void noted();

    /** Nobody gets to see it because of that failure, with which this completes. */
    default <T> CompletableFuture<T> closedFor(Throwable failure) {
        return close().handle((done, thrown) -> thrown)
                .thenCompose(ignored -> CompletableFuture.failedFuture(failure));
    }

    /**
     * The replica's plain file on this host, for reading or (an EXCLUSIVE open whose chain begins
     * at the attached node) for writing by the kernel; null: not possible now. All who write it in
     * this process have the same one. Whoever does calls {@link #wroteLocally} afterwards, before
     * sync or close.
     */
    CompletableFuture<@Nullable LocalFile> openLocal(boolean write);

    /**
     * The same for writing into a file that has content: given where this node has its only replica
     * and nobody else has it open, and where comparing all of it at the end costs less than each
     * write through the chain.
     */
    CompletableFuture<@Nullable LocalFile> openLocalToChange();

    /**
     * The same for writing, whoever else has the file open: the kernel may write only what a
     * program maps, since its calls come here.
     */
    CompletableFuture<@Nullable LocalFile> openLocalForMappings();

    /**
     * The same for a file that a former process wrote so, whose kernel goes on.
     *
     * @param staged as {@link LocalFile#staged} said then
     * @param wanted which file it has to be, as {@link FileIdentity#number} said then; 0: any
     */
    CompletableFuture<@Nullable LocalFile> openLocalAgain(long staged, long wanted);

    /**
     * Where the file lies that the kernel wrote into, after this process has closed what it had
     * open of it for writing itself; null: nowhere, or it is no replica any more.
     */
    CompletableFuture<@Nullable Path> idleLocally();

    /**
     * Bytes were changed in the local file behind this handle's back; sync and close ship them
     * along the chain.
     */
    CompletableFuture<Void> wroteLocally();
}

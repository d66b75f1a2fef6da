package org.gridfarm.client.hadoop;

import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_BYTES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_OPERATIONS;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_SEEK_OPERATIONS;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_UNBUFFERED;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_READ_VECTORED_OPERATIONS;

import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsContext;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.gridfarm.client.FarmFile;
import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Reads one file. What is read on and on comes in pieces that grow; a positional read asks for what
 * it wants and no more. The end is where it was when the file was opened.
 *
 * <p>Calls at the position are for one thread; positional and vectored ones for any number.
 */
final class FarmInput extends FSInputStream
        implements ByteBufferReadable,
                ByteBufferPositionedReadable,
                CanUnbuffer,
                StreamCapabilities,
                IOStatisticsSource {
    /** The first piece, and the first after a jump: a page of Parquet's or less. */
    private static final int FIRST_BYTES = 64 << 10;

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final FarmFile file;
    private final long size;
    private final int pieceMax;
    private final FileSystem.@Nullable Statistics statistics;
    private final IOStatisticsStore counters =
            IOStatisticsBinding.iostatisticsStore()
                    .withCounters(
                            STREAM_READ_BYTES,
                            STREAM_READ_OPERATIONS,
                            STREAM_READ_SEEK_OPERATIONS,
                            STREAM_READ_UNBUFFERED,
                            STREAM_READ_VECTORED_OPERATIONS,
                            STREAM_READ_VECTORED_INCOMING_RANGES)
                    .build();
    private final IOStatisticsContext context = IOStatisticsContext.getCurrentIOStatisticsContext();

    private long position;
    private ByteBuffer piece = EMPTY; // what comes at the position is its next byte
    private int pieceBytes;
    private volatile boolean closed;

    FarmInput(FarmFile file, long size, int pieceMax, FileSystem.@Nullable Statistics statistics) {
        this.file = file;
        this.size = size;
        this.pieceMax = pieceMax;
        this.statistics = statistics;
        pieceBytes = Math.min(FIRST_BYTES, pieceMax);
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException(file.path() + ": " + FSExceptionMessages.STREAM_IS_CLOSED);
        }
    }

    private void counted(long bytes) {
        counters.incrementCounter(STREAM_READ_OPERATIONS, 1);
        if (bytes > 0) {
            counters.incrementCounter(STREAM_READ_BYTES, bytes);
            if (statistics != null) {
                statistics.incrementBytesRead(bytes);
            }
        }
    }

    // ---- at the position

    @Override
    public synchronized long getPos() {
        return position;
    }

    @Override
    public synchronized void seek(long to) throws IOException {
        requireOpen();
        if (to < 0) {
            throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + ' ' + to);
        }
        if (to > size) {
            throw new EOFException(
                    FSExceptionMessages.CANNOT_SEEK_PAST_EOF + ": " + to + " of " + size);
        }
        long step = to - position;
        if (step != 0) {
            counters.incrementCounter(STREAM_READ_SEEK_OPERATIONS, 1);
            long inPiece = piece.position() + step;
            if (inPiece >= 0 && inPiece <= piece.limit()) {
                piece.position((int) inPiece);
            } else {
                piece = EMPTY;
                pieceBytes = Math.min(FIRST_BYTES, pieceMax);
            }
            position = to;
        }
    }

    @Override
    public boolean seekToNewSource(long to) {
        return false; // the farm itself turns to another copy
    }

    @Override
    public synchronized int read() throws IOException {
        requireOpen();
        if (!fill()) {
            return -1;
        }
        position++;
        counted(1);
        return piece.get() & 0xff;
    }

    @Override
    public synchronized int read(byte[] into, int offset, int length) throws IOException {
        requireOpen();
        Objects.checkFromIndexSize(offset, length, into.length);
        return take(ByteBuffer.wrap(into, offset, length));
    }

    @Override
    public synchronized int read(ByteBuffer into) throws IOException {
        requireOpen();
        return take(into);
    }

    private int take(ByteBuffer into) throws IOException {
        int wanted = into.remaining();
        if (wanted == 0) {
            return 0;
        }
        int got;
        if (!piece.hasRemaining() && wanted >= pieceBytes) {
            got = readAt(position, into); // as large as a piece: not copied twice
            grow();
        } else if (fill()) {
            got = Math.min(wanted, piece.remaining());
            into.put(piece.slice().limit(got));
            piece.position(piece.position() + got);
        } else {
            got = -1;
        }
        position += Math.max(0, got);
        counted(got);
        return got;
    }

    /** False at the end. */
    private boolean fill() throws IOException {
        if (piece.hasRemaining()) {
            return true;
        }
        if (position >= size) {
            return false;
        }
        int want = (int) Math.min(pieceBytes, size - position);
        ByteBuffer next = ByteBuffer.allocate(want);
        int got = readAt(position, next);
        grow();
        piece = got > 0 ? next.flip() : EMPTY;
        return piece.hasRemaining();
    }

    private void grow() {
        pieceBytes = Math.min(2 * pieceBytes, pieceMax);
    }

    @Override
    public synchronized int available() throws IOException {
        requireOpen();
        return (int) Math.min(Integer.MAX_VALUE, size - position);
    }

    @Override
    public synchronized long skip(long count) throws IOException {
        long step = Math.max(0, Math.min(count, size - position));
        seek(position + step);
        return step;
    }

    // ---- anywhere

    /** Into the rest of the buffer; -1 at the end. */
    private int readAt(long at, ByteBuffer into) throws IOException {
        return at >= size ? -1 : Failures.told(() -> file.read(at, into));
    }

    @Override
    public int read(long at, byte[] into, int offset, int length) throws IOException {
        validatePositionedReadArgs(at, into, offset, length);
        return read(at, ByteBuffer.wrap(into, offset, length));
    }

    @Override
    public int read(long at, ByteBuffer into) throws IOException {
        requireOpen();
        requirePosition(at);
        if (!into.hasRemaining()) {
            return 0;
        }
        int got = readAt(at, into);
        counted(got);
        return got;
    }

    @Override
    public void readFully(long at, byte[] into, int offset, int length) throws IOException {
        validatePositionedReadArgs(at, into, offset, length);
        readFully(at, ByteBuffer.wrap(into, offset, length));
    }

    @Override
    public void readFully(long at, ByteBuffer into) throws IOException {
        requireOpen();
        requirePosition(at);
        int wanted = into.remaining();
        int got = wanted == 0 ? 0 : readAt(at, into);
        counted(got);
        if (got < wanted) {
            throw new EOFException(
                    FSExceptionMessages.EOF_IN_READ_FULLY
                            + ": "
                            + wanted
                            + " bytes from "
                            + at
                            + " of "
                            + size
                            + " in "
                            + file.path());
        }
    }

    private static void requirePosition(long at) throws EOFException {
        if (at < 0) {
            throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + ' ' + at);
        }
    }

    @Override
    public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate)
            throws IOException {
        readVectored(ranges, allocate, buffer -> {});
    }

    /** All of it is under way when this returns. */
    @Override
    public void readVectored(
            List<? extends FileRange> ranges,
            IntFunction<ByteBuffer> allocate,
            Consumer<ByteBuffer> release)
            throws IOException {
        requireOpen();
        Objects.requireNonNull(release, "release");
        counters.incrementCounter(STREAM_READ_VECTORED_OPERATIONS, 1);
        counters.incrementCounter(STREAM_READ_VECTORED_INCOMING_RANGES, ranges.size());
        new VectoredReads(file, size, minSeekForVectorReads(), maxReadSizeForVectorReads())
                .start(ranges, allocate, release, this::counted);
    }

    // ---- the rest

    @Override
    public synchronized void unbuffer() {
        counters.incrementCounter(STREAM_READ_UNBUFFERED, 1);
        piece = EMPTY;
    }

    @Override
    public boolean hasCapability(String capability) {
        return switch (capability.toLowerCase(Locale.ENGLISH)) {
            case StreamCapabilities.READBYTEBUFFER,
                    StreamCapabilities.PREADBYTEBUFFER,
                    StreamCapabilities.UNBUFFER,
                    StreamCapabilities.VECTOREDIO,
                    StreamCapabilities.IOSTATISTICS ->
                    true;
            default -> false;
        };
    }

    @Override
    public IOStatistics getIOStatistics() {
        return counters;
    }

    @Override
    public synchronized void close() throws IOException {
        if (!closed) {
            closed = true;
            piece = EMPTY;
            context.getAggregator().aggregate(counters);
            Failures.done(file::close);
        }
    }

    @Override
    public String toString() {
        return "FarmInput{" + file.path() + ' ' + counters + '}';
    }
}

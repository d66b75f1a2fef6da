package org.gridfarm.client.hadoop;

import org.apache.hadoop.fs.FileRange;
import org.gridfarm.client.FarmFile;
import org.gridfarm.protocol.error.FarmException;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.LongConsumer;

/**
 * Reads many ranges of a file at once. Those that lie close together are read as one; ranges that
 * overlap are read each for itself.
 */
final class VectoredReads {
    private final FarmFile file;
    private final long size;
    private final int gapBytes;
    private final int mergedBytes;

    /** Ranges that are read by one call, in the order of their offsets. */
    private record Together(List<FileRange> ranges, long begin, long end) {
        int length() {
            return (int) (end - begin);
        }
    }

    /**
     * @param gapBytes read and thrown away rather than asked for in two calls
     * @param mergedBytes most bytes that several ranges are read by one call
     */
    VectoredReads(FarmFile file, long size, int gapBytes, int mergedBytes) {
        this.file = file;
        this.size = size;
        this.gapBytes = gapBytes;
        this.mergedBytes = mergedBytes;
    }

    void start(
            List<? extends FileRange> ranges,
            IntFunction<ByteBuffer> allocate,
            Consumer<ByteBuffer> release,
            LongConsumer counted)
            throws IOException {
        List<FileRange> sorted = new ArrayList<>(Objects.requireNonNull(ranges, "ranges"));
        for (FileRange range : sorted) {
            require(range);
        }
        sorted.sort(Comparator.comparingLong(FileRange::getOffset));
        for (FileRange range : sorted) {
            range.setData(new CompletableFuture<>());
        }
        for (Together together : together(sorted)) {
            counted.accept(together.length()); // here, since Hadoop counts for each thread
            read(together, allocate, release);
        }
    }

    private void require(FileRange range) throws EOFException {
        Objects.requireNonNull(range, "range");
        if (range.getLength() < 0) {
            throw new IllegalArgumentException("length is negative in " + range);
        }
        if (range.getOffset() < 0) {
            throw new EOFException("position is negative in " + range);
        }
        if (range.getOffset() > size - range.getLength()) {
            throw new EOFException(range + " goes behind the end of the file, " + size);
        }
    }

    private List<Together> together(List<FileRange> sorted) {
        List<Together> all = new ArrayList<>();
        for (FileRange range : sorted) {
            long end = range.getOffset() + range.getLength();
            Together last = all.isEmpty() ? null : all.get(all.size() - 1);
            if (last != null
                    && range.getOffset() >= last.end
                    && range.getOffset() - last.end < gapBytes
                    && end - last.begin <= mergedBytes) {
                last.ranges.add(range);
                all.set(all.size() - 1, new Together(last.ranges, last.begin, end));
            } else {
                all.add(new Together(new ArrayList<>(List.of(range)), range.getOffset(), end));
            }
        }
        return all;
    }

    private void read(
            Together together, IntFunction<ByteBuffer> allocate, Consumer<ByteBuffer> release) {
        List<ByteBuffer> own =
                together.ranges.stream().map(range -> empty(range, allocate)).toList();
        boolean single = own.size() == 1;
        ByteBuffer into = single ? own.get(0) : ByteBuffer.allocate(together.length());
        int begin = into.position();
        CompletableFuture<?> unused =
                file.readAsync(together.begin, into)
                        .whenComplete((got, thrown) -> {
                            if (thrown == null && !into.hasRemaining()) {
                                if (single) {
                                    into.position(begin);
                                } else {
                                    spread(together, into, own);
                                }
                                tell(together, own);
                            } else {
                                own.forEach(release);
                                fail(together, thrown == null ? cut(together) : told(thrown));
                            }
                        });
    }

    private static ByteBuffer empty(FileRange range, IntFunction<ByteBuffer> allocate) {
        ByteBuffer buffer = allocate.apply(range.getLength());
        return buffer.limit(buffer.position() + range.getLength());
    }

    /** Copied, so that each buffer can be given back to where it was taken from. */
    private static void spread(Together together, ByteBuffer bytes, List<ByteBuffer> own) {
        for (int i = 0; i < own.size(); i++) {
            FileRange range = together.ranges.get(i);
            int from = (int) (range.getOffset() - together.begin);
            own.get(i).duplicate().put(bytes.slice(from, range.getLength()));
        }
    }

    private static void tell(Together together, List<ByteBuffer> own) {
        for (int i = 0; i < own.size(); i++) {
            together.ranges.get(i).getData().complete(own.get(i));
        }
    }

    private static void fail(Together together, IOException failure) {
        for (FileRange range : together.ranges) {
            range.getData().completeExceptionally(failure);
        }
    }

    private IOException told(Throwable thrown) {
        return Failures.of(FarmException.of(thrown, "read", file.path()));
    }

    private IOException cut(Together together) {
        return new EOFException(
                file.path() + " was cut before " + together.end + " since it was opened");
    }
}

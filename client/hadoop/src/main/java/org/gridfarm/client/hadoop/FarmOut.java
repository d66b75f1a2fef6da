package org.gridfarm.client.hadoop;

import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_WRITE_BYTES;
import static org.apache.hadoop.fs.statistics.StreamStatisticNames.STREAM_WRITE_EXCEPTIONS;

import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsContext;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.gridfarm.client.FarmOutput;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;

/**
 * Writes one file. After {@code hflush} readers see what was written, and every copy's node has it;
 * after {@code hsync} it is on stable storage at all of them, and so is the size. For one thread.
 */
final class FarmOut extends OutputStream
        implements Syncable, StreamCapabilities, IOStatisticsSource {
    private final String path;
    private final FarmOutput out;
    private final boolean syncs;
    private final IOStatisticsStore counters =
            IOStatisticsBinding.iostatisticsStore()
                    .withCounters(
                            STREAM_WRITE_BYTES,
                            STREAM_WRITE_EXCEPTIONS,
                            StoreStatisticNames.OP_HFLUSH,
                            StoreStatisticNames.OP_HSYNC)
                    .build();
    private final IOStatisticsContext context = IOStatisticsContext.getCurrentIOStatisticsContext();
    private boolean closed;

    private interface Step {
        void run() throws IOException;
    }

    /**
     * @param syncs at close: CreateFlag.SYNC_BLOCK
     */
    FarmOut(String path, FarmOutput out, boolean syncs) {
        this.path = path;
        this.out = out;
        this.syncs = syncs;
    }

    private void told(Step step) throws IOException {
        try {
            step.run();
        } catch (IOException e) {
            counters.incrementCounter(STREAM_WRITE_EXCEPTIONS, 1);
            throw Failures.of(e);
        }
    }

    @Override
    public void write(int b) throws IOException {
        told(() -> out.write(b));
        counters.incrementCounter(STREAM_WRITE_BYTES, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
        told(() -> out.write(from, offset, length));
        counters.incrementCounter(STREAM_WRITE_BYTES, length);
    }

    @Override
    public void flush() throws IOException {
        if (!closed) {
            told(out::flush);
        }
    }

    @Override
    public void hflush() throws IOException {
        counters.incrementCounter(StoreStatisticNames.OP_HFLUSH, 1);
        told(out::flush);
    }

    @Override
    public void hsync() throws IOException {
        counters.incrementCounter(StoreStatisticNames.OP_HSYNC, 1);
        told(out::sync);
    }

    @Override
    public boolean hasCapability(String capability) {
        return switch (capability.toLowerCase(Locale.ENGLISH)) {
            case StreamCapabilities.HFLUSH,
                    StreamCapabilities.HSYNC,
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
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        context.getAggregator().aggregate(counters);
        try {
            if (syncs) {
                told(out::sync);
            }
        } finally {
            told(out::close);
        }
    }

    @Override
    public String toString() {
        return "FarmOut{" + path + ' ' + counters + '}';
    }
}

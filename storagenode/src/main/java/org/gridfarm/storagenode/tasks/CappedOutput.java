package org.gridfarm.storagenode.tasks;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;

import org.slf4j.LoggerFactory;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * The beginning of what a task wrote; the rest is read and dropped, so that it never blocks.
 * Thread-safe.
 */
final class CappedOutput {
    private final int max;

    @GuardedBy("this")
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

    @GuardedBy("this")
    private boolean cut;

    CappedOutput(int max) {
        this.max = max;
    }

    /** Reads to the end, on a thread of its own. */
    Thread follow(InputStream in, String name) {
        return Thread.ofVirtual().name(name).start(() -> read(in));
    }

    private void read(InputStream in) {
        byte[] buffer = new byte[16 << 10];
        try (in) {
            int count;
            while ((count = in.read(buffer)) >= 0) {
                add(buffer, count);
            }
        } catch (IOException e) {
            LoggerFactory.getLogger(CappedOutput.class)
                    .debug("output of a task ended: {}", e.toString());
        }
    }

    private synchronized void add(byte[] bytes, int count) {
        int room = Math.min(count, max - kept.size());
        kept.write(bytes, 0, room);
        cut |= room < count;
    }

    synchronized ByteString bytes() {
        return ByteString.copyFrom(kept.toByteArray());
    }

    synchronized boolean isCut() {
        return cut;
    }
}

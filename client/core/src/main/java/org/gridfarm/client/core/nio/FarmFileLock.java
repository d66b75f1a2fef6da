package org.gridfarm.client.core.nio;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileLock;
import java.util.concurrent.atomic.AtomicBoolean;

/** A byte range that this JVM has locked, or waits for. Thread-safe. */
final class FarmFileLock extends FileLock {
    private final FarmLocks locks;
    private final AtomicBoolean granted = new AtomicBoolean();

    FarmFileLock(FarmLocks locks, FarmFileChannel channel, long from, long size, boolean shared) {
        super(channel, from, size, shared);
        this.locks = locks;
    }

    FarmFileChannel holder() {
        return (FarmFileChannel) acquiredBy();
    }

    long inode() {
        return holder().file().handle().inode();
    }

    void granted() {
        granted.set(true);
    }

    /** True once: who hears it tells the farm. */
    boolean giveUp() {
        return granted.getAndSet(false);
    }

    @Override
    public boolean isValid() {
        return granted.get() && acquiredBy().isOpen();
    }

    @Override
    public void release() throws IOException {
        if (!acquiredBy().isOpen()) {
            throw new ClosedChannelException();
        }
        locks.release(this);
    }
}

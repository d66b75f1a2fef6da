package org.gridfarm.storagenode.replica;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.gridfarm.storagenode.disk.DiskCalls;
import org.gridfarm.storagenode.disk.linux.LinuxDisk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;

/** A store in a temporary directory, and calls that wait. */
final class StoreFixture implements AutoCloseable {
    final List<ObjectKey> corrupt = new ArrayList<>();
    private final List<Path> roots;
    private final DiskCalls calls;
    private final StoreLimits limits;
    ReplicaStore store;
    private List<DataDirectory> disks;

    StoreFixture(List<Path> roots, DiskCalls calls, StoreLimits limits, long boot) {
        this.roots = roots;
        this.calls = calls;
        this.limits = limits;
        open(boot);
    }

    static StoreFixture at(Path root) {
        return new StoreFixture(
                List.of(root),
                LinuxDisk.orPortable(),
                new StoreLimits(8, 2, Duration.ofHours(1), Duration.ofHours(1)),
                1);
    }

    private void open(long boot) {
        disks =
                roots.stream()
                        .map(root -> DataDirectory.open(root, calls, Clock.system(), 0))
                        .toList();
        store =
                new ReplicaStore(
                        disks,
                        limits,
                        Clock.system(),
                        Entropy.seeded(1),
                        boot,
                        new StoreListener() {
                            @Override
                            public void corrupt(ObjectKey key, String why) {
                                synchronized (corrupt) {
                                    corrupt.add(key);
                                }
                            }

                            @Override
                            public void diskFailed(String disk) {}
                        });
    }

    /** In good order. */
    void restart() throws IOException {
        store.close();
        open(1);
    }

    /**
     * The process is killed: nothing that it still had in memory is written. A new boot too, where
     * the number differs.
     */
    void kill(long boot) throws IOException {
        store.io().shutdownNow();
        for (DataDirectory disk : disks) {
            disk.close();
        }
        open(boot);
    }

    void write(ObjectKey key, long offset, byte[] bytes) {
        wait(
                store.change(
                        key,
                        ReplicaStore.IfAbsent.CREATE,
                        replica -> {
                            replica.write(new ByteBuffer[] {ByteBuffer.wrap(bytes)}, offset);
                            return true;
                        }));
    }

    interface Step {
        void run(Replica replica) throws IOException;
    }

    void change(ObjectKey key, Step step) {
        wait(
                store.change(
                        key,
                        ReplicaStore.IfAbsent.CREATE,
                        replica -> {
                            step.run(replica);
                            return true;
                        }));
    }

    byte[] read(ObjectKey key, long offset, int length) {
        return wait(
                store.read(
                        key,
                        replica -> {
                            ByteBuf bytes =
                                    replica.read(PooledByteBufAllocator.DEFAULT, offset, length);
                            try {
                                byte[] copy = new byte[bytes.readableBytes()];
                                bytes.readBytes(copy);
                                return copy;
                            } finally {
                                bytes.release();
                            }
                        }));
    }

    byte[] readAll(ObjectKey key) {
        long size = wait(store.read(key, Replica::size));
        return read(key, 0, (int) size);
    }

    static <T> T wait(java.util.concurrent.CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof FarmException failure ? failure : e;
        }
    }

    @Override
    public void close() throws IOException {
        store.close();
    }
}

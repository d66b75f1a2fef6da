package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.client.mount.fuse.AttributesReply;
import org.gridfarm.client.mount.fuse.Backing;
import org.gridfarm.client.mount.fuse.Connection;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.OpenFiles;
import org.gridfarm.client.mount.fuse.OpenReply;
import org.gridfarm.client.mount.fuse.Places;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.ReadReply;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.client.mount.fuse.memory.MemoryOperations;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/// A file system in memory that holds back what the test wants held back: `mkdir` of names that
/// begin with `wait`, and flushes. Files opened can be passed through to a local one.
final class WaitingOperations extends MemoryOperations {

    private static final long HANDLE = 1L << 40;

    /// Requests held back, oldest first.
    final Queue<EntryReply> waiting = new ConcurrentLinkedQueue<>();

    /// Done with each request before it is held back.
    volatile Consumer<EntryReply> onWait = reply -> {};

    volatile @Nullable Connection connection;
    volatile @Nullable Path local;

    /// What every file reads as, if set.
    volatile @Nullable ByteBuffer served;

    /// Done before the kernel is told what it asks of a node.
    volatile Runnable onAttributes = () -> {};

    volatile boolean holdsFlushes;
    final Queue<EmptyReply> flushes = new ConcurrentLinkedQueue<>();

    final AtomicInteger lookups = new AtomicInteger();
    final OpenFiles ways = new OpenFiles();
    private final Map<Long, Integer> modes = new ConcurrentHashMap<>();
    private long nextHandle = HANDLE;
    private final Places places =
            new Places((nanos, action) ->
                    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, Runnable::run)
                            .execute(action));

    WaitingOperations() {
        super(Clock.systemUTC(), TimeUnit.SECONDS.toNanos(60));
    }

    @Override
    public void flush(EmptyReply reply, long number, long handle, long lockOwner) {
        if (holdsFlushes) {
            flushes.add(reply);
        } else {
            super.flush(reply, number, handle, lockOwner);
        }
    }

    Connection running() {
        Connection made = connection;
        if (made == null) {
            throw new IllegalStateException("not started");
        }
        return made;
    }

    @Override
    public void started(Connection made) {
        connection = made;
        places.started(made.cache());
    }

    @Override
    protected void tell(
            Request caller, long directory, long parent, RawName name, LongConsumer answer) {
        places.tell(caller.pid(), caller::makesName, directory, parent, name, answer);
    }

    @Override
    public synchronized void mkdir(
            EntryReply reply, long parent, RawName name, int mode, int umask) {
        if (name.toString().startsWith("wait")) {
            onWait.accept(reply);
            waiting.add(reply);
        } else {
            super.mkdir(reply, parent, name, mode, umask);
        }
    }

    /// Carries out what was held back.
    void goOn(EntryReply reply, String name) {
        super.mkdir(reply, ROOT, RawName.of(name), 0x1FF, 0);
    }

    @Override
    public void getattr(AttributesReply reply, long node, long handle) {
        onAttributes.run();
        super.getattr(reply, node, handle);
    }

    @Override
    public void lookup(EntryReply reply, long parent, RawName name) {
        lookups.incrementAndGet();
        places.lookup(reply.pid(), parent, name, () -> {}, () -> super.lookup(reply, parent, name));
    }

    @Override
    public void read(
            ReadReply reply,
            long node,
            long handle,
            long offset,
            int size,
            int flags,
            boolean kept) {
        ByteBuffer content = served;
        if (content == null) {
            super.read(reply, node, handle, offset, size, flags, kept);
        } else {
            int from = (int) Math.min(offset, content.limit());
            reply.data(content.slice(from, Math.min(size, content.limit() - from)));
        }
    }

    @Override
    public synchronized void open(OpenReply reply, long node, int flags, boolean killSuidGid) {
        Path file = local;
        if (file == null) {
            super.open(reply, node, flags, killSuidGid);
            return;
        }
        OpenFiles.Way way =
                ways.openThrough(node, false, file, () -> running().passthrough().open(file));
        long handle = nextHandle++;
        modes.put(handle, way.mode());
        reply.opened(handle, way.mode(), way.backing());
    }

    @Override
    public void release(
            EmptyReply reply,
            long node,
            long handle,
            int flags,
            boolean flockUnlock,
            long lockOwner) {
        Integer mode = modes.remove(handle);
        if (mode != null) {
            ways.released(node, mode);
            reply.done();
        } else {
            super.release(reply, node, handle, flags, flockUnlock, lockOwner);
        }
    }

    @Nullable Backing backing(Path file) {
        return running().passthrough().open(file);
    }
}

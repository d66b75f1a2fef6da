package org.gridfarm.client.mount.fuse.jnr;

import org.gridfarm.client.mount.fuse.Attributes;
import org.gridfarm.client.mount.fuse.AttributesReply;
import org.gridfarm.client.mount.fuse.BytesReply;
import org.gridfarm.client.mount.fuse.CountReply;
import org.gridfarm.client.mount.fuse.CreateReply;
import org.gridfarm.client.mount.fuse.DirectoryReply;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.LockRange;
import org.gridfarm.client.mount.fuse.LockReply;
import org.gridfarm.client.mount.fuse.OffsetReply;
import org.gridfarm.client.mount.fuse.OpenReply;
import org.gridfarm.client.mount.fuse.ReadReply;
import org.gridfarm.client.mount.fuse.StatfsReply;
import org.gridfarm.client.mount.fuse.XattrReply;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// An answer that the thread of libfuse waits for. Used once. Fields are written before the answer
/// is given and read after it was waited for.
final class BlockingReply
        implements EntryReply,
                AttributesReply,
                EmptyReply,
                BytesReply,
                XattrReply,
                OpenReply,
                CreateReply,
                ReadReply,
                CountReply,
                OffsetReply,
                LockReply,
                StatfsReply,
                DirectoryReply {

    private static final int[] NO_GROUPS = {};
    private static final int NAMES_MAX = 1000; // of one readdir

    /// One name of a directory.
    record Name(byte[] name, long next) {}

    private final int uid;
    private final int gid;
    private final int pid;
    private final int room;
    private final Attributes attributes = new Attributes();
    private long deadline;
    private boolean answered;
    private boolean givenUp;
    private int errno;

    long node;
    long handle;
    long number;
    byte[] content = {};
    long[] statfs = {};
    @Nullable LockRange lock;
    final List<Name> names = new ArrayList<>();
    private @Nullable ByteBuffer buffer;

    BlockingReply(int uid, int gid, int pid, int room, long deadlineNanos) {
        this.uid = uid;
        this.gid = gid;
        this.pid = pid;
        this.room = room;
        this.deadline = System.nanoTime() + deadlineNanos;
    }

    /// Waits for the answer.
    ///
    /// @return 0, or a negative errno as libfuse wants it
    synchronized int await() {
        try {
            while (!answered) {
                long left =
                        deadline == Long.MAX_VALUE ? Long.MAX_VALUE : deadline - System.nanoTime();
                if (left <= 0) {
                    givenUp = true;
                    return -Errno.ETIMEDOUT;
                }
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            return -errno;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            givenUp = true;
            return -Errno.EINTR;
        }
    }

    private synchronized boolean answer(int error) {
        if (givenUp) {
            return false;
        }
        if (answered) {
            throw new IllegalStateException("answered twice");
        }
        errno = error;
        answered = true;
        notifyAll();
        return true;
    }

    @Override
    public long unique() {
        return 0;
    }

    @Override
    public int uid() {
        return uid;
    }

    @Override
    public int gid() {
        return gid;
    }

    @Override
    public int pid() {
        return pid;
    }

    @Override
    public int[] groups() {
        return NO_GROUPS;
    }

    @Override
    public boolean makesName() {
        return false;
    }

    @Override
    public boolean resent() {
        return false;
    }

    /// libfuse answers signals itself only between requests: the hook is never run.
    @Override
    public void onInterrupt(Runnable hook) {}

    /// No other process goes on with a mount of libfuse.
    @Override
    public void afterAnswer(Runnable step) {
        step.run();
    }

    @Override
    public boolean callerKilled() {
        return false;
    }

    @Override
    public synchronized void deadline(long nanos) {
        deadline = nanos == 0 ? Long.MAX_VALUE : System.nanoTime() + nanos;
        notifyAll();
    }

    @Override
    public boolean fail(int error) {
        return answer(error);
    }

    @Override
    public Attributes attributes() {
        return attributes;
    }

    @Override
    public boolean entry(long child, long generation, long entryNanos, long attributesNanos) {
        node = child;
        return answer(0);
    }

    @Override
    public boolean absent(long entryNanos) {
        return answer(Errno.ENOENT);
    }

    @Override
    public boolean send(long nanos) {
        return answer(0);
    }

    @Override
    public void keeps() {} // this engine's library keeps nothing

    @Override
    public boolean done() {
        return answer(0);
    }

    @Override
    public boolean bytes(byte[] bytes) {
        content = bytes;
        return answer(0);
    }

    @Override
    public boolean value(byte[] bytes) {
        content = bytes;
        return answer(room > 0 && bytes.length > room ? Errno.ERANGE : 0);
    }

    @Override
    public boolean opened(long file, int mode, int backing) {
        handle = file;
        return answer(0);
    }

    @Override
    public boolean created(
            long child,
            long generation,
            long entryNanos,
            long attributesNanos,
            long file,
            int mode,
            int backing) {
        node = child;
        handle = file;
        return answer(0);
    }

    @Override
    public ByteBuffer buffer() {
        ByteBuffer made = buffer;
        if (made == null) {
            made = ByteBuffer.allocateDirect(room);
            buffer = made;
        }
        return made.clear();
    }

    @Override
    public boolean data(int length) {
        return data(buffer().limit(length));
    }

    @Override
    public boolean data(ByteBuffer from) {
        content = new byte[from.remaining()];
        from.get(from.position(), content);
        return answer(0);
    }

    @Override
    public boolean count(long bytes) {
        number = bytes;
        return answer(0);
    }

    @Override
    public boolean offset(long position) {
        number = position;
        return answer(0);
    }

    @Override
    public boolean lock(LockRange conflict) {
        lock = conflict;
        return answer(0);
    }

    @Override
    public boolean statfs(
            long blocks,
            long free,
            long available,
            long files,
            long filesFree,
            int blockBytes,
            int nameBytesMax) {
        statfs = new long[] {blocks, free, available, files, filesFree, blockBytes, nameBytesMax};
        return answer(0);
    }

    @Override
    public boolean plus() {
        return false;
    }

    @Override
    public boolean addName(byte[] name, long inode, int type, long next) {
        if (names.size() == NAMES_MAX) {
            return false;
        }
        names.add(new Name(name, next));
        return true;
    }

    @Override
    public boolean addEntry(
            byte[] name,
            long next,
            long child,
            long generation,
            long entryNanos,
            long attributesNanos) {
        throw new IllegalStateException("attributes were not asked for");
    }
}

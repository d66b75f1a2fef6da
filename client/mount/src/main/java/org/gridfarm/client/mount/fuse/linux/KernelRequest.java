package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

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
import org.gridfarm.client.mount.fuse.OpenMode;
import org.gridfarm.client.mount.fuse.OpenReply;
import org.gridfarm.client.mount.fuse.ReadReply;
import org.gridfarm.client.mount.fuse.SetAttributes;
import org.gridfarm.client.mount.fuse.StatfsReply;
import org.gridfarm.client.mount.fuse.XattrReply;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/// One request and all forms of its answer; the types the operations see let each give only the
/// fitting one.
///
/// ```
///            begin            answer (compare-and-set: one wins)
///   FREE ───────────► ACTIVE ─────────────────────────────────────► ANSWERED ──► FREE, if the worker answered it inline
///                        └──── deadline, signal, end of the mount ─► ABANDONED: the engine answered; what comes later is dropped
/// ```
///
/// The state word carries a count of uses above its two bits, so that a late look never hits the
/// next request. Only an object answered by its own worker, while it held it, is used again; any
/// other is left to the garbage collector, and so are the buffers of an abandoned one, because an
/// operation may still be writing to them.
final class KernelRequest
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

    private static final int FREE = 0;
    private static final int ACTIVE = 1;
    private static final int ANSWERED = 2;
    private static final int ABANDONED = 3;
    private static final int STATE_MASK = 3;

    private static final long SECOND = 1_000_000_000L;

    private static final VarHandle STATE;
    private static final VarHandle HOOK;
    private static final VarHandle INPUT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(KernelRequest.class, "state", long.class);
            HOOK = lookup.findVarHandle(KernelRequest.class, "hook", Runnable.class);
            INPUT = lookup.findVarHandle(KernelRequest.class, "input", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// In [#input] once the request is answered: a buffer that comes later is not needed.
    private static final Object NO_INPUT = new Object();

    private final Session session;
    private final Attributes attributes = new Attributes();
    private @Nullable SetAttributes change;

    private volatile long state = FREE;
    private volatile @Nullable Object input;
    private volatile @Nullable Runnable hook;
    private volatile boolean interrupted;
    private volatile boolean interruptible;
    private volatile boolean hooked;
    private volatile long deadlineAt;
    private volatile boolean registered;
    private @Nullable Thread answerer;
    private boolean answeredOutside;

    int opcode;
    private long unique;
    private long node;
    private long otherNode;
    private int uid;
    private int gid;
    private int pid;
    private int room;
    private long recallMark;
    private int @Nullable [] groups;

    private @Nullable Buffer out;
    private int outLength;

    KernelRequest(Session session) {
        this.session = session;
    }

    // ---- for the worker

    void begin(MemorySegment in, int opcode) {
        this.opcode = opcode;
        unique = in.get(JAVA_LONG, Abi.IN_UNIQUE);
        node = in.get(JAVA_LONG, Abi.IN_NODEID);
        uid = in.get(JAVA_INT, Abi.IN_UID);
        gid = in.get(JAVA_INT, Abi.IN_GID);
        pid = in.get(JAVA_INT, Abi.IN_PID);
        otherNode = 0;
        room = 0;
        groups = null;
        answerer = null;
        outLength = Abi.OUT_BYTES;
        recallMark = session.recalls.now();
        deadlineAt = session.deadlineFromNow();
        if (input != null) {
            input = null;
        }
        if (interrupted) {
            interrupted = false;
        }
        long free = state;
        state = (free & ~STATE_MASK) + 4 + ACTIVE;
    }

    SetAttributes change() {
        SetAttributes known = change;
        if (known == null) {
            known = new SetAttributes();
            change = known;
        }
        return known;
    }

    long node() {
        return node;
    }

    void room(int bytes) {
        room = bytes;
    }

    /// The second directory or file of this request.
    void alsoAt(long other) {
        otherNode = other;
    }

    /// True when the worker that calls may use this object again.
    boolean free(Thread worker) {
        if (answerer != worker || hooked || (state & STATE_MASK) != ANSWERED) {
            return false;
        }
        state = (state & ~STATE_MASK) + FREE;
        return true;
    }

    /// Leaves the buffer that holds the data of a WRITE to this request.
    ///
    /// @return false when the request is answered already: the buffer stays with the caller
    boolean keepInput(Buffer buffer) {
        return INPUT.compareAndSet(this, (Object) null, (Object) buffer);
    }

    /// Says that this object is entered in the session's list, where the answer takes it out again.
    void registered() {
        registered = true;
    }

    // ---- for other engine threads

    boolean active() {
        return (state & STATE_MASK) == ACTIVE;
    }

    boolean at(long nodeNumber) {
        return active() && (node == nodeNumber || otherNode == nodeNumber);
    }

    /// Answers with ETIMEDOUT when the time is over.
    boolean expire(long now) {
        long seen = state;
        return (seen & STATE_MASK) == ACTIVE
                && deadlineAt - now <= 0
                && deadlineAt != Long.MAX_VALUE
                && abandon(seen, Errno.ETIMEDOUT);
    }

    /// Answers with EINTR when the caller is being killed: it will see no answer.
    boolean releaseDying() {
        long seen = state;
        return (seen & STATE_MASK) == ACTIVE
                && interrupted
                && Caller.dying(pid)
                && abandon(seen, Errno.EINTR);
    }

    /// The mount is gone: nobody is there to answer to.
    void forsake() {
        long seen = state;
        if ((seen & STATE_MASK) == ACTIVE
                && STATE.compareAndSet(this, seen, (seen & ~STATE_MASK) + ABANDONED)) {
            session.finished(unique);
        }
    }

    /// The caller of request `uniqueNumber` got a signal.
    ///
    /// @return false when this is not, or no longer, that request
    boolean interrupt(long uniqueNumber) {
        long seen = state;
        if ((seen & STATE_MASK) != ACTIVE || unique != uniqueNumber) {
            return false;
        }
        interrupted = true;
        if (interruptible) {
            abandon(seen, Errno.EINTR);
        } else if (state == seen) {
            runHook();
        }
        return true;
    }

    private void runHook() {
        Runnable mine = (Runnable) HOOK.getAndSet(this, (Runnable) null);
        if (mine != null) {
            mine.run();
        }
    }

    private boolean abandon(long seen, int errno) {
        long number = unique;
        session.enterOutside();
        if (!STATE.compareAndSet(this, seen, (seen & ~STATE_MASK) + ABANDONED)) {
            session.leaveOutside();
            return false;
        }
        session.abandoned(opcode, errno);
        Buffer buffer = session.small.take();
        header(buffer.segment, Abi.OUT_BYTES, -errno, number);
        session.write(buffer, Abi.OUT_BYTES);
        session.small.give(buffer);
        session.finished(number);
        session.leaveOutside();
        return true;
    }

    // ---- Request

    @Override
    public long unique() {
        return unique;
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
        int[] known = groups;
        if (known == null) {
            known = Caller.groups(pid);
            groups = known;
        }
        return known;
    }

    @Override
    public boolean resent() {
        return (unique & Abi.UNIQUE_RESEND) != 0;
    }

    @Override
    public void onInterrupt(Runnable toRun) {
        hooked = true;
        hook = toRun;
        if (interrupted) {
            runHook();
        }
    }

    @Override
    public void interruptible() {
        hooked = true;
        interruptible = true;
        long seen = state;
        if (interrupted && (seen & STATE_MASK) == ACTIVE) {
            abandon(seen, Errno.EINTR);
        }
    }

    @Override
    public boolean interrupted() {
        return interrupted;
    }

    @Override
    public void deadline(long nanos) {
        deadlineAt = nanos == 0 ? Long.MAX_VALUE : System.nanoTime() + nanos;
    }

    @Override
    public boolean fail(int errno) {
        return claim() && send(-errno, Abi.OUT_BYTES);
    }

    // ---- answers

    @Override
    public Attributes attributes() {
        return attributes;
    }

    @Override
    public boolean entry(long child, long generation, long entryNanos, long attributesNanos) {
        if (!claim()) {
            return false;
        }
        MemorySegment body = body();
        boolean believed = believed(child);
        putEntry(
                body,
                Abi.OUT_BYTES,
                child,
                generation,
                believed ? entryNanos : 0,
                believed ? attributesNanos : 0);
        return send(0, Abi.OUT_BYTES + Abi.ENTRY_BYTES);
    }

    @Override
    public boolean absent(long entryNanos) {
        if (!claim()) {
            return false;
        }
        MemorySegment body = body();
        body.asSlice(Abi.OUT_BYTES, Abi.ENTRY_BYTES).fill((byte) 0);
        putTime(
                body,
                Abi.OUT_BYTES + Abi.ENTRY_VALID,
                Abi.OUT_BYTES + Abi.ENTRY_VALID_NSEC,
                believed(node) ? entryNanos : 0);
        return send(0, Abi.OUT_BYTES + Abi.ENTRY_BYTES);
    }

    @Override
    public boolean send(long nanos) {
        if (!claim()) {
            return false;
        }
        MemorySegment body = body();
        putTime(
                body,
                Abi.OUT_BYTES + Abi.ATTR_OUT_VALID,
                Abi.OUT_BYTES + Abi.ATTR_OUT_VALID_NSEC,
                believed(node) ? nanos : 0);
        body.set(JAVA_INT, Abi.OUT_BYTES + Abi.ATTR_OUT_VALID_NSEC + 4, 0);
        putAttributes(body, Abi.OUT_BYTES + Abi.ATTR_OUT_ATTR);
        return send(0, Abi.OUT_BYTES + Abi.ATTR_OUT_BYTES);
    }

    @Override
    public boolean done() {
        if (!claim()) {
            return false;
        }
        if (opcode == Abi.READDIR || opcode == Abi.READDIRPLUS) {
            boolean stale = session.recalls.recalledSince(recallMark, node);
            boolean received = send(0, outLength);
            if (stale) {
                session.notices.forgetListing(node, errno -> {});
            }
            return received;
        }
        if (opcode == Abi.IOCTL) {
            body().asSlice(Abi.OUT_BYTES, Abi.IOCTL_OUT_BYTES).fill((byte) 0);
            return send(0, Abi.OUT_BYTES + Abi.IOCTL_OUT_BYTES);
        }
        return send(0, Abi.OUT_BYTES);
    }

    @Override
    public boolean bytes(byte[] content) {
        if (!claim()) {
            return false;
        }
        MemorySegment body = body(content.length);
        MemorySegment.copy(content, 0, body, JAVA_BYTE, Abi.OUT_BYTES, content.length);
        return send(0, Abi.OUT_BYTES + content.length);
    }

    @Override
    public boolean value(byte[] content) {
        if (room == 0) {
            if (!claim()) {
                return false;
            }
            body().set(JAVA_LONG, Abi.OUT_BYTES, content.length);
            return send(0, Abi.OUT_BYTES + Abi.GETXATTR_OUT_BYTES);
        }
        return content.length > room ? fail(Errno.ERANGE) : bytes(content);
    }

    @Override
    public boolean opened(long handle, int mode, int backing) {
        if (!claim()) {
            return false;
        }
        int believedMode = mode;
        if (opcode == Abi.OPENDIR && !believed(node)) {
            believedMode &= ~OpenMode.KEEP_CACHE;
        }
        putOpen(body(), Abi.OUT_BYTES, handle, believedMode, backing);
        return send(0, Abi.OUT_BYTES + Abi.OPEN_BYTES);
    }

    @Override
    public boolean created(
            long child,
            long generation,
            long entryNanos,
            long attributesNanos,
            long handle,
            int mode,
            int backing) {
        if (!claim()) {
            return false;
        }
        MemorySegment body = body();
        boolean believed = believed(child);
        putEntry(
                body,
                Abi.OUT_BYTES,
                child,
                generation,
                believed ? entryNanos : 0,
                believed ? attributesNanos : 0);
        putOpen(body, Abi.OUT_BYTES + Abi.ENTRY_BYTES, handle, mode, backing);
        return send(0, Abi.OUT_BYTES + Abi.ENTRY_BYTES + Abi.OPEN_BYTES);
    }

    @Override
    public ByteBuffer buffer() {
        Buffer buffer = out;
        if (buffer == null) {
            buffer = session.buffer(Abi.OUT_BYTES + room);
            out = buffer;
        }
        return buffer.reply.clear().limit(room);
    }

    @Override
    public boolean data(int length) {
        if (length < 0 || length > room) {
            throw new IllegalArgumentException(length + " bytes of " + room);
        }
        if (!claim()) {
            return false;
        }
        body(length);
        return send(0, Abi.OUT_BYTES + length);
    }

    @Override
    public boolean data(ByteBuffer content) {
        int length = content.remaining();
        if (length > room) {
            throw new IllegalArgumentException(length + " bytes of " + room);
        }
        if (!claim()) {
            return false;
        }
        if (content.isDirect()) {
            return sendWith(content, length);
        }
        body(length);
        Buffer buffer = out;
        if (buffer != null) {
            buffer.reply.clear().put(0, content, content.position(), length);
        }
        return send(0, Abi.OUT_BYTES + length);
    }

    @Override
    public boolean count(long bytes) {
        if (!claim()) {
            return false;
        }
        // struct fuse_write_out is 32 bits and padding: the same bytes, as long as the count fits
        body().set(JAVA_LONG, Abi.OUT_BYTES, bytes);
        return send(0, Abi.OUT_BYTES + Abi.WRITE_OUT_BYTES);
    }

    @Override
    public boolean offset(long position) {
        if (!claim()) {
            return false;
        }
        body().set(JAVA_LONG, Abi.OUT_BYTES, position);
        return send(0, Abi.OUT_BYTES + 8);
    }

    @Override
    public boolean lock(LockRange conflict) {
        if (!claim()) {
            return false;
        }
        MemorySegment body = body();
        body.set(JAVA_LONG, Abi.OUT_BYTES, conflict.start());
        body.set(JAVA_LONG, Abi.OUT_BYTES + 8, conflict.end());
        body.set(JAVA_INT, Abi.OUT_BYTES + 16, conflict.type());
        body.set(JAVA_INT, Abi.OUT_BYTES + 20, conflict.pid());
        return send(0, Abi.OUT_BYTES + Abi.LK_OUT_BYTES);
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
        if (!claim()) {
            return false;
        }
        MemorySegment body = body().asSlice(Abi.OUT_BYTES, Abi.STATFS_BYTES).fill((byte) 0);
        body.set(JAVA_LONG, Abi.STATFS_BLOCKS, blocks);
        body.set(JAVA_LONG, Abi.STATFS_BFREE, free);
        body.set(JAVA_LONG, Abi.STATFS_BAVAIL, available);
        body.set(JAVA_LONG, Abi.STATFS_FILES, files);
        body.set(JAVA_LONG, Abi.STATFS_FFREE, filesFree);
        body.set(JAVA_INT, Abi.STATFS_BSIZE, blockBytes);
        body.set(JAVA_INT, Abi.STATFS_NAMELEN, nameBytesMax);
        body.set(JAVA_INT, Abi.STATFS_FRSIZE, blockBytes);
        return send(0, Abi.OUT_BYTES + Abi.STATFS_BYTES);
    }

    // ---- directory entries

    @Override
    public boolean plus() {
        return opcode == Abi.READDIRPLUS;
    }

    @Override
    public boolean addName(byte[] name, long inode, int type, long next) {
        int head = plus() ? Abi.ENTRY_BYTES : 0;
        MemorySegment body = roomFor(head, name);
        if (body == null) {
            return false;
        }
        if (head > 0) {
            body.asSlice(outLength, head).fill((byte) 0);
        }
        putName(body, outLength + head, name, inode, type, next);
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
        MemorySegment body = roomFor(Abi.ENTRY_BYTES, name);
        if (body == null) {
            return false;
        }
        boolean believed = believed(child);
        putEntry(
                body,
                outLength,
                child,
                generation,
                believed ? entryNanos : 0,
                believed ? attributesNanos : 0);
        putName(body, outLength + Abi.ENTRY_BYTES, name, attributes.inode, attributes.mode, next);
        return true;
    }

    private @Nullable MemorySegment roomFor(int head, byte[] name) {
        int bytes = head + Abi.align(Abi.DIRENT_NAME + name.length);
        if (outLength - Abi.OUT_BYTES + bytes > room) {
            return null;
        }
        return body(room);
    }

    private void putName(MemorySegment body, int at, byte[] name, long inode, int mode, long next) {
        int end = at + Abi.DIRENT_NAME + name.length;
        body.set(JAVA_LONG, at + Abi.DIRENT_INO, inode);
        body.set(JAVA_LONG, at + Abi.DIRENT_OFF, next);
        body.set(JAVA_INT, at + Abi.DIRENT_NAMELEN, name.length);
        body.set(JAVA_INT, at + Abi.DIRENT_TYPE, (mode >>> 12) & 15);
        MemorySegment.copy(name, 0, body, JAVA_BYTE, at + Abi.DIRENT_NAME, name.length);
        int padded = at + Abi.align(Abi.DIRENT_NAME + name.length);
        for (int i = end; i < padded; i++) {
            body.set(JAVA_BYTE, i, (byte) 0);
        }
        outLength = padded;
    }

    // ---- layout

    private void putEntry(
            MemorySegment body,
            int at,
            long child,
            long generation,
            long entryNanos,
            long attributesNanos) {
        body.set(JAVA_LONG, at + Abi.ENTRY_NODEID, child);
        body.set(JAVA_LONG, at + Abi.ENTRY_GENERATION, generation);
        putTime(body, at + Abi.ENTRY_VALID, at + Abi.ENTRY_VALID_NSEC, entryNanos);
        putTime(body, at + Abi.ENTRY_ATTR_VALID, at + Abi.ENTRY_ATTR_VALID_NSEC, attributesNanos);
        putAttributes(body, at + Abi.ENTRY_ATTR);
    }

    private void putAttributes(MemorySegment body, int at) {
        Attributes a = attributes;
        body.set(JAVA_LONG, at + Abi.ATTR_INO, a.inode);
        body.set(JAVA_LONG, at + Abi.ATTR_SIZE, a.size);
        body.set(JAVA_LONG, at + Abi.ATTR_BLOCKS, a.blocks);
        body.set(JAVA_LONG, at + Abi.ATTR_ATIME, a.atime);
        body.set(JAVA_LONG, at + Abi.ATTR_MTIME, a.mtime);
        body.set(JAVA_LONG, at + Abi.ATTR_CTIME, a.ctime);
        body.set(JAVA_INT, at + Abi.ATTR_ATIMENSEC, a.atimeNanos);
        body.set(JAVA_INT, at + Abi.ATTR_MTIMENSEC, a.mtimeNanos);
        body.set(JAVA_INT, at + Abi.ATTR_CTIMENSEC, a.ctimeNanos);
        body.set(JAVA_INT, at + Abi.ATTR_MODE, a.mode);
        body.set(JAVA_INT, at + Abi.ATTR_NLINK, a.links);
        body.set(JAVA_INT, at + Abi.ATTR_UID, a.uid);
        body.set(JAVA_INT, at + Abi.ATTR_GID, a.gid);
        body.set(JAVA_INT, at + Abi.ATTR_RDEV, a.device);
        body.set(JAVA_INT, at + Abi.ATTR_BLKSIZE, a.blockBytes);
        body.set(JAVA_INT, at + Abi.ATTR_FLAGS, 0);
    }

    private static void putOpen(MemorySegment body, int at, long handle, int mode, int backing) {
        body.set(JAVA_LONG, at + Abi.OPEN_FH, handle);
        body.set(JAVA_INT, at + Abi.OPEN_FLAGS, mode);
        body.set(JAVA_INT, at + Abi.OPEN_BACKING, backing);
    }

    private static void putTime(MemorySegment body, int secondsAt, int nanosAt, long nanos) {
        if (nanos == 0) {
            body.set(JAVA_LONG, secondsAt, 0);
            body.set(JAVA_INT, nanosAt, 0);
        } else {
            body.set(JAVA_LONG, secondsAt, nanos / SECOND);
            body.set(JAVA_INT, nanosAt, (int) (nanos % SECOND));
        }
    }

    private static void header(MemorySegment segment, int length, int error, long unique) {
        segment.set(JAVA_INT, Abi.OUT_LEN, length);
        segment.set(JAVA_INT, Abi.OUT_ERROR, error);
        segment.set(JAVA_LONG, Abi.OUT_UNIQUE, unique);
    }

    /// False when this request's node, or `other`, was recalled since it began: then time-outs are
    /// 0.
    private boolean believed(long other) {
        long mark = recallMark;
        return mark == session.recalls.now()
                || !(session.recalls.recalledSince(mark, node)
                        || session.recalls.recalledSince(mark, other));
    }

    private MemorySegment body() {
        return body(0);
    }

    private MemorySegment body(int bytes) {
        Buffer buffer = out;
        if (buffer == null) {
            buffer = session.buffer(Abi.OUT_BYTES + bytes);
            out = buffer;
        }
        return buffer.segment;
    }

    // ---- sending

    private boolean claim() {
        long seen = state;
        Thread current = Thread.currentThread();
        boolean outside = !session.ownWorker(current);
        if (outside) {
            session.enterOutside();
        }
        if ((seen & STATE_MASK) == ACTIVE
                && STATE.compareAndSet(this, seen, (seen & ~STATE_MASK) + ANSWERED)) {
            answerer = current;
            answeredOutside = outside;
            return true;
        }
        if (outside) {
            session.leaveOutside();
        }
        if ((state & STATE_MASK) == ABANDONED) {
            return false;
        }
        throw new IllegalStateException(
                "request " + unique + " (opcode " + opcode + ") was answered twice");
    }

    private boolean send(int error, int length) {
        body();
        Buffer buffer = out;
        if (buffer == null) {
            throw new IllegalStateException("no buffer");
        }
        header(buffer.segment, length, error, unique);
        boolean received = session.write(buffer, length);
        out = null;
        session.giveBack(buffer);
        end();
        return received;
    }

    /// Header and content from two places in one writev(2).
    private boolean sendWith(ByteBuffer content, int length) {
        Buffer buffer = session.small.take();
        MemorySegment from = MemorySegment.ofBuffer(content);
        header(buffer.segment, Abi.OUT_BYTES + length, 0, unique);
        MemorySegment vector = buffer.segment.asSlice(Abi.OUT_BYTES, 32);
        vector.set(JAVA_LONG, 0, buffer.address);
        vector.set(JAVA_LONG, 8, Abi.OUT_BYTES);
        vector.set(JAVA_LONG, 16, from.address());
        vector.set(JAVA_LONG, 24, length);
        boolean received = session.writev(buffer, vector.address(), Abi.OUT_BYTES + length);
        Reference.reachabilityFence(content);
        session.small.give(buffer);
        Buffer unused = out;
        if (unused != null) {
            out = null;
            session.giveBack(unused);
        }
        end();
        return received;
    }

    private void end() {
        Object kept = INPUT.getAndSet(this, NO_INPUT);
        if (kept instanceof Buffer buffer) {
            session.giveBack(buffer);
        }
        if (registered) {
            session.finished(unique);
        }
        if (answeredOutside) {
            session.leaveOutside();
        }
    }
}

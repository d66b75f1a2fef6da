package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Request;
import org.gridfarm.client.mount.fuse.SetAttributes;
import org.gridfarm.client.mount.fuse.StandIns;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;

/// One request from its beginning to its answer, which is given once.
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
abstract class RequestLife implements Request {

    private static final int FREE = 0;
    private static final int ACTIVE = 1;
    private static final int ANSWERED = 2;
    private static final int ABANDONED = 3;
    private static final int STATE_MASK = 3;

    private static final VarHandle STATE;
    private static final VarHandle HOOK;
    private static final VarHandle AFTER_ANSWER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(RequestLife.class, "state", long.class);
            HOOK = lookup.findVarHandle(RequestLife.class, "hook", Runnable.class);
            AFTER_ANSWER = lookup.findVarHandle(RequestLife.class, "afterAnswer", Runnable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Session session;
    private @Nullable SetAttributes change;

    private volatile long state = FREE;
    private volatile @Nullable Runnable hook;
    private volatile @Nullable Runnable afterAnswer;
    private volatile boolean interrupted;
    private volatile boolean hooked;
    private volatile boolean callerKilled;
    private volatile long deadlineAt;
    private long begunAt;
    private volatile boolean registered;
    private @Nullable Thread answerer;
    private boolean answeredOutside;

    int opcode;
    long unique;
    long node;
    boolean atStandIn;
    private long otherNode;
    private int uid;
    private int gid;
    private int pid;
    int room;
    long recallMark;
    private int @Nullable [] groups;

    @Nullable Buffer out;
    int outLength;
    boolean listingIsKept;

    RequestLife(Session session) {
        this.session = session;
    }

    // ---- for the worker

    void begin(MemorySegment in, int opcode) {
        this.opcode = opcode;
        unique = in.get(JAVA_LONG, Abi.IN_UNIQUE);
        long called = in.get(JAVA_LONG, Abi.IN_NODEID);
        node = StandIns.real(called);
        atStandIn = node != called;
        uid = in.get(JAVA_INT, Abi.IN_UID);
        gid = in.get(JAVA_INT, Abi.IN_GID);
        pid = in.get(JAVA_INT, Abi.IN_PID);
        if (Abi.isOfACall(opcode)) {
            session.tells.asks(pid);
        }
        otherNode = 0;
        room = 0;
        groups = null;
        answerer = null;
        outLength = Abi.OUT_BYTES;
        listingIsKept = false;
        recallMark = session.recalls.now();
        if (opcode == Abi.GETXATTR) {
            session.unbelieved.told(node); // access control lists have no time-out
        }
        deadlineAt = session.deadlineFromNow();
        begunAt = System.nanoTime();
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

    /// Answers with EINTR when the caller is being killed: it will see no answer. Of what the
    /// kernel closes for it afterwards no signal tells.
    boolean releaseDying() {
        long seen = state;
        return (seen & STATE_MASK) == ACTIVE
                && ((interrupted && Caller.dying(pid))
                        || (opcode == Abi.FLUSH && Caller.killed(pid)))
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
        if (state == seen) {
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
        // For good, an abandoned object serves no other request; and before the caller is gone.
        callerKilled = errno == Errno.EINTR;
        session.abandoned(opcode, errno);
        count(-errno);
        Buffer buffer = session.small.take();
        Layout.header(buffer.segment, Abi.OUT_BYTES, -errno, number);
        session.write(buffer, Abi.OUT_BYTES);
        session.small.give(buffer);
        session.finished(number);
        answered();
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
    public boolean makesName() {
        return Caller.makesName(pid);
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
    public void afterAnswer(Runnable step) {
        afterAnswer = step;
        if (!active()) {
            answered();
        }
    }

    private void answered() {
        if (afterAnswer != null) {
            Runnable mine = (Runnable) AFTER_ANSWER.getAndSet(this, (Runnable) null);
            if (mine != null) {
                mine.run();
            }
        }
    }

    @Override
    public boolean callerKilled() {
        return callerKilled;
    }

    @Override
    public void deadline(long nanos) {
        deadlineAt = nanos == 0 ? Long.MAX_VALUE : System.nanoTime() + nanos;
    }

    @Override
    public boolean fail(int errno) {
        return claim() && send(-errno, Abi.OUT_BYTES);
    }

    final MemorySegment body() {
        return body(0);
    }

    final MemorySegment body(int bytes) {
        Buffer buffer = out;
        if (buffer == null) {
            buffer = session.buffer(Abi.OUT_BYTES + bytes);
            out = buffer;
        }
        return buffer.segment;
    }

    // ---- sending

    final boolean claim() {
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

    final boolean send(int error, int length) {
        body();
        Buffer buffer = out;
        if (buffer == null) {
            throw new IllegalStateException("no buffer");
        }
        Layout.header(buffer.segment, length, error, unique);
        count(error);
        boolean received = session.write(buffer, length);
        out = null;
        session.giveBack(buffer);
        end();
        return received;
    }

    /// Header and content from two places in one writev(2).
    final boolean sendWith(ByteBuffer content, int length) {
        Buffer buffer = session.small.take();
        MemorySegment from = MemorySegment.ofBuffer(content);
        Layout.header(buffer.segment, Abi.OUT_BYTES + length, 0, unique);
        count(0);
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

    /// Before the caller goes on, who might look at the counts.
    private void count(int error) {
        session.counts.answered(opcode, error, System.nanoTime() - begunAt);
    }

    private void end() {
        if (registered) {
            session.finished(unique);
        }
        answered();
        if (answeredOutside) {
            session.leaveOutside();
        }
    }
}

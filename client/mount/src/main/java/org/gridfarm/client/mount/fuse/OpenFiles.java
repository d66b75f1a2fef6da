package org.gridfarm.client.mount.fuse;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/// Which way each open file goes, so that the kernel never meets a mixture it answers with EIO.
///
/// Linux 6.18, per inode, from its first open to its last release:
///
/// | open now | direct | passthrough |
/// |---|---|---|
/// | nothing | yes | yes |
/// | direct only | yes | no (a shared mapping would count as cached) |
/// | passthrough | no | yes, of the same backing; with DIRECT_IO the data comes to the file system, mappings do not |
///
/// What is not passed through is direct: the kernel keeps no pages that another client's write
/// would make stale, but those of mappings and splices.
///
/// A replica is replaced by another plain file when it was mended or copied anew; the kernel holds
/// the former one as long as any open of it lasts. Whoever comes meanwhile gets DIRECT_IO of that
/// backing, and the file system reads the replica as it is now.
///
/// A writer that comes to a file passed through gets DIRECT_IO of the same backing: what it writes
/// comes to the file system, which writes into that very file. A shared writable mapping of such an
/// open goes to the backing file unseen: whoever opens so has to look for changes there before it
/// commits.
///
/// Thread-safe under one lock, held while a backing is registered: that is one ioctl on a local
/// file.
public final class OpenFiles {

    /// What was decided for one open. `mode` and `backing` go into the reply, and come back to
    /// [#released].
    public record Way(int mode, int backing) {

        public boolean passthrough() {
            return (mode & OpenMode.PASSTHROUGH) != 0;
        }
    }

    private static final Way DIRECT = new Way(OpenMode.DIRECT_IO, 0);

    private static final class State {
        int direct;
        int passed;
        @Nullable Backing backing;
        @Nullable Object file; // what the backing is; null: not known
        boolean writable;
    }

    private final Map<Long, State> states = new HashMap<>();

    /// An open whose data comes to the file system.
    public synchronized Way open(long node) {
        State state = states.computeIfAbsent(node, key -> new State());
        if (state.backing != null) {
            state.passed++;
            return new Way(OpenMode.PASSTHROUGH | OpenMode.DIRECT_IO, state.backing.id());
        }
        state.direct++;
        return DIRECT;
    }

    /// An open that would like to be passed through: it is where it can be, and direct otherwise.
    ///
    /// @param writer the open may write: then `wish` must give a writable backing of a file that is
    ///   written here alone
    /// @param file identifies the plain file the replica is now; null: not known
    /// @param wish gives a backing of it, whose one holder passes to this table, or null; asked
    ///   only where passthrough may begin
    public synchronized Way openThrough(
            long node, boolean writer, @Nullable Object file, Supplier<@Nullable Backing> wish) {
        State state = states.computeIfAbsent(node, key -> new State());
        if (state.backing != null) {
            boolean suits = file != null && file.equals(state.file) && (!writer || state.writable);
            if (!suits) {
                return open(node);
            }
            state.passed++;
            return new Way(OpenMode.PASSTHROUGH, state.backing.id());
        }
        if (state.direct == 0) {
            Backing backing = wish.get();
            if (backing != null) {
                state.backing = backing;
                state.file = file;
                state.writable = writer;
                state.passed = 1;
                return new Way(OpenMode.PASSTHROUGH, backing.id());
            }
        }
        return open(node);
    }

    /// An open of which the kernel was told by a former process.
    ///
    /// @param writer a passed-through open may write
    /// @param released by the kernel: to be restored last, since the number of its backing may
    ///   stand for another file by now
    /// @param adopt takes over the backing of that number
    public synchronized void restore(
            long node,
            int mode,
            boolean writer,
            boolean released,
            int backing,
            IntFunction<Backing> adopt) {
        State state = states.computeIfAbsent(node, key -> new State());
        if ((mode & OpenMode.PASSTHROUGH) != 0) {
            if (state.backing == null && !(released && isTaken(backing))) {
                state.backing = adopt.apply(backing);
            }
            state.writable |= writer;
            state.passed++;
        } else {
            state.direct++;
        }
    }

    private boolean isTaken(int number) {
        return states.values().stream()
                .anyMatch(state -> state.backing != null && state.backing.id() == number);
    }

    /// One open of `mode` was released, or its answer was not received.
    public synchronized void released(long node, int mode) {
        State state = states.get(node);
        if (state == null) {
            return;
        }
        if ((mode & OpenMode.PASSTHROUGH) != 0) {
            state.passed--;
            if (state.passed == 0 && state.backing != null) {
                state.backing.release();
                state.backing = null;
            }
        } else {
            state.direct--;
        }
        if (state.direct <= 0 && state.passed <= 0) {
            states.remove(node);
        }
    }

    /// A writer would be passed through, if it gets the file that the readers and writers of now
    /// have, or there are none.
    public synchronized boolean mayPassWriter(long node) {
        State state = states.get(node);
        return state == null || (state.backing == null ? state.direct == 0 : state.writable);
    }

    /// The kernel's number of the file that the node is passed through to; 0: none.
    public synchronized int backing(long node) {
        State state = states.get(node);
        return state == null || state.backing == null ? 0 : state.backing.id();
    }

    /// True while any open of the node is passed through: its size and times are those of the
    /// backing file.
    public synchronized boolean passedThrough(long node) {
        State state = states.get(node);
        return state != null && state.backing != null;
    }

    /// Nodes open now.
    public synchronized int size() {
        return states.size();
    }
}

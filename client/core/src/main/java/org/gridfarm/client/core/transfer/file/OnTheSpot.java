package org.gridfarm.client.core.transfer.file;

import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.local.LocalWriting.By;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.Layout;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CompletableFuture;

/**
 * What the thread that calls does by itself, in the plain file of the only replica or of one that
 * nobody can change: without a copy of the bytes, a call or a future. Thread-safe.
 *
 * <p>Writing begins through the chain. Whoever goes on with it is given the file for writing, by
 * the grant that a kernel has, and uses it from a moment on when nothing is under way to the chain.
 */
final class OnTheSpot {
    private final OpenInode open;
    private final FarmFileHandle handle;
    private final FileReads reads;
    private long sent; // bytes through the chain; races cost nothing but a few more
    private int writes;
    private volatile @Nullable CompletableFuture<@Nullable Given> asked;

    /**
     * @param layout that named it
     */
    private record Given(LocalReplica replica, Layout layout) {}

    OnTheSpot(OpenInode open, FarmFileHandle handle, FileReads reads) {
        this.open = open;
        this.handle = handle;
        this.reads = reads;
    }

    /** As {@link org.gridfarm.client.core.transfer.FileHandle#readHere}. */
    int read(long offset, ByteBuffer into) {
        long size = open.sizeUnchanging();
        if (size < 0) {
            return open.content() instanceof Content.Plain plain
                    ? read(plain.file().replica, offset, into, into.remaining(), 0)
                    : -1;
        }
        LocalReplica file = reads.localNow(size);
        int there = (int) Math.max(0, Math.min(into.remaining(), size - offset));
        if (there == 0) {
            return 0;
        }
        return file == null ? -1 : read(file, offset, into, there, there);
    }

    /**
     * @param least fewer bytes, and none at all, are for the nodes to explain
     */
    private static int read(
            LocalReplica file, long offset, ByteBuffer into, int length, int least) {
        int begin = into.position();
        int limit = into.limit();
        int got = -1;
        try {
            int done = file.readThere(offset, into.limit(begin + length));
            got = done < least ? -1 : done;
            return got;
        } catch (IOException e) {
            return -1;
        } finally {
            into.limit(limit);
            if (got < 0) {
                into.position(begin);
            }
        }
    }

    /** Of the file that is written so; -1: it is not. */
    long size() {
        return open.content() instanceof Content.Plain plain ? plain.file().replica.size() : -1;
    }

    /** As {@link org.gridfarm.client.core.transfer.FileHandle#writeHere}. */
    boolean write(long offset, ByteBuffer from) {
        if (!begin(from.remaining())) {
            return false;
        }
        open.changing(1);
        try {
            LocalWriting here = open.content().file();
            return here != null
                    && here.onTheSpot(() ->
                            open.isIn(here)
                                    && !open.isBroken()
                                    && here.isPlaced()
                                    && written(here, offset, from));
        } finally {
            open.changing(-1);
        }
    }

    /** So many bytes are about to be written. False: through the chain. */
    boolean begin(int bytes) {
        return !(open.content() instanceof Content.Sent) || taken(given(bytes));
    }

    private boolean taken(@Nullable Given given) {
        Peer node = given == null ? null : given.replica.node();
        if (given == null || node == null || !node.isOpen()) {
            return false; // the grant ended with the connection: another file may lie there by now
        }
        By by = handle.beganEmpty() ? By.THREADS_ANEW : By.THREADS;
        return open.grantedHere(given.replica, given.layout, by);
    }

    private boolean written(LocalWriting here, long offset, ByteBuffer from) {
        int begin = from.position();
        try {
            here.replica.writeThere(offset, from);
            return true;
        } catch (NoSuchFileException e) {
            return false; // it was claimed just now: nothing was written
        } catch (IOException e) {
            FarmException failure = here.replica.failed("write", e);
            if (failure.kind() == ErrorKind.NO_SPACE && open.leftHere(here)) {
                asked = CompletableFuture.completedFuture(null);
                from.position(begin); // the chain may have room elsewhere for all of it
                return false;
            }
            open.writeFailed();
            throw failure;
        } finally {
            open.wroteHere();
        }
    }

    /** It was given for writing, and waits for what is under way to the chain. */
    boolean isAwaited() {
        return asked != null
                && given(0) != null
                && open.content() instanceof Content.Sent
                && open.mayBeChangedLocally();
    }

    /** Asked for once, when so much was sent that it pays; null: not given, or not yet. */
    private @Nullable Given given(int more) {
        CompletableFuture<@Nullable Given> now = asked;
        if (now == null) {
            sent += more;
            writes++;
            boolean pays =
                    sent > TransferLimits.SENT_BEFORE_HERE
                            || writes > TransferLimits.WRITES_BEFORE_HERE;
            if (pays && !open.limit.applies() && open.mayBeChangedLocally()) {
                Layout layout = open.layoutNow();
                asked =
                        reads.openLocal(true)
                                .thenApply(file -> file == null ? null : new Given(file, layout));
            }
            return null;
        }
        return now.isDone() && !now.isCompletedExceptionally() ? now.join() : null;
    }
}

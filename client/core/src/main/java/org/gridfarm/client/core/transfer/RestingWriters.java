package org.gridfarm.client.core.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Files that the kernel changed in place and that were closed a moment ago: nothing is told of the
 * close as long as nobody asks, and whoever opens the file in the same way goes on with it without
 * a call. To everybody else such a file is one that is open for writing here. It is closed for good
 * when it has rested for a while, when another client takes interest in it, and when it is opened
 * here in another way. Thread-safe.
 */
final class RestingWriters {
    static final Duration RESTS = Duration.ofSeconds(2);

    /** Each has a descriptor and a grant of its node. */
    static final int RESTING_MAX = 64;

    /** Whoever waits for a close does not wait for longer, as with a file that is open. */
    static final Duration WAIT_MAX = Duration.ofSeconds(1);

    /** From close(2) to the release of the file, when nobody else has the descriptor. */
    private static final Duration LEAVES_WITHIN = Duration.ofMillis(10);

    private static final Logger log = LoggerFactory.getLogger(RestingWriters.class);

    /** What can rest: an open file whose last user has gone. */
    interface Writer {
        long inode();

        Credentials who();

        OpenFlags flags();

        /** Somebody else opens it in the same way. */
        void goesOn();

        /** Commits what was written, and gives the file up. */
        CompletableFuture<Void> closeForGood();
    }

    /**
     * @param version of the file's attributes when it was closed
     * @param until on the clock
     */
    private record Resting(Writer writer, long version, long until) {}

    private final Clock clock;

    @GuardedBy("this")
    private final Map<Long, Resting> byInode = new LinkedHashMap<>();

    /** By inode; of those that a program has closed and whose last user is about to go. */
    private final Map<Long, CompletableFuture<Void>> leaving = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private boolean looksSoon;

    RestingWriters(Clock clock) {
        this.clock = clock;
    }

    /** False: too many rest, or another of the same file; it is to be closed for good. */
    boolean add(Writer writer, long version) {
        synchronized (this) {
            long until = clock.nanoTime() + RESTS.toNanos();
            boolean added =
                    byInode.size() < RESTING_MAX
                            && byInode.putIfAbsent(
                                            writer.inode(), new Resting(writer, version, until))
                                    == null;
            if (added && !looksSoon) {
                looksSoon = true;
                clock.after(RESTS, this::look);
            }
            return added;
        }
    }

    /**
     * A program has closed it; that nobody else has the same descriptor is told a moment later, and
     * whoever opens the file meanwhile may wait for that.
     */
    void leaves(long inode) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        CompletableFuture<Void> before = leaving.put(inode, told);
        if (before != null) {
            before.complete(null);
        }
        clock.after(
                LEAVES_WITHIN,
                () -> {
                    leaving.remove(inode, told);
                    told.complete(null);
                });
    }

    /** Its last user has gone. */
    void left(long inode) {
        CompletableFuture<Void> told = leaving.remove(inode);
        if (told != null) {
            told.complete(null);
        }
    }

    /** Completes when its last user has gone, or a moment later; null: none is about to go. */
    @Nullable CompletableFuture<Void> leaving(long inode) {
        return leaving.get(inode);
    }

    /**
     * The same user's, opened in the same way; null: there is none, and whatever rested of the file
     * has to be {@linkplain #end ended} before it is opened.
     *
     * @param version of the inode's attributes, which are leased
     */
    synchronized @Nullable Writer take(long inode, Credentials who, OpenFlags flags, long version) {
        Resting found = byInode.get(inode);
        if (found == null
                || found.version != version
                || !found.writer.who().equals(who)
                || !found.writer.flags().equals(flags)) {
            return null;
        }
        byInode.remove(inode);
        found.writer.goesOn();
        return found.writer;
    }

    /** Completes when it is closed for good, well or not, or a moment later. */
    CompletableFuture<Void> end(long inode) {
        Resting ended;
        synchronized (this) {
            ended = byInode.remove(inode);
        }
        return ended == null ? CompletableFuture.completedFuture(null) : end(ended);
    }

    CompletableFuture<Void> endAll() {
        List<Resting> all;
        synchronized (this) {
            all = List.copyOf(byInode.values());
            byInode.clear();
        }
        return CompletableFuture.allOf(
                all.stream().map(this::end).toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> end(Resting ended) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        clock.after(WAIT_MAX, () -> over.complete(null));
        ended.writer
                .closeForGood()
                .whenComplete((done, thrown) -> {
                    if (thrown != null) {
                        log.warn(
                                "close of inode {}, which was written here: {}",
                                Long.toHexString(ended.writer.inode()),
                                FarmException.of(thrown, "close", "").getMessage());
                    }
                    over.complete(null);
                });
        return over;
    }

    private void look() {
        List<Resting> over = new ArrayList<>();
        synchronized (this) {
            long now = clock.nanoTime();
            Iterator<Resting> all = byInode.values().iterator();
            long next = 0;
            while (all.hasNext()) {
                Resting resting = all.next();
                if (resting.until - now > 0) {
                    next = resting.until - now; // the eldest comes first
                    break;
                }
                all.remove();
                over.add(resting);
            }
            looksSoon = next > 0;
            if (looksSoon) {
                clock.after(Duration.ofNanos(next), this::look);
            }
        }
        over.forEach(this::end);
    }
}

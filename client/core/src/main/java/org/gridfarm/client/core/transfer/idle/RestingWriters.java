package org.gridfarm.client.core.transfer.idle;

import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Files that the kernel wrote and that were closed a moment ago. To everybody else such a file is
 * one that is open for writing here.
 *
 * <p>One that was changed in place rests: nothing is told of the close as long as nobody asks, and
 * whoever opens the file in the same way goes on with it without a call. It is closed for good when
 * it has rested for a while, when another client takes interest in it, and when it is opened here
 * in another way.
 *
 * <p>One that is new is closed for good a moment later, together with others, and its program does
 * not wait for that. Whoever wants the file has it closed at once. Thread-safe.
 */
public final class RestingWriters {
    static final Duration RESTS = Duration.ofSeconds(2);

    /** Each has a descriptor and a grant of its node. */
    static final int RESTING_MAX = 64;

    /** Then programs wait for the closes of what they make. */
    static final int CLOSING_MAX = 128;

    /**
     * Whoever waits for a close does not wait for longer, as with a file that is open: its node or
     * the metaserver does not answer.
     */
    static final Duration WAIT_MAX = Duration.ofSeconds(5);

    /**
     * From close(2) to the release of the file, as a rule, when nobody else has the descriptor. Who
     * wants the file waits for that; on a machine without a processor to spare it takes longer.
     */
    static final Duration LEAVES_WITHIN = Duration.ofMillis(10);

    private static final Logger log = LoggerFactory.getLogger(RestingWriters.class);

    /** What can rest: an open file whose last user has gone. */
    public interface Writer {
        long inode();

        long id();

        Credentials who();

        OpenFlags flags();

        /** Somebody else opens it in the same way. */
        void goesOn();

        /** Commits what was written; the file stays open. */
        CompletableFuture<Void> settle();

        /** Commits what was written, and gives the file up. */
        CompletableFuture<Void> closeForGood();
    }

    /**
     * @param version of the file's attributes when it was closed
     * @param until on the clock
     */
    private record Resting(Writer writer, long version, long until) {}

    private final Clock clock;

    private final Aging<Resting> byInode;
    private final Gathering gathering;

    /**
     * @param soon on the clock; whoever has not gone then may have a second descriptor
     * @param isToCommit nothing is owed but the commit: who opens the file need not wait
     */
    private record Leaving(
            Writer writer, CompletableFuture<Void> gone, long soon, boolean isToCommit) {}

    /** By handle; of those that a program has closed and whose last user is about to go. */
    private final Map<Long, Leaving> leaving = new ConcurrentHashMap<>();

    /** By inode; completes when all its closes are over, well or not. Put under the lock. */
    private final Map<Long, CompletableFuture<Void>> closing = new ConcurrentHashMap<>();

    /** The same of those that only who changes the file waits for. */
    private final Map<Long, CompletableFuture<Void>> committing = new ConcurrentHashMap<>();

    public RestingWriters(Clock clock) {
        this.clock = clock;
        this.byInode = new Aging<>(clock, Resting::until, this::over);
        this.gathering = new Gathering(clock);
    }

    /** False: too many rest, or another of the same file; it is to be closed for good. */
    public boolean add(Writer writer, long version) {
        long until = clock.nanoTime() + RESTS.toNanos();
        return byInode.size() < RESTING_MAX
                && byInode.addIfAbsent(writer.inode(), new Resting(writer, version, until));
    }

    /**
     * A program has closed it, and what it wrote is not committed; that nobody else has the same
     * descriptor is told a moment later. Whoever wants the file meanwhile waits for that, and if it
     * is not told, for a commit.
     */
    public void leaves(Writer writer) {
        leaves(writer, false);
    }

    /** The same of one whose nodes have all that it wrote: who opens the file need not wait. */
    public void leavesToCommit(Writer writer) {
        leaves(writer, true);
    }

    private void leaves(Writer writer, boolean isToCommit) {
        long soon = clock.nanoTime() + LEAVES_WITHIN.toNanos();
        leaving.compute(
                writer.id(),
                (id, before) ->
                        new Leaving(
                                writer,
                                before == null ? new CompletableFuture<>() : before.gone,
                                soon,
                                isToCommit));
    }

    /**
     * The step that closes it for good, to be run without a lock. Whoever waits for its last user
     * waits for that, too.
     *
     * @param together where only the commit is missing: it may wait a moment for others, or until
     *     somebody wants it
     */
    public Supplier<CompletableFuture<Void>> begunLeaving(Writer writer, boolean together) {
        Leaving found = leaving.get(writer.id());
        if (found == null) {
            return writer::closeForGood;
        }
        Supplier<CompletableFuture<Void>> close =
                begun(writer, found.isToCommit ? committing : closing);
        return together && found.isToCommit ? () -> gathered(close) : close;
    }

    private CompletableFuture<Void> gathered(Supplier<CompletableFuture<Void>> close) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        gathering.add(() -> follow(close.get(), over));
        gathering.beginIfMany();
        return over;
    }

    /** Its last user has gone. */
    public void left(long handle) {
        Leaving before = leaving.remove(handle);
        if (before != null) {
            before.gone.complete(null);
        }
    }

    /** For who opens it: when its last user has gone, or a moment later; null: none is to go. */
    public @Nullable CompletableFuture<Void> leaving(long inode) {
        CompletableFuture<?>[] soon =
                leaversOf(inode)
                        .filter(leaver -> !leaver.isToCommit && timeLeft(leaver).toNanos() > 0)
                        .map(leaver -> within(timeLeft(leaver), leaver.gone))
                        .toArray(CompletableFuture<?>[]::new);
        return soon.length == 0 ? null : CompletableFuture.allOf(soon);
    }

    /** Completes when they have gone, or what they wrote is committed. */
    private CompletableFuture<Void> goneOrSettled(LongStream inodes, Predicate<Leaving> which) {
        if (leaving.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.allOf(
                inodes.boxed()
                        .flatMap(this::leaversOf)
                        .filter(which)
                        .map(this::goneOrSettled)
                        .toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> goneOrSettled(Leaving leaver) {
        return gone(leaver, RestingWriters::settled);
    }

    /**
     * It may go while it is being committed, and its handle with it: then its close tells whether
     * all is well.
     */
    private CompletableFuture<Void> goneOrCommitted(Leaving leaver) {
        return gone(
                leaver,
                writer ->
                        writer.settle()
                                .exceptionallyCompose(thrown ->
                                        leaver.gone.isDone()
                                                ? CompletableFuture.completedFuture(null)
                                                : CompletableFuture.failedFuture(thrown)));
    }

    private CompletableFuture<Void> gone(
            Leaving leaver, Function<Writer, CompletableFuture<Void>> otherwise) {
        return within(timeLeft(leaver), leaver.gone)
                .thenCompose(done ->
                        leaver.gone.isDone()
                                ? CompletableFuture.completedFuture(null)
                                : otherwise.apply(leaver.writer));
    }

    /** That it cannot be committed is told to who closes or syncs it. */
    private static CompletableFuture<Void> settled(Writer writer) {
        return writer.settle()
                .exceptionally(thrown -> {
                    log.debug(
                            "inode {} is not settled: {}",
                            Long.toHexString(writer.inode()),
                            thrown.getMessage());
                    return null;
                });
    }

    /**
     * Completes when what was written through an open file is committed, or cannot be, which its
     * programs hear.
     *
     * @param most completes then anyhow
     */
    public CompletableFuture<Void> told(Writer open, Duration most) {
        return within(most, settled(open));
    }

    private Duration timeLeft(Leaving leaver) {
        return Duration.ofNanos(leaver.soon - clock.nanoTime());
    }

    private Stream<Leaving> leaversOf(long inode) {
        return leaving.values().stream().filter(leaver -> leaver.writer.inode() == inode);
    }

    /**
     * The same user's, opened in the same way; null: there is none, and whatever rested of the file
     * has to be {@linkplain #end ended} before it is opened. Nobody who empties the file takes it,
     * though that is how it was opened before: its content would stay.
     *
     * @param version of the inode's attributes, which are leased
     */
    public @Nullable Writer take(long inode, Credentials who, OpenFlags flags, long version) {
        Resting found = byInode.get(inode);
        if (flags.truncate()
                || found == null
                || found.version != version
                || !found.writer.who().equals(who)
                || !found.writer.flags().equals(flags)
                || !byInode.remove(inode, found)) {
            return null;
        }
        found.writer.goesOn();
        return found.writer;
    }

    /**
     * For who opens it in another way. Completes when what rested is closed for good, or after a
     * while; what is only to be committed is not waited for.
     */
    public CompletableFuture<Void> endToOpen(long inode) {
        return within(
                WAIT_MAX,
                goneOrSettled(LongStream.of(inode), leaver -> !leaver.isToCommit)
                        .thenCompose(gone -> endNow(inode)));
    }

    /** As below, for somebody who can wait as for a file that is open. */
    public CompletableFuture<Void> end(long inode) {
        return end(inode, WAIT_MAX);
    }

    /**
     * Completes when what was closed of it by programs is closed for good, well or not.
     *
     * @param most completes then anyhow; the close goes on
     */
    public CompletableFuture<Void> end(long inode, Duration most) {
        return within(
                most,
                goneOrSettled(LongStream.of(inode), leaver -> true)
                        .thenCompose(gone -> endAndCommit(inode)));
    }

    private CompletableFuture<Void> endAndCommit(long inode) {
        CompletableFuture<Void> ended = endNow(inode);
        CompletableFuture<Void> committed = committing.get(inode);
        if (committed == null) {
            return ended;
        }
        gathering.begin();
        return CompletableFuture.allOf(ended, committed);
    }

    private CompletableFuture<Void> endNow(long inode) {
        Runnable close = null;
        CompletableFuture<Void> over;
        synchronized (this) { // it rests or is being closed: nobody finds neither
            Resting ended = byInode.remove(inode);
            if (ended != null) {
                close = begunUnawaited(ended.writer);
            }
            over = closing.get(inode);
        }
        if (close != null) {
            close.run();
        }
        if (over == null) {
            return CompletableFuture.completedFuture(null);
        }
        gathering.begin();
        return over;
    }

    private void over(long inode, Resting rested) {
        Runnable close;
        synchronized (this) {
            if (!byInode.remove(inode, rested)) {
                return;
            }
            close = begunUnawaited(rested.writer);
        }
        close.run();
    }

    /**
     * For who changes them. Completes when none of them rests or is being closed, or a moment
     * later; null: none is. One whose last user is about to go is waited for, too, or committed.
     */
    public @Nullable CompletableFuture<Void> closing(long[] inodes) {
        CompletableFuture<Void> gone = goneOrSettled(LongStream.of(inodes), leaver -> true);
        if (gone.isDone()) {
            return underWay(inodes);
        }
        return within(
                WAIT_MAX,
                gone.thenCompose(done -> {
                    CompletableFuture<Void> under = underWay(inodes);
                    return under == null ? CompletableFuture.completedFuture(null) : under;
                }));
    }

    private @Nullable CompletableFuture<Void> underWay(long[] inodes) {
        if (byInode.size() == 0 && closing.isEmpty() && committing.isEmpty()) {
            return null;
        }
        CompletableFuture<?>[] under =
                LongStream.of(inodes)
                        .mapToObj(this::endAndCommit)
                        .filter(over -> !over.isDone())
                        .toArray(CompletableFuture<?>[]::new);
        return under.length == 0 ? null : within(WAIT_MAX, CompletableFuture.allOf(under));
    }

    private CompletableFuture<Void> within(Duration limit, CompletableFuture<Void> over) {
        CompletableFuture<Void> soon = new CompletableFuture<>();
        over.whenComplete((done, thrown) -> soon.complete(null));
        if (limit.isNegative() || limit.isZero()) {
            soon.complete(null);
        } else if (!soon.isDone()) {
            clock.after(limit, () -> soon.complete(null));
        }
        return soon;
    }

    /** Another file may be closed while its program goes on. */
    public boolean hasRoom() {
        return closing.size() + committing.size() < CLOSING_MAX;
    }

    /**
     * Completes when all are closed for good, and what was written through those whose last user is
     * about to go, or has not gone, is committed; fails if that fails for any.
     */
    public CompletableFuture<Void> endAll() {
        return leaving.isEmpty()
                ? endAllNow()
                : CompletableFuture.allOf(
                                leaving.values().stream()
                                        .map(this::goneOrCommitted)
                                        .toArray(CompletableFuture<?>[]::new))
                        .thenCompose(gone -> endAllNow());
    }

    private CompletableFuture<Void> endAllNow() {
        List<Runnable> closes;
        CompletableFuture<?>[] all;
        synchronized (this) {
            closes =
                    byInode.removeAll().stream()
                            .map(resting -> begunUnawaited(resting.writer))
                            .toList();
            all =
                    Stream.of(closing, committing)
                            .flatMap(map -> map.values().stream())
                            .toArray(CompletableFuture<?>[]::new);
        }
        closes.forEach(Runnable::run);
        gathering.begin();
        return CompletableFuture.allOf(all);
    }

    /**
     * It is closed for good by the step, which is to be run without a lock; from now on whoever
     * wants the file waits for that.
     */
    private synchronized Supplier<CompletableFuture<Void>> begun(
            Writer writer, Map<Long, CompletableFuture<Void>> among) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        CompletableFuture<Void> before = among.get(writer.inode());
        CompletableFuture<Void> all = before == null ? over : CompletableFuture.allOf(before, over);
        among.put(writer.inode(), all);
        all.whenComplete((done, thrown) -> among.remove(writer.inode(), all));
        return () -> close(writer, over);
    }

    private static CompletableFuture<Void> close(Writer writer, CompletableFuture<Void> over) {
        CompletableFuture<Void> closed;
        try {
            closed = writer.closeForGood();
        } catch (RuntimeException e) { // whoever waits hears of it, and others are closed
            closed = CompletableFuture.failedFuture(e);
        }
        follow(closed, over);
        return over;
    }

    private static void follow(CompletableFuture<Void> step, CompletableFuture<Void> over) {
        step.whenComplete((done, thrown) -> {
            if (thrown == null) {
                over.complete(null);
            } else {
                over.completeExceptionally(thrown);
            }
        });
    }

    /**
     * The same, a moment later and together with others, or when somebody wants it; the log tells
     * when it fails.
     */
    public Runnable begunSoon(Writer writer) {
        gathering.add(begunUnawaited(writer));
        return gathering::beginIfMany;
    }

    /** No program waits for it: the log tells when it fails. */
    public Runnable begunUnawaited(Writer writer) {
        Supplier<CompletableFuture<Void>> close = begun(writer, closing);
        return () -> {
            var unused =
                    close.get()
                            .exceptionally(thrown -> {
                                log.warn(
                                        "close of inode {}, which was written here: {}",
                                        Long.toHexString(writer.inode()),
                                        FarmException.of(thrown, "close", "").getMessage());
                                return null;
                            });
        };
    }
}

package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.KernelCache;
import org.gridfarm.client.mount.fuse.RawName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

/// Sends invalidations, each on a lane that fits how long the kernel may hold it up.
///
/// Names, former places of directories and pages have a lane each, because the kernel makes such a
/// notice wait for requests of this mount; what never waits goes by a fourth, so that a recall can
/// always overtake. See the table in [KernelCache].
final class KernelNotices implements KernelCache {

    private static final Logger LOG = LoggerFactory.getLogger(KernelNotices.class);
    private static final long NAMES_WAIT_NANOS = 5_000_000L;
    private static final long PAGES_WAIT_NANOS = 20_000_000L;
    private static final long SETTLED_ASKED_EVERY_NANOS = 1_000_000L;

    private final Session session;
    private final NoticeLane names;
    private final NoticeLane places;
    private final NoticeLane pages;
    private final NoticeLane quick;

    KernelNotices(Session session) {
        this.session = session;
        names = new NoticeLane(session, "names");
        places = new NoticeLane(session, "places");
        pages = new NoticeLane(session, "pages");
        quick = new NoticeLane(session, "quick");
    }

    void start() {
        names.start();
        places.start();
        pages.start();
        quick.start();
    }

    void finish() {
        names.finish();
        places.finish();
        pages.finish();
        quick.finish();
    }

    void join() throws InterruptedException {
        names.join();
        places.join();
        pages.join();
        quick.join();
    }

    /// Asks the kernel for all requests that another process of this mount had read and not
    /// answered.
    void resend() {
        int errno = new Notice(session).resend();
        if (errno != 0) {
            LOG.warn(
                    "what the process before had not answered does not come again: errno {}",
                    errno);
        }
    }

    @Override
    public void expireEntry(long parent, RawName name, Done done) {
        names.submit(notice -> notice.entry(parent, name, true), done);
    }

    @Override
    public void forgetEntry(long parent, RawName name, Done done) {
        places.submit(notice -> notice.entry(parent, name, false), done);
    }

    @Override
    public void deleteEntry(long parent, long child, RawName name, Done done) {
        names.submit(notice -> notice.deleted(parent, child, name), done);
    }

    @Override
    public void forgetData(long node, long offset, long length, Done done) {
        pages.submit(notice -> notice.inode(node, offset, length), done);
    }

    @Override
    public void forgetAttributes(long node, Done done) {
        session.recalls.recalled(node);
        forgetSettled(node, done);
    }

    private void forgetSettled(long node, Done done) {
        whenSettled(
                () -> session.tells.attributesSettleIn(node),
                notice -> notice.inode(node, -1, 0),
                done);
    }

    @Override
    public void recallAttributes(long node, Done done) {
        session.recalls.recalled(node);
        if (session.unbelieved.has(node)) {
            done.done(0);
            return;
        }
        long mark = session.unbelieved.mark(node);
        forgetSettled(
                node,
                errno -> {
                    if (errno == 0 || errno == Errno.ENOENT) {
                        session.unbelieved.forgotten(node, mark);
                    }
                    done.done(errno);
                });
    }

    @Override
    public void recallData(long node, Done done) {
        AtomicBoolean told = new AtomicBoolean();
        Done once =
                errno -> {
                    if (told.compareAndSet(false, true)) done.done(errno);
                };
        forgetData(node, 0, 0, once);
        quick.submit(PAGES_WAIT_NANOS, notice -> 0, once);
    }

    @Override
    public void forgetListing(long directory, Done done) {
        quick.submit(notice -> notice.inode(directory, 0, 0), done);
    }

    @Override
    public void forgetAllEntries(Done done) {
        session.recalls.everythingRecalled();
        whenSettled(session.tells::allSettleIn, Notice::epoch, done);
    }

    /// As [#forgetAllEntries], but answers may be under way to the kernel that it will believe.
    void forgetAllEntriesNow(Done done) {
        quick.submit(Notice::epoch, done);
    }

    @Override
    public boolean busy(long directory) {
        return session.busy(directory);
    }

    @Override
    public void recall(long directory, RawName[] changedNames, long[] changed, Done done) {
        session.recalls.recalled(directory);
        for (long node : changed) {
            session.recalls.recalled(node);
        }
        whenSettled(
                () -> settleIn(directory, changedNames, changed),
                notice -> recallNow(notice, directory, changedNames, changed),
                done);
    }

    private long settleIn(long directory, RawName[] changedNames, long[] changed) {
        long longest =
                Math.max(
                        session.tells.attributesSettleIn(directory),
                        session.tells.namesSettleIn(directory)); // listings are kept by it, too
        for (long node : changed) {
            longest = Math.max(longest, session.tells.attributesSettleIn(node));
        }
        return longest;
    }

    /// On the quick lane, when the kernel has taken notice of what is to be forgotten.
    private void whenSettled(LongSupplier settleIn, ToIntFunction<Notice> what, Done done) {
        long left = settleIn.getAsLong();
        if (left == 0) {
            quick.submit(what, done);
            return;
        }
        quick.submit(
                Math.min(left, SETTLED_ASKED_EVERY_NANOS),
                notice -> 0,
                errno -> {
                    if (errno == 0) {
                        whenSettled(settleIn, what, done);
                    } else {
                        done.done(errno);
                    }
                });
    }

    /// On the quick lane: names by themselves while nothing holds them up, else all names of the
    /// mount by an epoch.
    private int recallNow(Notice notice, long directory, RawName[] changedNames, long[] changed) {
        int worst = 0;
        if (changedNames.length > 0 && !expired(directory, changedNames)) {
            worst = notice.epoch();
            if (worst == Errno.EINVAL || worst == Errno.ENOSYS) {
                // No epochs before Linux 6.16: nothing is left but to wait for the names.
                worst = awaitNames();
            }
        }
        worst = worse(worst, notice.inode(directory, 0, 0));
        for (long node : changed) {
            worst = worse(worst, notice.inode(node, -1, 0));
        }
        return worst;
    }

    private boolean expired(long directory, RawName[] changedNames) {
        if (names.behind() || session.busy(directory)) {
            return false;
        }
        CountDownLatch left = new CountDownLatch(changedNames.length);
        for (RawName name : changedNames) {
            names.submit(notice -> notice.entry(directory, name, true), errno -> left.countDown());
        }
        try {
            return left.await(NAMES_WAIT_NANOS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private int awaitNames() {
        AtomicInteger outcome = new AtomicInteger();
        CountDownLatch reached = new CountDownLatch(1);
        names.submit(
                notice -> 0,
                errno -> {
                    outcome.set(errno);
                    reached.countDown();
                });
        try {
            reached.await();
            return outcome.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Errno.EINTR;
        }
    }

    /// ENOENT says that nothing was cached, which is as good as success.
    private static int worse(int one, int other) {
        return one != 0 && one != Errno.ENOENT ? one : other == Errno.ENOENT ? 0 : other;
    }
}

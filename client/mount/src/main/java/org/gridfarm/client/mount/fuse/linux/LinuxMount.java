package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.client.mount.fuse.Connection;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.MountOptions;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// A file system mounted on a directory of this machine.
///
/// Simple use: `try (LinuxMount mount = LinuxMount.mount(dir, options, operations)) {
/// mount.awaitEnd(); }`
///
/// Use with a supervisor: the supervisor calls [#prepare] and keeps the device open; a child
/// started by [#spawn] calls [#resume] with the text of [#saved] and serves. When the child dies,
/// requests wait in the kernel; the next child resumes, and gets again what the first had read and
/// not answered ([org.gridfarm.client.mount.fuse.Request#resent]).
///
/// Thread-safe.
public final class LinuxMount implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LinuxMount.class);
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(2);
    private static final Duration SYNC_WAIT = Duration.ofSeconds(5);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

    private final SavedMount saved;
    private final MountOptions options;
    private @Nullable Session session;

    private LinuxMount(SavedMount saved, MountOptions options) {
        this.saved = saved;
        this.options = options;
    }

    /// Loads what serving needs; nothing is mounted.
    public static void load() {
        LOG.debug("user {} stands by", Libc.effectiveUser());
        for (Class<?> type :
                List.of(
                        Session.class,
                        Worker.class,
                        Dispatcher.class,
                        KernelRequest.class,
                        KernelNotices.class,
                        Notice.class,
                        LinuxPassthrough.class)) {
            LOG.debug("{}", type);
        }
    }

    /// Mounts and serves.
    ///
    /// A mount that a dead process left on `directory` is taken off first.
    public static LinuxMount mount(Path directory, MountOptions options, FuseOperations operations)
            throws IOException {
        LinuxMount mount = prepare(directory, options);
        mount.serve(operations, false);
        return mount;
    }

    /// Mounts and agrees with the kernel on the protocol, but serves nothing yet: requests wait.
    public static LinuxMount prepare(Path directory, MountOptions options) throws IOException {
        Path point = cleared(directory);
        return negotiate(Mounter.mount(point, options), point, options);
    }

    private static Path cleared(Path directory) throws IOException {
        Path point = Mounter.canonical(directory);
        if (Mounter.clearDead(point)) {
            LOG.info("took off what a mount process that died left on {}", point);
        }
        return point;
    }

    private static LinuxMount negotiate(int fd, Path point, MountOptions options)
            throws IOException {
        try {
            Negotiation agreed =
                    Negotiation.carryOut(
                            fd, options, new Buffer(MountOptions.WRITE_BYTES_LIMIT + 4096));
            MountTable.Entry entry = MountTable.at(point);
            if (entry == null) {
                throw new IOException("the mount on " + point + " vanished");
            }
            if (options.readAheadKib() > 0
                    && !Mounter.readAhead(entry.device(), options.readAheadKib())) {
                LOG.debug("read-ahead of {} stays at the kernel's choice", point);
            }
            return new LinuxMount(
                    new SavedMount(
                            fd,
                            point,
                            entry.device(),
                            agreed.minor(),
                            agreed.flags(),
                            agreed.writeBytesMax()),
                    options);
        } catch (IOException | RuntimeException e) {
            Libc.close(fd);
            Mounter.unmount(point, true);
            throw e;
        }
    }

    /// As [#prepare(Path, MountOptions)], with the rights of root on a device that somebody else
    /// opened and keeps.
    public static LinuxMount prepareOn(int device, Path directory, MountOptions options)
            throws IOException {
        Libc.inheritable(device, false);
        Path point = cleared(directory);
        Mounter.mountDevice(device, point, options);
        return negotiate(device, point, options);
    }

    /// Turns this process into another program, which gets the device under `number`.
    public IOException become(List<String> command, int number) {
        int errno = Libc.duplicate(saved.fd(), number);
        if (errno < 0) {
            return new IOException("cannot hand the device over: errno " + -errno);
        }
        Libc.inheritable(number, true);
        return ThisProcess.become(command, number);
    }

    /// Goes on serving a mount that another process made; `saved` names the open device it left to
    /// this one.
    public static LinuxMount resume(
            SavedMount saved, MountOptions options, FuseOperations operations) {
        Libc.inheritable(saved.fd(), false);
        LinuxMount mount = new LinuxMount(saved, options);
        mount.serve(operations, true);
        return mount;
    }

    /// Serves a mount that was only prepared.
    public void serve(FuseOperations operations) {
        serve(operations, false);
    }

    private synchronized void serve(FuseOperations operations, boolean resumed) {
        if (session != null) {
            throw new IllegalStateException(saved.point() + " is served already");
        }
        Session made = new Session(saved.fd(), options, saved.negotiation(), operations, resumed);
        session = made;
        made.start();
    }

    /// Starts a program that gets the device of this mount under the same number ([SavedMount#fd]).
    /// Standard streams are shared.
    ///
    /// @return its process id
    public int spawn(List<String> command, Map<String, String> environment) throws IOException {
        int pid = Mounter.spawn(command, environment, saved.fd());
        if (pid < 0) {
            throw new IOException("cannot start " + command.get(0) + ": errno " + -pid);
        }
        return pid;
    }

    /// Waits for a program started by [#spawn].
    ///
    /// @return its exit status, or 128 + the signal that killed it
    public static int waitFor(int pid) {
        return Libc.waitFor(pid);
    }

    /// What another process needs to go on with this mount.
    public SavedMount saved() {
        return saved;
    }

    public Path point() {
        return saved.point();
    }

    /// The file system's side of the mount.
    public synchronized Connection connection() {
        return served();
    }

    /// Operations that missed their deadline so far.
    public synchronized long timeouts() {
        return served().timeouts();
    }

    /// Changes while requests are looked after.
    public synchronized long sweeps() {
        return served().sweeps();
    }

    /// Takes the mount off; fails when it is in use.
    public void unmount() throws IOException {
        Mounter.unmount(saved.point(), false);
    }

    /// Takes the mount off from the tree; whoever has files open on it may go on.
    public void detach() throws IOException {
        Mounter.unmount(saved.point(), true);
    }

    /// Ends it whatever is under way: every request, now and later, fails. Passed-through files
    /// stay readable and writable for those who have them open.
    public void abort() throws IOException {
        Mounter.abort(saved.point(), saved.device());
        if (isThere()) detach();
    }

    /// Ends what is mounted on `point`, whatever serves it and whatever state that is in: calls
    /// under way fail. Touches nothing but the kernel's tables.
    ///
    /// @return false when nothing of ours is mounted there
    public static boolean force(Path point) throws IOException {
        MountTable.Entry there = MountTable.at(point);
        if (there == null || !there.fuse()) {
            return false;
        }
        Mounter.abort(point, there.device());
        there = MountTable.at(point);
        if (there != null && there.fuse()) {
            Mounter.unmount(point, true);
        }
        return true;
    }

    /// Waits until the mount is gone.
    public void awaitEnd() throws InterruptedException {
        awaitEnd(Duration.ZERO);
    }

    /// Waits until the mount is gone.
    ///
    /// @param atMost zero to wait without end
    /// @return false when it is still there
    public boolean awaitEnd(Duration atMost) throws InterruptedException {
        Session mine;
        synchronized (this) {
            mine = served();
        }
        return mine.awaitEnd(atMost.toNanos());
    }

    /// Takes the mount off. Where it is in use, what programs have changed in memory is written
    /// first, which may take 5 s; who still uses it after 2 s more loses it.
    @Override
    public void close() throws IOException {
        Session mine;
        synchronized (this) {
            mine = session;
        }
        if (mine == null) {
            if (isThere()) detach();
            Libc.close(saved.fd());
            return;
        }
        try {
            if (isThere() && !Mounter.unmountedUnused(saved.point())) {
                Mounter.sync(saved.point(), SYNC_WAIT);
                if (Mounter.canAbortDetached(saved.device())) detach();
            }
            if (!awaitDisuse(mine)) {
                abort();
                mine.awaitEnd(CLOSE_WAIT.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /// What can be aborted only while it is in the tree stays there until nobody uses it.
    private boolean awaitDisuse(Session mine) throws IOException, InterruptedException {
        long until = System.nanoTime() + CLOSE_WAIT.toNanos();
        while (System.nanoTime() - until < 0) {
            if (mine.awaitEnd(LOOK_AGAIN.toNanos())) return true;
            if (isThere()) Mounter.unmountedUnused(saved.point());
        }
        return false;
    }

    /// The kernel gives a number that has become free to the next mount.
    private boolean isThere() throws IOException {
        Session mine;
        synchronized (this) {
            mine = session;
        }
        if (mine != null && mine.isUnmounted()) return false;
        MountTable.Entry there = MountTable.at(saved.point());
        return there != null && there.fuse() && there.device() == saved.device();
    }

    private Session served() {
        Session mine = session;
        if (mine == null) {
            throw new IllegalStateException(saved.point() + " is not served");
        }
        return mine;
    }
}

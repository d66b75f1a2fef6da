package org.gridfarm.client.mount.fuse;

/// What the kernel keeps of this mount, to be taken back when another mount changed it.
///
/// Every call returns at once; the outcome is told to `done` on an engine thread. **A request of
/// this mount must never wait for it**: the kernel carries out some of these only when requests in
/// flight have been answered. Which ones wait is said at each (observed on Linux 6.18). [#recall]
/// has the whole rule for a changed directory. What the kernel was told a moment ago is forgotten a
/// moment later ([RecentTells]).
public interface KernelCache {

    /// Told the outcome: 0, or a positive errno. ENOENT says that nothing was cached.
    @FunctionalInterface
    interface Done {
        void done(int errno);
    }

    /// Has the name looked up again at its next use. **Waits** while a change or a lookup in
    /// `parent` is in flight.
    void expireEntry(long parent, RawName name, Done done);

    /// Forgets the name, and mounts below it. **Waits** as [#expireEntry].
    void forgetEntry(long parent, RawName name, Done done);

    /// Forgets the name as removed, telling watchers so. **Waits** as [#expireEntry].
    void deleteEntry(long parent, long child, RawName name, Done done);

    /// Forgets pages of a file, and its attributes; `length` 0 is all to the end. **Waits** while
    /// reads of those pages are in flight.
    void forgetData(long node, long offset, long length, Done done);

    /// Forgets attributes and access control lists. Never waits.
    void forgetAttributes(long node, Done done);

    /// The same where another mount has changed them. An engine that knows that the kernel believes
    /// none of them anyway leaves it out ([Unbelieved]).
    default void recallAttributes(long node, Done done) {
        forgetAttributes(node, done);
    }

    /// Forgets pages of a file that another mount may change from now on. `done` is told when that
    /// is done, or after 20 ms: it **waits** as [#forgetData], and pages exist only of mappings and
    /// splices, since opens are direct.
    default void recallData(long node, Done done) {
        forgetData(node, 0, 0, done);
    }

    /// Forgets the cached listing and the attributes of a directory. Never waits.
    void forgetListing(long directory, Done done);

    /// Has every name of the mount looked up again at its next use, itself without waiting for
    /// anything. ENOSYS or EINVAL from kernels older than 6.16.
    void forgetAllEntries(Done done);

    /// Another mount changed `names` in `directory`, and `changed` nodes: replies built before this
    /// call and not yet sent go out with no time-outs, and `done` is told when the kernel no longer
    /// believes any of it, without ever waiting for a request of this mount (beyond 5 ms).
    void recall(long directory, RawName[] names, long[] changed, Done done);

    /// A request that names `directory` as its node is in flight.
    boolean busy(long directory);
}

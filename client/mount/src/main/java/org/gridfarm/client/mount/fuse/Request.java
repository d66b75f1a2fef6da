package org.gridfarm.client.mount.fuse;

/// One request of the kernel that waits for its answer; the part that all replies share.
///
/// Owned by the engine. After the answer the object may serve another request: keep no reference.
/// Accessors are for the thread that holds the request, answers may come from any one thread.
public interface Request {

    /// The kernel's number of this request.
    long unique();

    /// User id of the caller on the file system (fsuid).
    int uid();

    /// Group id of the caller on the file system (fsgid).
    int gid();

    /// Thread id of the caller, 0 where the caller lives in another pid namespace.
    int pid();

    /// Supplementary groups of the caller, read from `/proc/PID/status` when first asked for; empty
    /// where that cannot be read.
    int[] groups();

    /// True when the caller makes a directory, a link or a special file: of these calls the kernel
    /// makes no second attempt where it could not take the answer to a lookup. False where that
    /// cannot be told.
    boolean makesName();

    /// True when `group` is the caller's group or one of its supplementary groups.
    default boolean inGroup(int group) {
        if (group == gid()) {
            return true;
        }
        for (int one : groups()) {
            if (one == group) {
                return true;
            }
        }
        return false;
    }

    /// Delivered again after another process served this mount: it may have been carried out
    /// already.
    boolean resent();

    /// Calls `hook` once when the caller gets a signal, at once if it already has; the hook usually
    /// ends in `fail(EINTR)`. It runs on an engine thread and must not wait. Only for what signals
    /// interrupt on a local disk, too: programs do not expect it of others. Who is being killed is
    /// let go without it.
    void onInterrupt(Runnable hook);

    /// Runs `step` once when this request cannot come again, at once if it cannot now: the kernel
    /// has its answer, whoever gave it. One step a request; it runs on any thread and must not
    /// wait.
    void afterAnswer(Runnable step);

    /// True when the caller was being killed while it waited and was let go without an answer: what
    /// becomes of the request is nothing to anybody.
    boolean callerKilled();

    /// Moves the deadline to `nanos` from now; 0 takes it away. The mount's default applies
    /// otherwise.
    void deadline(long nanos);

    /// Answers with an error.
    ///
    /// @param errno positive, as in [Errno]
    /// @return false when nobody received it
    boolean fail(int errno);
}

package org.gridfarm.protocol.attributes;

import org.gridfarm.protocol.wire.Attributes;

import java.time.Duration;

/**
 * The times of a file after a write, so that closing it moves nothing that a program saw before.
 * The time of the write is another clock's than the one of the file, and the kernel's clock for
 * files goes by ticks: it may seem to lie before the file's last change. All times are nanoseconds
 * since 1970.
 */
public final class WriteTimes {
    /** Two clocks of one farm that show less than this show the same. */
    private static final long APART_MAX = Duration.ofSeconds(1).toNanos();

    private WriteTimes() {}

    public static long modified(long mtime, long ctime, long written) {
        return isBefore(mtime, ctime, written) && mtime - written <= APART_MAX ? mtime : written;
    }

    /** Of a write whose clock is wrong, the time at which it was heard of. */
    public static long changed(long mtime, long ctime, long written, long now) {
        boolean wrong =
                written - now > APART_MAX
                        || (isBefore(mtime, ctime, written) && mtime - written > APART_MAX);
        return wrong ? now : Math.max(ctime, written);
    }

    /** As they are shown to who knows of the write before it is committed. */
    public static void show(Attributes.Builder attributes, long written) {
        long mtime = attributes.getMtime();
        long ctime = attributes.getCtime();
        attributes.setMtime(modified(mtime, ctime, written)).setCtime(Math.max(ctime, written));
    }

    /** When it was written last; 0: not known, since a later time than the last change was set. */
    public static long written(Attributes attributes) {
        return attributes.getMtime() <= attributes.getCtime() ? attributes.getMtime() : 0;
    }

    /**
     * An object that was changed later than this was written since the times were what they are.
     * The change time does not tell: links, modes and extended attributes move it, too.
     *
     * @param until when writing began, or somebody set the modification time since; 0: not known
     */
    public static long told(long until, long mtime, long ctime) {
        return until == 0 ? ctime : Math.max(until, Math.min(mtime, ctime));
    }

    /** The same of attributes of a file that is being written. */
    public static long told(Attributes attributes) {
        return told(attributes.getToldUntil(), attributes.getMtime(), attributes.getCtime());
    }

    /** A time later than the last change was set by somebody, and tells nothing of clocks. */
    private static boolean isBefore(long mtime, long ctime, long written) {
        return written < mtime && mtime <= ctime;
    }
}

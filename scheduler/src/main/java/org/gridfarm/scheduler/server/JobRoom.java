package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

/**
 * Memory for jobs. Those that have not ended have to be in it, now and when a scheduler starts
 * anew: so much may be submitted as half of the heap holds, by one user three quarters of that
 * unless it is one job. Those that have ended are in the table, too.
 *
 * @param heap bytes
 */
record JobRoom(long heap) {
    private static final int SHIFT_OF_MIB = 20;

    static JobRoom ofThisProcess() {
        return new JobRoom(Runtime.getRuntime().maxMemory());
    }

    /**
     * OVERLOADED where jobs that have not ended may not take so much with one more.
     *
     * @param ofUser that he has already
     * @param ofAll that there is already
     */
    void require(long ofUser, long ofAll, long more) {
        if (ofUser > 0 && ofUser + more > heap / 8 * 3) {
            throw refused("your jobs that have not ended would take", ofUser + more, heap / 8 * 3);
        }
        if (ofAll + more > heap / 2) {
            throw refused("all jobs that have not ended would take", ofAll + more, heap / 2);
        }
    }

    private static FarmException refused(String what, long bytes, long most) {
        return new FarmException(
                ErrorKind.OVERLOADED,
                "submit",
                "",
                "%s %d MiB of the scheduler's memory, of %d MiB: wait until some have ended, or make it larger (GF_HEAP)"
                        .formatted(what, bytes >> SHIFT_OF_MIB, most >> SHIFT_OF_MIB));
    }

    /** For those that have ended and are kept at hand. */
    long done() {
        return heap / 8;
    }

    /** For older ones that somebody has asked for. */
    long recalled() {
        return heap / 16;
    }
}

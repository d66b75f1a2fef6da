package org.gridfarm.protocol.env;

/**
 * A thread that serves everybody in its process: those of the network, and the clock's. Whoever
 * waits on it, for a disk or a lock, holds up calls that have nothing to do with his.
 */
public interface SharedThread {
    static boolean isCurrent() {
        return Thread.currentThread() instanceof SharedThread;
    }
}

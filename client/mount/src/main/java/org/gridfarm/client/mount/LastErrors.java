package org.gridfarm.client.mount;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * What failed last, for people: by inode for the attribute {@code gf.last_error}, and the newest of
 * all. Ordinary refusals (no such file, permission denied) are not failures of the farm and are not
 * kept. Thread-safe; bounded.
 */
final class LastErrors {
    private static final Logger log = LoggerFactory.getLogger(LastErrors.class);
    private static final int KEPT_MAX = 1000;

    private final Map<Long, String> byInode = new HashMap<>();
    private final Deque<Long> order = new ArrayDeque<>();

    void note(long inode, String operation, FarmException failure) {
        if (!isTrouble(failure.kind())) {
            return;
        }
        String text =
                java.time.Instant.now()
                        + " "
                        + failure.kind()
                        + " "
                        + operation
                        + ": "
                        + failure.getMessage();
        log.warn("inode {}: {}", Long.toHexString(inode), text);
        synchronized (this) {
            if (byInode.put(inode, text) == null) {
                order.addLast(inode);
                if (order.size() > KEPT_MAX) {
                    byInode.remove(order.removeFirst());
                }
            }
        }
    }

    synchronized @Nullable String of(long inode) {
        return byInode.get(inode);
    }

    synchronized Map<Long, String> all() {
        return Map.copyOf(byInode);
    }

    private static boolean isTrouble(ErrorKind kind) {
        return switch (kind) {
            case DATA_UNAVAILABLE,
                    DATA_LOST,
                    CORRUPT,
                    DISK_FAILED,
                    WRONG_GENERATION,
                    TICKET_REFUSED,
                    OBJECT_ABSENT,
                    TIMED_OUT,
                    DISCONNECTED,
                    UNAVAILABLE,
                    NOT_LEADER,
                    OVERLOADED,
                    SESSION_ENDED,
                    NOT_READY,
                    NOT_AUTHENTICATED,
                    PROTOCOL,
                    INTERNAL,
                    NO_SPACE,
                    STALE,
                    BAD_HANDLE ->
                    true;
            default -> false;
        };
    }
}

package org.gridfarm.client.mount;

import org.gridfarm.client.mount.fuse.Passthrough;
import org.gridfarm.protocol.wire.Attributes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds out what the kernel has read by itself: where reading a file would move its access time,
 * that of its local replica is set back before, and moves with the first read. (Not where the disk
 * of the storage node is mounted noatime.) Thread-safe.
 */
final class PassedReads {
    private static final Logger log = LoggerFactory.getLogger(PassedReads.class);

    private final AccessTimes times;
    private final Map<Long, Watched> watched = new ConcurrentHashMap<>();

    private record Watched(Attributes opened, Path replica) {}

    PassedReads(AccessTimes times) {
        this.times = times;
    }

    /** The kernel is about to read the replica. */
    void opened(Attributes opened, Path replica, Passthrough kernel) {
        if (times.wouldMove(opened) && kernel.forgetReads(replica)) {
            watched.put(opened.getInode(), new Watched(opened, replica));
        }
    }

    /** Before the access time is shown, or the file is closed. */
    void look(long node) {
        Watched file = watched.isEmpty() ? null : watched.get(node);
        if (file == null) {
            return;
        }
        try {
            BasicFileAttributes now =
                    Files.readAttributes(file.replica(), BasicFileAttributes.class);
            if (now.lastAccessTime().toMillis() != 0) {
                watched.remove(node, file);
                times.read(file.opened());
            }
        } catch (IOException e) {
            log.debug("whether {} was read cannot be told: {}", file.replica(), e.getMessage());
            watched.remove(node, file);
        }
    }

    /**
     * Somebody sets the time: what was read before does not count. Nor does what is read through
     * the same open after that, since the node may read the file, too, and that looks alike.
     */
    void timeSet(long node) {
        watched.remove(node);
    }

    /** One open of it is over. Of others that have not read yet nothing is noticed then. */
    void left(long node) {
        look(node);
        watched.remove(node);
    }
}

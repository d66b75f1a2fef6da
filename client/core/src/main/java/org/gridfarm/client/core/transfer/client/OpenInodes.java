package org.gridfarm.client.core.transfer.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.client.core.transfer.file.FarmFileHandle;
import org.gridfarm.client.core.transfer.file.OpenInode;
import org.gridfarm.client.core.transfer.file.Wiring;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is known of the files that are open here, or are being opened. Thread-safe; whoever holds
 * its lock over several calls does them as one.
 */
final class OpenInodes {
    private final Wiring wiring;

    /** Changed under the lock alone. */
    private final Map<Long, OpenInode> open = new ConcurrentHashMap<>();

    /** How many opens of each are under way. */
    @GuardedBy("this")
    private final Map<Long, Integer> opening = new HashMap<>();

    OpenInodes(Wiring wiring) {
        this.wiring = wiring;
    }

    synchronized @Nullable OpenInode find(long inode) {
        return open.get(inode);
    }

    /** One that nothing is known of yet, if it is not open. */
    synchronized OpenInode ofInode(long inode) {
        return open.computeIfAbsent(inode, number -> new OpenInode(number, wiring));
    }

    /** Waits for nobody. */
    boolean has(long inode) {
        return open.containsKey(inode);
    }

    synchronized List<OpenInode> all() {
        return List.copyOf(open.values());
    }

    /**
     * What is known of the file stays known while it is being opened, though its last handle may be
     * closed meanwhile: the answer may be older than that handle's commit.
     *
     * @return whether it is open
     */
    synchronized boolean hold(long inode) {
        boolean isOpen = !ofInode(inode).handles().isEmpty();
        opening.merge(inode, 1, Integer::sum);
        return isOpen;
    }

    synchronized void letGo(long inode) {
        opening.computeIfPresent(inode, (i, opens) -> opens == 1 ? null : opens - 1);
        forgetIfUnused(inode);
    }

    synchronized void closed(FarmFileHandle handle) {
        handle.open().closed(handle);
        forgetIfUnused(handle.inode());
    }

    @GuardedBy("this")
    private void forgetIfUnused(long inode) {
        OpenInode shared = open.get(inode);
        if (shared != null && shared.handles().isEmpty() && !opening.containsKey(inode)) {
            open.remove(inode);
        }
    }
}

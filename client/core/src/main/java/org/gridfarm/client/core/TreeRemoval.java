package org.gridfarm.client.core;

import org.gridfarm.client.core.metadata.DirectoryPage;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.gridfarm.protocol.wire.FileType;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Removes a directory with everything below it: many names under way at once, directories when they
 * are empty.
 */
final class TreeRemoval {
    private static final int PAGE_ENTRIES = 1_000;
    private static final int UNDER_WAY_MAX =
            64; // commands at the leader: enough to fill its group commits

    private final Gridfarm farm;
    private final Metadata metadata;

    TreeRemoval(Gridfarm farm) {
        this.farm = farm;
        this.metadata = farm.metadata();
    }

    void remove(FileInfo top) {
        if (top.isDirectory()) {
            empty(top.path(), top.inode());
        }
        farm.delete(top.path());
    }

    /**
     * Begins again at the first page until nothing is left, since what is removed moves no cookies.
     */
    private void empty(FarmPath path, long inode) {
        while (true) {
            DirectoryPage page =
                    Blocking.await(
                            metadata.list(metadata.self(), inode, 0, PAGE_ENTRIES, false),
                            "delete",
                            path);
            removeAll(path, inode, page.entries());
            if (page.end()) {
                return;
            }
        }
    }

    private void removeAll(FarmPath path, long inode, List<DirectoryEntry> entries) {
        Deque<CompletableFuture<?>> underWay = new ArrayDeque<>();
        for (Iterator<DirectoryEntry> each = entries.iterator(); each.hasNext(); ) {
            DirectoryEntry entry = each.next();
            Name name = Name.of(entry.getName().toByteArray());
            if (entry.getType() == FileType.DIRECTORY) {
                empty(path.child(name), entry.getInode());
                underWay.add(metadata.rmdir(metadata.self(), inode, name));
            } else {
                underWay.add(metadata.unlink(metadata.self(), inode, name));
            }
            awaitAllBut(UNDER_WAY_MAX, underWay, path);
        }
        awaitAllBut(0, underWay, path);
    }

    private static void awaitAllBut(
            int count, Deque<CompletableFuture<?>> underWay, FarmPath path) {
        while (underWay.size() > count) {
            try {
                Blocking.await(underWay.remove(), "delete", path);
            } catch (FarmException e) {
                if (e.kind() != ErrorKind.NOT_FOUND) { // somebody else removed it
                    throw e;
                }
            }
        }
    }
}

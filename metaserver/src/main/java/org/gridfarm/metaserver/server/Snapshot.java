package org.gridfarm.metaserver.server;

import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.Outcome;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The state as changes for a cache that starts from nothing, page by page while other changes go
 * on: of what a page holds the leader keeps nothing, so a cache that comes costs it the numbers of
 * the inodes and no second copy of the state. What changes meanwhile is streamed to the cache and
 * applied after it, whether it was in a page already or not: images are absolute. Event thread.
 */
final class Snapshot {
    /** Changes in one page: about 1 MB of small ones. */
    private static final int PAGE_CHANGES_MAX = 8192;

    /** Bytes in one page, but for one change more; a frame takes 8 MiB. */
    private static final int PAGE_BYTES_MAX = 1 << 20;

    private final FarmState state;
    private final long[] inodes;
    private final long[] replicated;
    private final long[] written;
    private final Deque<Change> ready = new ArrayDeque<>();
    private final Deque<Outcome> outcomes;
    private int atInode;
    private int atDirectory;
    private long afterCookie;
    private int atReplicated;
    private int atWritten;

    Snapshot(FarmState state) {
        this.state = state;
        this.inodes = state.namespace().inodeNumbers();
        this.replicated = state.replicas().inodeNumbers();
        this.written = state.writtenInodes();
        this.outcomes = new ArrayDeque<>(state.outcomes().all());
        state.exportFew(ready::add);
    }

    /** About how many rows are to come, for people. */
    long rows() {
        return 2L * inodes.length + replicated.length + outcomes.size();
    }

    record Page(List<Change> changes, List<Outcome> outcomes) {}

    Page next() {
        List<Change> changes = new ArrayList<>();
        List<Outcome> answers = new ArrayList<>();
        long bytes = 0;
        while (bytes < PAGE_BYTES_MAX && changes.size() < PAGE_CHANGES_MAX && fill()) {
            Change change = ready.remove();
            bytes += change.getSerializedSize();
            changes.add(change);
        }
        while (bytes < PAGE_BYTES_MAX && ready.isEmpty() && isExported() && !outcomes.isEmpty()) {
            Outcome outcome = outcomes.remove();
            bytes += outcome.getSerializedSize();
            answers.add(outcome);
        }
        return new Page(changes, answers);
    }

    boolean isEnd() {
        return !fill() && outcomes.isEmpty();
    }

    private boolean isExported() {
        return atInode == inodes.length
                && atDirectory == inodes.length
                && atReplicated == replicated.length
                && atWritten == written.length;
    }

    /** Inodes come before names and copies. False: there is no more. */
    private boolean fill() {
        while (ready.isEmpty() && !isExported()) {
            if (atInode < inodes.length) {
                state.namespace().exportInode(inodes[atInode++], ready::add);
            } else if (atDirectory < inodes.length) {
                fillEntries();
            } else if (atReplicated < replicated.length) {
                for (var row : state.allRows(replicated[atReplicated++])) {
                    ready.add(Change.newBuilder().setReplica(row).build());
                }
            } else {
                var image = state.writing(written[atWritten++]);
                if (image != null) ready.add(Change.newBuilder().setWriting(image).build());
            }
        }
        return !ready.isEmpty();
    }

    private void fillEntries() {
        afterCookie =
                state.namespace()
                        .exportEntries(
                                inodes[atDirectory], afterCookie, PAGE_CHANGES_MAX, ready::add);
        if (afterCookie == 0) atDirectory++;
    }
}

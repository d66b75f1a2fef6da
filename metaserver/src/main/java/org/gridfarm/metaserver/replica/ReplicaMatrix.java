package org.gridfarm.metaserver.replica;

import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

import java.util.ArrayList;
import java.util.List;

/**
 * How many files want so many copies and have so many that can be read, and which. A farm has few
 * levels, so there are few cells; a file costs a bit to a few bytes. Owned by the event thread.
 */
public final class ReplicaMatrix {
    /** More copies than this, wanted or there, are counted as this many. */
    public static final int COPIES_MAX = 15;

    /**
     * Files that stand alike.
     *
     * @param live copies that can be read now
     */
    public record Cell(int wanted, int live, long files) {}

    private static final class Members {
        final int wanted;
        final int live;
        final Roaring64Bitmap inodes = new Roaring64Bitmap();

        Members(int wanted, int live) {
            this.wanted = wanted;
            this.live = live;
        }
    }

    private final List<Members> cells = new ArrayList<>();

    /** The file is counted in this cell and in no other; in none, where there is nothing to say. */
    void put(long inode, @Nullable Standing standing) {
        Members now = standing == null ? null : cell(standing);
        for (Members cell : cells) {
            if (cell != now) cell.inodes.removeLong(inode);
        }
        if (now != null) now.inodes.addLong(inode);
    }

    private Members cell(Standing standing) {
        int wanted = Math.clamp(standing.content().wanted(), 0, COPIES_MAX);
        int live = Math.clamp(standing.live(), 0, COPIES_MAX);
        Members known = find(wanted, live);
        if (known != null) return known;
        Members made = new Members(wanted, live);
        cells.add(made);
        return made;
    }

    private @Nullable Members find(int wanted, int live) {
        for (Members cell : cells) {
            if (cell.wanted == wanted && cell.live == live) return cell;
        }
        return null;
    }

    /** The cells that have files, in no order. */
    public List<Cell> cells() {
        return cells.stream()
                .map(cell -> new Cell(cell.wanted, cell.live, cell.inodes.getLongCardinality()))
                .filter(cell -> cell.files() > 0)
                .toList();
    }

    public long count(int wanted, int live) {
        Members cell = find(wanted, live);
        return cell == null ? 0 : cell.inodes.getLongCardinality();
    }

    /** Files of one cell, in order, after the given one. */
    public long[] list(int wanted, int live, long after, int limit) {
        Members cell = find(wanted, live);
        return cell == null ? new long[0] : ReplicaMap.take(cell.inodes, after, limit);
    }
}

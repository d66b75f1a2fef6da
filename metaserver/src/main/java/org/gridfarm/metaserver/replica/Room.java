package org.gridfarm.metaserver.replica;

import java.util.List;

/** How much content fits on nodes when no two copies of it may share one. */
public final class Room {
    private Room() {}

    /**
     * The most bytes that can be stored so that each lies on {@code level} different nodes: x with
     * {@code sum of min(room, x) >= level * x}. With fewer nodes than the level asks for, content
     * is kept on all there are.
     */
    public static long available(List<Long> rooms, int level) {
        int copies = Math.min(level, rooms.size());
        if (copies == 0) {
            return 0;
        }
        long low = 0;
        long high = rooms.stream().mapToLong(Long::longValue).sum() / copies;
        while (low < high) {
            long x = low + (high - low + 1) / 2;
            long sum = 0;
            for (long room : rooms) {
                sum += Math.min(room, x);
            }
            if (sum >= x * copies) {
                low = x;
            } else {
                high = x - 1;
            }
        }
        return low;
    }
}

package org.gridfarm.client.mount;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * How numbers of users, or of groups, on this machine and in the farm stand for one another. A
 * number that no range has is itself on the other side, unless a range gives it there to somebody
 * else: then it is nobody. Immutable.
 */
final class IdMap {
    static final int NOBODY = 65534;
    static final IdMap SAME = new IdMap(List.of());

    private static final int HIGHEST = Integer.MAX_VALUE - 1;

    /** {@code count} numbers from {@code local} here are those from {@code farm} there. */
    private record Range(int local, int farm, int count) {
        Range back() {
            return new Range(farm, local, count);
        }
    }

    private final List<Range> ranges;
    private final boolean named;
    private final Map<Integer, Integer> there; // of those that names join
    private final Map<Integer, Integer> here;

    private IdMap(List<Range> ranges) {
        this(ranges, false, Map.of(), Map.of());
    }

    private IdMap(
            List<Range> ranges,
            boolean named,
            Map<Integer, Integer> there,
            Map<Integer, Integer> here) {
        this.ranges = List.copyOf(ranges);
        this.named = named;
        this.there = Map.copyOf(there);
        this.here = Map.copyOf(here);
    }

    /**
     * The ranges of this map, and beyond them these numbers alone: all others are nobody. The
     * superuser is himself on both sides, whatever he is called.
     *
     * @param numbers of this machine, with theirs in the farm
     */
    IdMap byName(Map<Integer, Integer> numbers) {
        Map<Integer, Integer> out = new HashMap<>(Map.of(0, 0, NOBODY, NOBODY));
        Map<Integer, Integer> back = new HashMap<>(out);
        numbers.forEach((local, farm) -> {
            boolean free = isFree(local, range -> range) && isFree(farm, Range::back);
            if (free && !out.containsKey(local) && !back.containsKey(farm)) {
                out.put(local, farm);
                back.put(farm, local);
            }
        });
        return new IdMap(ranges, true, out, back);
    }

    private boolean isFree(int id, UnaryOperator<Range> way) {
        return ranges.stream()
                .map(way)
                .noneMatch(range -> id >= range.local && id - range.local < range.count);
    }

    /**
     * This map and one range more.
     *
     * @param text {@code LOCAL:FARM[:COUNT]}
     * @throws FarmException USAGE
     */
    IdMap with(String text) {
        if (!text.matches("[0-9]{1,9}:[0-9]{1,9}(:[0-9]{1,9})?")) {
            throw wrong(text, "is no LOCAL:FARM[:COUNT] of numbers");
        }
        String[] parts = text.split(":");
        int count = parts.length < 3 ? 1 : Integer.parseInt(parts[2]);
        return with(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), count);
    }

    IdMap with(int local, int farm, int count) {
        if (count < 1 || local > HIGHEST - count || farm > HIGHEST - count) {
            throw wrong(local + ":" + farm + ":" + count, "is empty or too long");
        }
        for (Range range : ranges) {
            if (meet(range.local, range.count, local, count)
                    || meet(range.farm, range.count, farm, count)) {
                throw wrong(local + ":" + farm, "overlaps a range given before");
            }
        }
        List<Range> all = new ArrayList<>(ranges);
        all.add(new Range(local, farm, count));
        return new IdMap(all);
    }

    private static FarmException wrong(String range, String why) {
        return new FarmException(ErrorKind.USAGE, "mount -o", range, why);
    }

    private static boolean meet(int a, int aCount, int b, int bCount) {
        return a < b + bCount && b < a + aCount;
    }

    boolean isSame() {
        return ranges.isEmpty() && !named;
    }

    /** Whether a number of this machine has one there. */
    boolean isKnownThere(int local) {
        return local == NOBODY || there(local) != NOBODY;
    }

    int there(int local) {
        return across(local, range -> range, there);
    }

    int here(int farm) {
        return across(farm, Range::back, here);
    }

    private int across(int id, UnaryOperator<Range> way, Map<Integer, Integer> byName) {
        boolean taken = false;
        for (Range given : ranges) {
            Range range = way.apply(given);
            if (id >= range.local && id - range.local < range.count) {
                return range.farm + (id - range.local);
            }
            taken |= id >= range.farm && id - range.farm < range.count;
        }
        if (named) return taken ? NOBODY : byName.getOrDefault(id, NOBODY);
        return taken ? NOBODY : id;
    }
}

package org.gridfarm.client.cli.gateway.s3;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.NameText;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Goes through a bucket in the order of keys, which is that of their bytes. The farm lists a
 * directory in another order, so each is gone through for the names that come next; that of a large
 * one is remembered ({@link Orders}). Memory goes by the size of the page. For one thread.
 */
final class ObjectWalk {
    private static final Comparator<byte[]> BY_BYTES = Arrays::compareUnsigned;

    private final Gridfarm farm;
    private final Prefixes prefixes;
    private final Orders orders;
    private final String account;
    private final byte[] after;
    private final boolean isFlat;
    private final int limit;
    private final List<Page.Item> items = new ArrayList<>();

    /**
     * @param after keys up to this one are left out
     * @param isFlat what is in a directory is one item, its common prefix
     * @param limit of the page
     */
    ObjectWalk(S3Call call, Orders orders, String after, boolean isFlat, int limit) {
        this.farm = call.farm();
        this.prefixes = new Prefixes(farm);
        this.orders = orders;
        this.account = call.signed().key().account();
        this.after = after.getBytes(StandardCharsets.UTF_8);
        this.isFlat = isFlat;
        this.limit = limit;
    }

    /** Those whose keys begin so. */
    Page page(Place bucket, String prefix) {
        int slash = prefix.lastIndexOf('/');
        String directory = prefix.substring(0, slash + 1);
        byte[] begin = prefix.substring(slash + 1).getBytes(StandardCharsets.UTF_8);
        FarmPath path = bucket.bucketPath();
        if (!directory.isEmpty()) {
            FileInfo top = directory(bucket, directory);
            if (top == null) return new Page(List.of(), true);
            path = top.path();
            if (begin.length == 0) itself(directory, top);
        }
        walk(path, directory, begin);
        boolean isWhole = items.size() <= limit;
        return new Page(List.copyOf(items.subList(0, Math.min(limit, items.size()))), isWhole);
    }

    /** Null: there is none, or there cannot be one of such a name. */
    private @Nullable FileInfo directory(Place bucket, String key) {
        for (String part : key.substring(0, key.length() - 1).split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..") || Place.isHidden(part)) {
                return null;
            }
        }
        try {
            FileInfo found = farm.stat(bucket.other(key).path());
            return found.isDirectory() ? found : null;
        } catch (FarmException e) {
            return switch (e.kind()) {
                case NOT_FOUND, NOT_A_DIRECTORY, NAME_TOO_LONG -> null;
                default -> throw e;
            };
        }
    }

    /** An empty directory is an object, unless it was made for objects only. */
    private void itself(String key, FileInfo directory) {
        if (isBehind(bytes(key)) && isEmpty(directory.path()) && !prefixes.isMarked(directory)) {
            items.add(new Page.Item(key, directory));
        }
    }

    private boolean isEmpty(FarmPath directory) {
        try (Stream<FileInfo> entries = farm.list(directory)) {
            return entries.noneMatch(entry -> !Place.isHidden(entry.path().last().toString()));
        }
    }

    private boolean isFull() {
        return items.size() > limit;
    }

    private boolean isBehind(byte[] key) {
        return BY_BYTES.compare(key, after) > 0;
    }

    private void walk(FarmPath directory, String key, byte[] begin) {
        byte[] from = {};
        boolean isMore = true;
        while (isMore && !isFull()) {
            Next next = next(directory, key, begin, from);
            for (var entry : next.found.entrySet()) {
                if (isFull()) return;
                take(entry.getValue(), new String(entry.getKey(), StandardCharsets.UTF_8));
            }
            from = next.last;
            isMore = next.isMore;
        }
    }

    private void take(FileInfo entry, String key) {
        if (!entry.isDirectory()) {
            items.add(new Page.Item(key, entry));
        } else if (isFlat) {
            items.add(new Page.Item(key, null));
        } else {
            itself(key, entry);
            walkUnlessGone(entry.path(), key);
        }
    }

    private void walkUnlessGone(FarmPath directory, String key) {
        try {
            walk(directory, key, new byte[0]);
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.NOT_FOUND && e.kind() != ErrorKind.NOT_A_DIRECTORY) throw e;
        }
    }

    /**
     * Entries of one directory by their keys, the least first.
     *
     * @param last key that was looked at
     */
    private record Next(TreeMap<byte[], FileInfo> found, byte[] last, boolean isMore) {}

    private Next next(FarmPath directory, String key, byte[] begin, byte[] from) {
        FileInfo now = farm.stat(directory);
        Orders.Order order = orders.known(account, now);
        return order == null
                ? byListing(now, bytes(key), begin, from)
                : byOrder(order, now, bytes(key), begin, from);
    }

    private int wanted() {
        return limit + 1 - items.size();
    }

    private Next byListing(FileInfo directory, byte[] above, byte[] begin, byte[] from) {
        TreeMap<byte[], FileInfo> found = new TreeMap<>(BY_BYTES);
        boolean isMore = false;
        try (Orders.Lesson lesson = orders.learn(account, directory);
                Stream<FileInfo> entries = farm.list(directory.path())) {
            for (Iterator<FileInfo> each = entries.iterator(); each.hasNext(); ) {
                FileInfo entry = each.next();
                if (!isKey(entry)) continue;
                byte[] below = below(entry);
                lesson.add(below);
                byte[] of = joined(above, below);
                if (!startsWith(below, begin) || !isNext(of, from)) continue;
                if (found.size() == wanted() && BY_BYTES.compare(of, found.lastKey()) > 0) {
                    isMore = true;
                    continue;
                }
                FileInfo shown = entry.isSymbolicLink() ? target(entry) : entry;
                if (shown == null) continue;
                found.put(of, shown);
                if (found.size() > wanted()) {
                    found.pollLastEntry();
                    isMore = true;
                }
            }
            lesson.ends(farm.stat(directory.path()));
        }
        return new Next(found, found.isEmpty() ? from : found.lastKey(), isMore);
    }

    private Next byOrder(
            Orders.Order order, FileInfo directory, byte[] above, byte[] begin, byte[] from) {
        TreeMap<byte[], FileInfo> found = new TreeMap<>(BY_BYTES);
        List<byte[]> asked = new ArrayList<>();
        byte[] last = from;
        int at = order.firstNotBefore(start(above, begin, from));
        while (at < order.size() && startsWith(order.key(at), begin) && asked.size() < wanted()) {
            byte[] below = order.key(at++);
            last = joined(above, below);
            if (isNext(last, from)) asked.add(below);
        }
        NamesLookup lookup = new NamesLookup(farm, directory);
        lookup.all(asked)
                .forEach((below, entry) -> {
                    FileInfo shown = entry.isSymbolicLink() ? target(entry) : entry;
                    if (shown != null) found.put(joined(above, below), shown);
                });
        boolean isMore = at < order.size() && startsWith(order.key(at), begin);
        return new Next(found, last, isMore);
    }

    /** Nothing of a directory that is before this is on the page: the last of three bounds. */
    private byte[] start(byte[] above, byte[] begin, byte[] from) {
        byte[] start = begin;
        if (startsWith(from, above)) start = later(start, rest(from, above));
        if (startsWith(after, above)) {
            byte[] rest = rest(after, above);
            int slash = 0;
            while (slash < rest.length && rest[slash] != '/') slash++;
            // A directory comes before what is in it.
            start = later(start, Arrays.copyOf(rest, Math.min(rest.length, slash + 1)));
        }
        return start;
    }

    private static byte[] later(byte[] one, byte[] other) {
        return BY_BYTES.compare(one, other) < 0 ? other : one;
    }

    private static byte[] rest(byte[] key, byte[] above) {
        return Arrays.copyOfRange(key, above.length, key.length);
    }

    private static boolean startsWith(byte[] key, byte[] begin) {
        return key.length >= begin.length
                && Arrays.equals(key, 0, begin.length, begin, 0, begin.length);
    }

    private boolean isNext(byte[] key, byte[] from) {
        return BY_BYTES.compare(key, from) > 0 && mayHold(key);
    }

    private static byte[] joined(byte[] above, byte[] below) {
        byte[] key = Arrays.copyOf(above, above.length + below.length);
        System.arraycopy(below, 0, key, above.length, below.length);
        return key;
    }

    /** How the key of a file goes on below its directory, or the prefix of what is in one. */
    private static byte[] below(FileInfo entry) {
        byte[] name = entry.path().last().bytes();
        return entry.isDirectory() ? joined(name, new byte[] {'/'}) : name;
    }

    /** Keys of a directory that are behind the last one may begin before it. */
    private boolean mayHold(byte[] key) {
        boolean isInside = !isFlat && key[key.length - 1] == '/' && startsWith(after, key);
        return isInside || isBehind(key);
    }

    private static boolean isKey(FileInfo entry) {
        String text = entry.path().last().toString();
        return !Place.isHidden(text) && text.codePoints().allMatch(Place::isText);
    }

    /** Null: it leads to no file. Directories that links lead to may lead round about. */
    private @Nullable FileInfo target(FileInfo link) {
        try {
            FileInfo found = farm.stat(link.path());
            return found.isRegularFile() ? found : null;
        } catch (FarmException e) {
            return switch (e.kind()) {
                case NOT_FOUND, NOT_A_DIRECTORY, LINK_LOOP, ACCESS_DENIED -> null;
                default -> throw e;
            };
        }
    }

    private static byte[] bytes(String key) {
        return NameText.bytes(key);
    }
}

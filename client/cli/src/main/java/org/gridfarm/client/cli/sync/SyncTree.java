package org.gridfarm.client.cli.sync;

import org.gridfarm.client.cli.copy.Copies;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Makes one tree like another. A file is copied where size or time of modification differ, or with
 * {@link Wish#contents} where bytes do. What fails is told, and the rest goes on. For one thread.
 */
public final class SyncTree {
    private static final int COMPARED_BYTES = 1 << 18;

    /**
     * @param contents files of the same size are read on both sides, whatever their times
     * @param delete what only the second tree has goes
     * @param dry nothing is changed
     */
    public record Wish(boolean contents, boolean delete, boolean dry) {}

    /** What a directory gets when all below it is done. */
    private record Made(List<Name> place, Entry as) {}

    private final Side from;
    private final Side to;
    private final Copier copier;
    private final Copies copies;
    private final Wish wish;
    private final Report report;
    private final Deque<Made> directories = new ArrayDeque<>(); // the deepest first

    private SyncTree(Gridfarm farm, Side from, Side to, Copies copies, Wish wish, Report report) {
        this.from = from;
        this.to = to;
        this.copier = Copier.of(farm, from, to);
        this.copies = copies;
        this.wish = wish;
        this.report = report;
    }

    public static SyncTree in(
            Gridfarm farm, Path from, FarmPath to, Copies copies, Wish wish, Report report) {
        return new SyncTree(
                farm, new LocalSide(from), new FarmSide(farm, to), copies, wish, report);
    }

    public static SyncTree out(
            Gridfarm farm, FarmPath from, Path to, Copies copies, Wish wish, Report report) {
        return new SyncTree(
                farm, new FarmSide(farm, from), new LocalSide(to), copies, wish, report);
    }

    public static SyncTree within(
            Gridfarm farm, FarmPath from, FarmPath to, Copies copies, Wish wish, Report report) {
        return new SyncTree(
                farm, new FarmSide(farm, from), new FarmSide(farm, to), copies, wish, report);
    }

    /** Returns when everything is done, or has failed and was told. */
    public void run() {
        copies.guarded(() -> {
            Entry root = from.find(List.of());
            if (root == null) {
                throw new FarmException(ErrorKind.NOT_FOUND, "sync", from.text(List.of()));
            }
            if (!root.isDirectory()) {
                throw new FarmException(
                        ErrorKind.NOT_A_DIRECTORY,
                        "sync",
                        from.text(List.of()),
                        "sync makes directories alike; gf cp copies a file");
            }
            directory(List.of(), root, to.find(List.of()));
            return 0;
        });
        copies.await();
        directories.forEach(made ->
                copies.guarded(() -> {
                    to.take(made.place, made.as);
                    return 0;
                }));
    }

    private void directory(List<Name> place, Entry wanted, @Nullable Entry there)
            throws IOException {
        SortedMap<Name, Entry> sources = from.list(place); // before anything is changed
        boolean isThere = there != null && there.isDirectory();
        if (!isThere) {
            makeRoom(place, there);
            report.made("mkdir", to.text(place));
            if (!wish.dry) {
                to.makeDirectory(place);
            }
        }
        if (!wish.dry) {
            directories.push(new Made(place, wanted));
        }
        Map<Name, Entry> targets = isThere ? to.list(place) : Map.of();
        for (Map.Entry<Name, Entry> source : sources.entrySet()) {
            copies.guarded(() -> {
                List<Name> child = child(place, source.getKey());
                entry(child, source.getValue(), targets.get(source.getKey()));
                return 0;
            });
        }
        if (wish.delete) {
            for (Map.Entry<Name, Entry> target : targets.entrySet()) {
                if (!sources.containsKey(target.getKey())) {
                    copies.guarded(() -> {
                        remove(child(place, target.getKey()), target.getValue());
                        return 0;
                    });
                }
            }
        }
    }

    private static List<Name> child(List<Name> place, Name name) {
        List<Name> child = new ArrayList<>(place);
        child.add(name);
        return List.copyOf(child);
    }

    private void entry(List<Name> place, Entry wanted, @Nullable Entry there) throws IOException {
        switch (wanted.kind()) {
            case DIRECTORY -> directory(place, wanted, there);
            case LINK -> link(place, there);
            case FILE -> file(place, wanted, there);
            case OTHER ->
                    throw new FarmException(
                            ErrorKind.INVALID,
                            "sync",
                            from.text(place),
                            "it is no file, no directory and no symbolic link");
        }
    }

    private void link(List<Name> place, @Nullable Entry there) throws IOException {
        String target = from.linkTarget(place);
        if (there != null
                && there.kind() == Entry.Kind.LINK
                && to.linkTarget(place).equals(target)) {
            report.same();
            return;
        }
        makeRoom(place, there);
        report.made("link", to.text(place));
        if (!wish.dry) {
            to.makeLink(place, target);
        }
    }

    private void file(List<Name> place, Entry wanted, @Nullable Entry there) throws IOException {
        if (there == null || there.kind() != Entry.Kind.FILE) {
            makeRoom(place, there);
            copied(place, wanted);
        } else if (wish.dry) {
            settle(place, wanted, there);
        } else {
            copies.file(from.text(place), to.text(place), () -> settle(place, wanted, there));
        }
    }

    private void copied(List<Name> place, Entry wanted) {
        if (wish.dry) {
            report.copied(to.text(place), wanted.size());
        } else {
            copies.file(from.text(place), to.text(place), () -> copy(place, wanted));
        }
    }

    private long copy(List<Name> place, Entry wanted) throws IOException {
        long bytes = copier.copy(place);
        to.take(place, wanted);
        report.copied(to.text(place), bytes);
        return bytes;
    }

    /** A file is there; returns how much of it was copied. */
    private long settle(List<Name> place, Entry wanted, Entry there) throws IOException {
        if (there.size() == wanted.size() && isSame(place, wanted, there)) {
            sameContent(place, wanted, there);
            return 0;
        }
        if (wish.dry) {
            report.copied(to.text(place), wanted.size());
            return wanted.size();
        }
        return copy(place, wanted);
    }

    /** Of two files of the same size. */
    private boolean isSame(List<Name> place, Entry wanted, Entry there) throws IOException {
        return wish.contents ? hasSameBytes(place) : wanted.modified().equals(there.modified());
    }

    private void sameContent(List<Name> place, Entry wanted, Entry there) throws IOException {
        if (wanted.mode() == there.mode() && wanted.modified().equals(there.modified())) {
            report.same();
            return;
        }
        report.made("chmod", to.text(place));
        if (!wish.dry) {
            to.take(place, wanted);
        }
    }

    private boolean hasSameBytes(List<Name> place) throws IOException {
        try (InputStream one = from.read(place);
                InputStream other = to.read(place)) {
            while (true) {
                byte[] here = one.readNBytes(COMPARED_BYTES);
                if (!Arrays.equals(here, other.readNBytes(COMPARED_BYTES))) {
                    return false;
                }
                if (here.length == 0) {
                    return true;
                }
            }
        }
    }

    /** What stands in the way goes, but no directory that nobody has said may be removed. */
    private void makeRoom(List<Name> place, @Nullable Entry there) throws IOException {
        if (there == null) {
            return;
        }
        if (there.isDirectory() && !wish.delete) {
            throw new FarmException(
                    ErrorKind.IS_A_DIRECTORY,
                    "sync",
                    to.text(place),
                    "a directory stands where "
                            + from.text(place)
                            + " belongs; --delete removes it");
        }
        remove(place, there);
    }

    private void remove(List<Name> place, Entry there) throws IOException {
        report.removed(to.text(place));
        if (!wish.dry) {
            to.remove(place, there);
        }
    }
}

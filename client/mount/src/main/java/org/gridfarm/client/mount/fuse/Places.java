package org.gridfarm.client.mount.fuse;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;

/// Under which names the kernel may know a directory.
///
/// The kernel keeps one name of a directory. Told of another in another directory (another mount
/// moved it), it moves what it has, and answers the caller with ESTALE when it cannot have the
/// locks: always when the names are looked up by a rename from one directory to another, and
/// whenever a change is under way where the directory was. It tries once more and then gives up
/// (`__d_unalias()` of fs/dcache.c). So the old name is forgotten before the new one is told.
///
/// Forgetting waits for changes in the old place, and one of them may be the very call that asks:
/// after [#PATIENCE_NANOS] the new name is told in any case. The caller then lets its locks go, and
/// its second attempt, which begins with the names on the way, waits there until the old name is
/// gone. (One that goes by descriptors of directories has no names on the way, and may be refused.)
///
/// Thread-safe. Keeps the [#DIRECTORIES_MAX] used last; of another directory, and after this
/// process was replaced, the kernel's ESTALE is seen.
public final class Places {

    /// Forgetting a name takes microseconds where nothing is in its way.
    static final long PATIENCE_NANOS = 20_000_000L;

    /// Changes are under way for milliseconds, unless a server is being replaced.
    static final long PATIENCE_AGAIN_NANOS = 500_000_000L;

    /// About 300 bytes each.
    private static final int DIRECTORIES_MAX = 1 << 16;

    /// Entries that were listed may have been taken by the kernel or not; more are not remembered.
    private static final int PLACES_MAX = 4;

    /// Runs something later.
    @FunctionalInterface
    public interface Later {
        void after(long nanos, Runnable action);
    }

    private record Place(long parent, RawName name) {}

    private final Later later;
    private volatile @Nullable KernelCache kernel;
    private final Map<Long, List<Place>> places = // guarded by this, as changes of the next two
            new LinkedHashMap<>(64, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, List<Place>> eldest) {
                    boolean tooMany = size() > DIRECTORIES_MAX;
                    if (tooMany) {
                        eldest.getValue().forEach(directories::remove);
                    }
                    return tooMany;
                }
            };
    private final ConcurrentMap<Place, Long> directories =
            new ConcurrentHashMap<>(); // others only look
    private final Map<Long, CompletableFuture<Void>> forgetting = new HashMap<>();

    /// By process: it was told a place before another was forgotten.
    private final ConcurrentMap<Integer, CompletableFuture<Void>> retrying =
            new ConcurrentHashMap<>();

    public Places(Later later) {
        this.later = later;
    }

    /// Before anything is told.
    public void started(KernelCache cache) {
        kernel = cache;
    }

    /// Runs the answer that tells the kernel of this name of the directory: at once if it knows
    /// none in another directory.
    ///
    /// @param caller the process that asks, 0 if that is not known
    public void tell(int caller, long directory, long parent, RawName name, Runnable answer) {
        List<Place> elsewhere;
        CompletableFuture<Void> before;
        synchronized (this) {
            elsewhere = left(directory, new Place(parent, name));
            before = forgetting.get(directory);
        }
        if (elsewhere.isEmpty() && before == null) {
            answer.run();
            return;
        }
        CompletableFuture<Void> forgotten = forget(directory, elsewhere, before);
        whenDone(
                forgotten,
                PATIENCE_NANOS,
                () -> {
                    if (caller != 0 && !forgotten.isDone()) {
                        retrying.put(caller, allForgotten());
                    }
                    answer.run();
                });
    }

    /// Runs the lookup at once, unless the same process has just been told what it cannot have had
    /// the locks for: this is its second attempt, at a place where it holds none yet.
    public void lookup(int caller, Runnable lookup) {
        CompletableFuture<Void> awaited = retrying.isEmpty() ? null : retrying.remove(caller);
        if (awaited == null) {
            lookup.run();
        } else {
            whenDone(awaited, PATIENCE_AGAIN_NANOS, lookup);
        }
    }

    private void whenDone(CompletableFuture<Void> awaited, long nanos, Runnable action) {
        AtomicBoolean run = new AtomicBoolean();
        Runnable once =
                () -> {
                    if (run.compareAndSet(false, true)) {
                        action.run();
                    }
                };
        awaited.thenRun(once);
        if (!awaited.isDone()) {
            later.after(nanos, once);
        }
    }

    private CompletableFuture<Void> forget(
            long directory, List<Place> elsewhere, @Nullable CompletableFuture<Void> before) {
        KernelCache cache = kernel;
        if (cache == null || (elsewhere.isEmpty() && before != null)) {
            return before == null ? CompletableFuture.completedFuture(null) : before;
        }
        List<CompletableFuture<Void>> all = new ArrayList<>();
        if (before != null) {
            all.add(before);
        }
        for (Place place : elsewhere) {
            CompletableFuture<Void> one = new CompletableFuture<>();
            all.add(one);
            cache.forgetEntry(place.parent, place.name, errno -> one.complete(null));
        }
        CompletableFuture<Void> forgotten =
                CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
        synchronized (this) {
            forgetting.put(directory, forgotten);
        }
        forgotten.thenRun(() -> over(directory, forgotten));
        return forgotten;
    }

    /// Its other name may be of a directory that moved, too.
    private synchronized CompletableFuture<Void> allForgotten() {
        return CompletableFuture.allOf(forgetting.values().toArray(CompletableFuture<?>[]::new));
    }

    private void over(long directory, CompletableFuture<Void> forgotten) {
        synchronized (this) {
            forgetting.remove(directory, forgotten);
        }
        retrying.values().removeIf(CompletableFuture::isDone);
    }

    /// From now on it is known here only; where it may have been known, in other directories.
    private synchronized List<Place> left(long directory, Place here) {
        List<Place> known = places.get(directory);
        if (known == null || (known.size() == 1 && known.get(0).equals(here))) {
            add(directory, here);
            return List.of();
        }
        List<Place> elsewhere = new ArrayList<>(known);
        elsewhere.removeIf(place -> place.parent == here.parent);
        remove(directory);
        add(directory, here);
        return elsewhere;
    }

    /// The name was among those of a listing.
    public synchronized void listed(long directory, long parent, RawName name) {
        add(directory, new Place(parent, name));
    }

    /// Another mount changed what the name leads to.
    public void changed(long parent, RawName name) {
        Place place = new Place(parent, name);
        Long directory;
        CompletableFuture<Void> before;
        synchronized (this) {
            directory = directories.get(place);
            before = directory == null ? null : forgetting.get(directory);
            release(place);
        }
        if (directory != null) {
            forget(directory, List.of(place), before);
        }
    }

    /// This mount moved it, and the kernel with it.
    public synchronized void moved(long directory, long newParent, RawName newName) {
        remove(directory);
        add(directory, new Place(newParent, newName));
    }

    /// The kernel is told that the name leads to no directory: what it knew there it drops.
    public void none(long parent, RawName name) {
        Place place = new Place(parent, name);
        if (directories.containsKey(place)) { // else nothing was told that is not true any more
            synchronized (this) {
                release(place);
            }
        }
    }

    private void add(long directory, Place place) {
        Long former = directories.get(place);
        if (former != null && former == directory) {
            return;
        }
        release(place);
        List<Place> known = places.computeIfAbsent(directory, number -> new ArrayList<>(1));
        if (known.size() == PLACES_MAX) {
            directories.remove(known.remove(0));
        }
        known.add(place);
        directories.put(place, directory);
    }

    private void release(Place place) {
        Long former = directories.remove(place);
        List<Place> known = former == null ? null : places.get(former);
        if (known != null) {
            known.remove(place);
            if (known.isEmpty()) {
                places.remove(former);
            }
        }
    }

    private void remove(long directory) {
        List<Place> known = places.remove(directory);
        if (known != null) {
            known.forEach(directories::remove);
        }
    }
}

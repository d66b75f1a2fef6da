package org.gridfarm.client.mount.fuse;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

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
/// gone. There will be no third: where by then another directory came to the name, or the attempt
/// goes by descriptors of directories and has no names on the way, it is told of one of the
/// [StandIns]. So are mkdir(2) and its like at once, of which the kernel makes one attempt only.
///
/// Thread-safe. Keeps the [#DIRECTORIES_MAX] used last; of another directory, and after this
/// process was replaced, the kernel's ESTALE is seen.
public final class Places {

    /// Forgetting a name takes microseconds where nothing is in its way, and as long as a change
    /// there on a busy machine.
    static final long PATIENCE_NANOS = 60_000_000L;

    /// Changes are under way for milliseconds, unless a server is being replaced.
    static final long PATIENCE_AGAIN_NANOS = 500_000_000L;

    /// How long a second attempt may be under way, which waits for nothing but this and servers.
    static final long ATTEMPT_NANOS = 10_000_000_000L;

    /// About 300 bytes each.
    private static final int DIRECTORIES_MAX = 1 << 16;

    /// An answer may have been taken by the kernel or not; of more the first told is forgotten.
    private static final int PLACES_MAX = 4;

    /// Runs something later.
    @FunctionalInterface
    public interface Later {
        void after(long nanos, Runnable action);
    }

    private record Place(long parent, RawName name) {}

    /// The kernel may know the directory there.
    private record Belief(long directory, Place place) {}

    /// The next that one process does, after it was told a place before another was forgotten.
    private static final class Attempt {
        final @Nullable Place told;
        final CompletableFuture<Void> forgotten;
        volatile boolean begun;
        volatile boolean insists;

        Attempt(@Nullable Place told, CompletableFuture<Void> forgotten) {
            this.told = told;
            this.forgotten = forgotten;
        }
    }

    private final Later later;
    private volatile @Nullable KernelCache kernel;
    private final Map<Long, List<Place>> places = // guarded by this, as changes of the next three
            new LinkedHashMap<>(64, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, List<Place>> eldest) {
                    boolean tooMany = size() > DIRECTORIES_MAX;
                    if (tooMany) {
                        eldest.getValue().forEach(place -> unknown(eldest.getKey(), place));
                    }
                    return tooMany;
                }
            };
    private final ConcurrentMap<Place, Long> directories = // told last; others only look
            new ConcurrentHashMap<>();
    private final Set<Belief> leaving = new HashSet<>(); // held until it is forgotten
    private final Map<Long, CompletableFuture<Void>> forgetting = new HashMap<>();

    private final ConcurrentMap<Integer, Attempt> attempts =
            new ConcurrentHashMap<>(); // by process
    private final StandIns standIns = new StandIns();

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
    /// @param makesName whether it makes a name, and so will make no second attempt
    /// @param answer gets the number to call the directory by
    public void tell(
            int caller,
            BooleanSupplier makesName,
            long directory,
            long parent,
            RawName name,
            LongConsumer answer) {
        Place here = new Place(parent, name);
        List<Place> elsewhere;
        CompletableFuture<Void> before;
        List<Belief> needless;
        synchronized (this) {
            elsewhere = leave(directory, here);
            needless = add(directory, here);
            before = forgetting.get(directory);
        }
        needless.forEach(this::forget);
        boolean first = isFirst(caller);
        if (elsewhere.isEmpty() && before == null) {
            answer.accept(directory);
            return;
        }
        CompletableFuture<Void> forgotten = forget(directory, elsewhere, before);
        whenDone(
                forgotten,
                PATIENCE_NANOS,
                () -> {
                    if (forgotten.isDone()) {
                        answer.accept(directory);
                    } else if (first && !makesName.getAsBoolean()) {
                        expectSecond(caller, here);
                        answer.accept(directory);
                    } else {
                        answer.accept(standIns.of(directory));
                    }
                });
    }

    /// Whether another attempt would follow.
    private boolean isFirst(int caller) {
        Attempt known = attempts.isEmpty() ? null : attempts.get(caller);
        if (known != null && known.insists) {
            attempts.remove(caller, known); // what it is told now serves it
        }
        return known == null || !(known.begun || known.insists);
    }

    private void expectSecond(int caller, Place told) {
        if (caller != 0) {
            keep(caller, new Attempt(told, allForgotten()));
        }
    }

    private void keep(int caller, Attempt next) {
        attempts.put(caller, next);
        later.after(ATTEMPT_NANOS, () -> attempts.remove(caller, next));
    }

    /// Runs the lookup at once, unless the same process has just been told what it cannot have had
    /// the locks for: this is its second attempt, at a place where it holds none yet. (Where it
    /// asks for the same once more, it does hold them: the kernel knew something else by the name
    /// until now, or goes by descriptors.)
    ///
    /// @param second is run before, where this is the beginning of a second attempt
    public void lookup(int caller, long parent, RawName name, Runnable second, Runnable lookup) {
        Attempt next = attempts.isEmpty() ? null : attempts.get(caller);
        if (next == null || next.begun) {
            lookup.run();
        } else if (new Place(parent, name).equals(next.told)) {
            next.insists = true;
            second.run();
            lookup.run();
        } else {
            next.begun = true;
            second.run();
            whenDone(next.forgotten, PATIENCE_AGAIN_NANOS, lookup);
        }
    }

    /// The process is at its second attempt for another reason.
    public void again(int caller) {
        if (!attempts.containsKey(caller)) { // nobody else adds what is the caller's
            Attempt next = new Attempt(null, CompletableFuture.completedFuture(null));
            next.begun = true;
            keep(caller, next);
        }
    }

    /// The process renames what it looked up: the attempt is over.
    public void renaming(int caller) {
        if (!attempts.isEmpty()) {
            attempts.remove(caller);
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
            cache.forgetEntry(
                    place.parent,
                    place.name,
                    errno -> {
                        left(directory, place);
                        one.complete(null);
                    });
        }
        CompletableFuture<Void> forgotten =
                CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new));
        synchronized (this) {
            forgetting.put(directory, forgotten);
        }
        forgotten.thenRun(() -> over(directory, forgotten));
        return forgotten;
    }

    /// Has the kernel forget what it cannot have taken notice of yet, or may keep.
    private void forget(Belief belief) {
        CompletableFuture<Void> before;
        synchronized (this) {
            if (!leaving.add(belief)) {
                return;
            }
            before = forgetting.get(belief.directory);
        }
        forget(belief.directory, List.of(belief.place), before);
    }

    /// The kernel has forgotten it, unless it was told again in the meantime.
    private synchronized void left(long directory, Place place) {
        if (leaving.contains(new Belief(directory, place))) {
            release(directory, place);
        }
    }

    /// Its other name may be of a directory that moved, too.
    private synchronized CompletableFuture<Void> allForgotten() {
        return CompletableFuture.allOf(forgetting.values().toArray(CompletableFuture<?>[]::new));
    }

    private synchronized void over(long directory, CompletableFuture<Void> forgotten) {
        forgetting.remove(directory, forgotten);
    }

    /// Where it may be known but here, in other directories, and nobody has it forgotten yet. In
    /// the same one it stays known: the kernel moves it to the new name if it takes the answer, and
    /// it need not (it asked only whether what it knew is still right).
    private List<Place> leave(long directory, Place here) {
        List<Place> elsewhere = new ArrayList<>(0);
        for (Place place : places.getOrDefault(directory, List.of())) {
            if (place.parent != here.parent && leaving.add(new Belief(directory, place))) {
                elsewhere.add(place);
            }
        }
        return elsewhere;
    }

    /// The name was among those of a listing.
    public void listed(long directory, long parent, RawName name) {
        List<Belief> needless;
        synchronized (this) {
            needless = add(directory, new Place(parent, name));
        }
        needless.forEach(this::forget);
    }

    /// The name leads to something else by now, or to nothing: another mount changed it, or the
    /// kernel is being told so.
    public void changed(long parent, RawName name) {
        Place place = new Place(parent, name);
        Long directory = directories.get(place);
        if (directory != null) {
            forget(new Belief(directory, place));
        }
    }

    /// This mount removed it, and the kernel what it knew there.
    public synchronized void removed(long parent, RawName name) {
        Place place = new Place(parent, name);
        Long directory = directories.get(place);
        if (directory != null) {
            release(directory, place);
        }
    }

    /// What the kernel moves when it moves this name; 0 if that is not known to be a directory.
    public long at(long parent, RawName name) {
        return directories.getOrDefault(new Place(parent, name), 0L);
    }

    /// The kernel moved what it believed to be the directory.
    ///
    /// @param directory as [#at] said before: by now another may be at the name, which the kernel
    ///   does not know yet
    public void moved(long directory, long parent, RawName name, long newParent, RawName newName) {
        Place here = new Place(newParent, newName);
        List<Belief> needless;
        synchronized (this) {
            release(directory, new Place(parent, name));
            Long replaced = directories.get(here);
            if (replaced != null) {
                release(replaced, here);
            }
            needless = add(directory, here);
        }
        needless.forEach(this::forget);
    }

    /// @return what the kernel may believe besides and had better not: another directory there,
    ///   more places than are remembered
    private List<Belief> add(long directory, Place place) {
        leaving.remove(new Belief(directory, place));
        List<Place> known = places.computeIfAbsent(directory, number -> new ArrayList<>(1));
        List<Belief> needless = new ArrayList<>(0);
        if (!known.contains(place)) {
            if (known.size() >= PLACES_MAX) {
                needless.add(new Belief(directory, known.get(0)));
            }
            known.add(place);
        }
        Long former = directories.put(place, directory);
        if (former != null && former != directory) {
            needless.add(new Belief(former, place));
        }
        return needless;
    }

    private void release(long directory, Place place) {
        List<Place> known = places.get(directory);
        if (known != null && known.remove(place)) {
            unknown(directory, place);
            if (known.isEmpty()) {
                places.remove(directory);
            }
        }
    }

    private void unknown(long directory, Place place) {
        directories.remove(place, directory);
        leaving.remove(new Belief(directory, place));
    }
}

package org.gridfarm.test.faults.meta;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.linear.Tree;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * What clients of the library and two mounts see of a farm with one leader and two cache servers
 * has one order that explains all of it (contract C1), also while processes are killed, stopped and
 * cut off, and no call by a path is answered with an errno that says nothing about it. {@code
 * -Dgf.histories=} and {@code -Dgf.histories.disturbed=} say how many of each, {@code -Dgf.seed=}
 * chooses the calls and the faults, {@code -Dgf.keep=true} keeps the farm.
 */
class RecordedHistoriesTest {
    private static final int CALLS_AT_LEAST = 220; // the kernel says nothing of a few
    private static final int COMPANIES = 2;
    private static final int LIBRARY_CLIENTS = 3;
    private static final int REPLACED_CALLS =
            Tier.count("replaced.calls"); // each of four kinds at each mount
    private static final int MOVERS = 2; // at each mount
    private static final int MOVED_CALLS = Tier.count("moved.calls"); // of each
    private static final long SEED = Tier.seed(1);

    private static MetaFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = MetaFarm.start(3);
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    @Test
    void historiesOfAFarmInPeaceAreLinearizable() throws Exception {
        Words.forget();
        List<String> faults = play("quiet", Tier.count("histories"), () -> true);
        assertThat(faults).as("seed %d", SEED).isEmpty();
        assertThat(Words.unclear()).as("seed %d", SEED).isEmpty();
    }

    @Test
    void historiesUnderFaultsAreLinearizable() throws Exception {
        Disturber disturber = new Disturber(farm, SEED);
        List<String> faults;
        try (disturber) {
            faults =
                    play(
                            "disturbed",
                            Tier.count("histories.disturbed"),
                            () -> !disturber.hasFailed());
        }
        System.out.println("faults: " + disturber.done());
        assertThat(faults).as("seed %d", SEED).isEmpty();
        assertThat(disturber.done()).isNotEmpty();
    }

    /** As editors and daemons do with what others read at the same time. */
    @Test
    void aFileThatIsReplacedAllTheTimeIsAlwaysThere() throws Exception {
        String directory = "replaced";
        AtomicBoolean end = new AtomicBoolean();
        Map<String, Integer> refusals = new ConcurrentSkipListMap<>();
        AtomicLong replaced = new AtomicLong();
        try (LibraryActor writer = farm.library("replacer");
                ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
            writer.furnish(directory, List.of(new Tree.Call.Create("/f", true)));
            Future<?> replacing =
                    threads.submit(() -> {
                        while (!end.get()) {
                            writer.perform(new Tree.Call.Create("/new", true));
                            writer.perform(new Tree.Call.Rename("/new", "/f"));
                            replaced.incrementAndGet();
                        }
                    });
            List<Future<?>> readers = new ArrayList<>();
            for (Path mount : farm.mounts()) {
                Path file = mount.resolve(directory).resolve("f");
                for (Callable<Integer> call : pathCalls(file)) {
                    readers.add(
                            threads.submit(() -> {
                                for (int i = 0; i < REPLACED_CALLS; i++) {
                                    int result = call.call();
                                    if (result < 0) {
                                        refusals.merge(call + " " + -result, 1, Integer::sum);
                                    }
                                }
                                return null;
                            }));
                }
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
            end.set(true);
            replacing.get();
        }
        assertThat(replaced).hasPositiveValue();
        assertThat(refusals).isEmpty();
    }

    /**
     * The kernel knows a directory at one place only, and is told of another by its own renames.
     */
    @Test
    void directoriesThatAreMovedAllTheTimeCanBeRenamed() throws Exception {
        String directory = "moved";
        List<String> names = List.of("/a", "/b", "/x/a", "/x/b", "/y/a", "/y/b");
        AtomicBoolean end = new AtomicBoolean();
        Map<String, Integer> refusals = new ConcurrentSkipListMap<>();
        AtomicLong moved = new AtomicLong();
        try (LibraryActor mover = farm.library("mover");
                ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
            mover.furnish(
                    directory,
                    Stream.of("/x", "/y", "/a", "/x/a", "/y/a")
                            .<Tree.Call>map(Tree.Call.MakeDirectory::new)
                            .toList());
            Random random = new Random(SEED);
            Future<?> moving =
                    threads.submit(() -> {
                        while (!end.get()) {
                            if ("ok".equals(mover.perform(rename(names, random)))) {
                                moved.incrementAndGet();
                            }
                            mover.perform(new Tree.Call.MakeDirectory(any(names, random)));
                        }
                    });
            List<Future<?>> renaming = new ArrayList<>();
            for (Path mount : farm.mounts()) {
                for (int i = 0; i < MOVERS; i++) {
                    Random choices = new Random(SEED + renaming.size() + 1);
                    Path within = mount.resolve(directory);
                    renaming.add(
                            threads.submit(() -> {
                                for (int n = 0; n < MOVED_CALLS; n++) {
                                    Tree.Call.Rename call = rename(names, choices);
                                    int result =
                                            Syscalls.renameNoReplace(
                                                    within.resolve(call.from().substring(1)),
                                                    within.resolve(call.to().substring(1)));
                                    if (result < 0) {
                                        refusals.merge("rename " + -result, 1, Integer::sum);
                                    }
                                }
                                return null;
                            }));
                }
            }
            for (Future<?> one : renaming) {
                one.get();
            }
            end.set(true);
            moving.get();
        }
        System.out.println(moved + " moved by the library, refusals: " + refusals);
        assertThat(moved).hasPositiveValue();
        assertThat(refusals).containsOnlyKeys("rename 2", "rename 17");
    }

    private static Tree.Call.Rename rename(List<String> names, Random random) {
        return new Tree.Call.Rename(any(names, random), any(names, random));
    }

    private static String any(List<String> names, Random random) {
        return names.get(random.nextInt(names.size()));
    }

    private static List<Callable<Integer>> pathCalls(Path file) {
        return List.of(
                named("stat", () -> Syscalls.stat(file, new Syscalls.Status())),
                named("chmod", () -> Syscalls.chmod(file, 0640)),
                named(
                        "open",
                        () -> {
                            int opened = Syscalls.open(file, Syscalls.O_RDONLY, 0);
                            return opened < 0 ? opened : Syscalls.close(opened);
                        }),
                named(
                        "create",
                        () -> {
                            int opened =
                                    Syscalls.open(file, Syscalls.O_RDWR | Syscalls.O_CREAT, 0644);
                            return opened < 0 ? opened : Syscalls.close(opened);
                        }));
    }

    private static Callable<Integer> named(String name, Callable<Integer> call) {
        return new Callable<>() {
            @Override
            public Integer call() throws Exception {
                return call.call();
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }

    private static List<String> play(String name, int histories, BooleanSupplier goesOn)
            throws Exception {
        long began = System.nanoTime();
        AtomicInteger next = new AtomicInteger();
        AtomicLong calls = new AtomicLong();
        AtomicLong unknown = new AtomicLong();
        List<Callable<List<String>>> companies = new ArrayList<>();
        for (int c = 0; c < COMPANIES; c++) {
            String company = name + c + "-";
            companies.add(() -> {
                List<String> faults = new ArrayList<>();
                try (Stage stage = new Stage(company, farm.company(company, LIBRARY_CLIENTS))) {
                    for (int i = next.getAndIncrement();
                            i < histories && faults.size() < 3 && goesOn.getAsBoolean();
                            i = next.getAndIncrement()) {
                        History history = stage.play(SEED + i, CALLS_AT_LEAST);
                        calls.addAndGet(history.size());
                        unknown.addAndGet(history.unknown());
                        String fault = history.fault();
                        if (!fault.isEmpty()) {
                            faults.add(fault);
                        }
                    }
                }
                return faults;
            });
        }
        List<String> faults = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(COMPANIES)) {
            for (Future<List<String>> company : threads.invokeAll(companies)) {
                faults.addAll(company.get());
            }
        }
        System.out.printf(
                "%s: seed %d, %d histories, %d calls, %d without a known outcome (errnos so far: %s), %.0f s%n",
                name,
                SEED,
                Math.min(next.get(), histories),
                calls.get(),
                unknown.get(),
                Words.unclear(),
                (System.nanoTime() - began) / 1e9);
        return faults;
    }
}

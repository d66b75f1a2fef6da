package org.gridfarm.test.faults.meta;

import org.gridfarm.test.linear.Lock;
import org.gridfarm.test.linear.Operation;
import org.gridfarm.test.linear.Tree;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** Lets a company of clients act in one directory after the other and writes down what they saw. */
final class Stage implements AutoCloseable {
    private static final int LOCK_CALLS_PERCENT = 8;

    private final List<Actor> actors;
    private final LibraryActor first;
    private final ExecutorService threads;
    private final String name;
    private int histories;

    /**
     * @param actors the first is one of the library and prepares the directories
     */
    Stage(String name, List<Actor> actors) {
        this.name = name;
        this.actors = actors;
        this.first = (LibraryActor) actors.getFirst();
        this.threads = Executors.newFixedThreadPool(actors.size());
    }

    History play(long seed, int callsAtLeast) throws Exception {
        String directory = "%s-%d-%d".formatted(name, seed, histories++);
        first.furnish(directory, Scene.furniture());
        int each = (callsAtLeast + actors.size() - 1) / actors.size();
        CyclicBarrier together = new CyclicBarrier(actors.size());
        List<Callable<Part>> parts = new ArrayList<>();
        for (int i = 0; i < actors.size(); i++) {
            Part part = new Part(i, actors.get(i), new Random(seed * 31 + i));
            parts.add(() -> {
                part.actor.enter(directory);
                together.await();
                for (int n = 0; n < each; n++) part.act();
                together.await(); // leaving frees the lock, which nobody may see unrecorded
                part.actor.leave();
                return part;
            });
        }
        List<Operation<Tree.Call, String>> calls = new ArrayList<>();
        List<Operation<Lock.Call, String>> locks = new ArrayList<>();
        for (Future<Part> part : threads.invokeAll(parts)) {
            calls.addAll(part.get().calls);
            locks.addAll(part.get().locks);
        }
        return new History(directory, seed, calls, locks);
    }

    private static final class Part {
        final int client;
        final Actor actor;
        final Random random;
        final List<Operation<Tree.Call, String>> calls = new ArrayList<>();
        final List<Operation<Lock.Call, String>> locks = new ArrayList<>();

        Part(int client, Actor actor, Random random) {
            this.client = client;
            this.actor = actor;
            this.random = random;
        }

        void act() {
            if (random.nextInt(100) < LOCK_CALLS_PERCENT) {
                if (random.nextBoolean()) {
                    record(locks, new Lock.Call.Take(client), actor::takeLock);
                } else {
                    record(locks, new Lock.Call.Release(client), actor::releaseLock);
                }
            } else {
                Tree.Call call = Scene.next(random, actor.isOneInstant());
                record(calls, call, () -> actor.perform(call));
            }
        }

        private <C> void record(
                List<Operation<C, String>> into, C call, Supplier<@Nullable String> act) {
            long called = System.nanoTime();
            String outcome = act.get();
            long returned = System.nanoTime();
            if (!Actor.NOTHING_SAID.equals(outcome)) {
                into.add(new Operation<>(client, call, outcome, called, returned));
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        actors.forEach(Actor::close);
    }
}

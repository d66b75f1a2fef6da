package org.gridfarm.metaserver.sim;

import org.gridfarm.metaserver.commit.Worker;
import org.gridfarm.metaserver.server.state.Actions;
import org.gridfarm.metaserver.server.state.Events;
import org.gridfarm.metaserver.server.state.ServerThreads;
import org.gridfarm.protocol.env.Clock;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * What one life of a server runs on. Work that waits for the database has its effect there after a
 * delay, whatever becomes of the process meanwhile: the request is under way. What comes of it is
 * heard by the process's events after another.
 */
final class SimThreads implements ServerThreads {
    private static final int ROUND_NANOS_MAX = 100_000;

    private final World world;
    private final Process process;
    private final Clock clock;
    private final Random random;
    private final int life;
    private @Nullable Desk working;

    SimThreads(World world, Process process, Clock clock) {
        this.world = world;
        this.process = process;
        this.clock = clock;
        this.random = new Random(world.random.nextLong());
        this.life = process.life();
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public Events events(Runnable endOfRound, Runnable tick, Consumer<Throwable> failed) {
        return new Loop(
                new Actions(
                        endOfRound,
                        tick,
                        defect -> {
                            world.ledger.fault(process.name + " failed: " + defect);
                            failed.accept(defect);
                        }));
    }

    @Override
    public Worker worker(String name) {
        return new Desk();
    }

    /** Each work waits for itself alone. */
    Executor blocking() {
        return work -> new Desk().execute(work);
    }

    /** The database's answers are as slow as its commits. */
    private long trip() {
        return 100_000L + random.nextInt(random.nextInt(20) == 0 ? 80_000_000 : 2_000_000);
    }

    private final class Desk implements Worker {
        private long lastWork;
        private long lastAnswer;
        private boolean closed;

        @Override
        public void execute(Runnable work) {
            process.run(life, () -> begin(work));
        }

        private void begin(Runnable work) {
            if (closed) return;
            lastWork = Math.max(lastWork + 1, world.now() + trip());
            world.after(
                    lastWork - world.now(),
                    () -> {
                        Desk before = working;
                        working = this;
                        try {
                            work.run();
                        } finally {
                            working = before;
                        }
                    });
        }

        @Override
        public void after(Duration delay, Runnable work) {
            clock.after(delay, () -> execute(work));
        }

        /** What was handed over before is done all the same. */
        @Override
        public void close(Duration patience) {
            closed = true;
        }

        private void answer(Runnable action) {
            lastAnswer = Math.max(lastAnswer + 1, world.now() + trip());
            world.after(lastAnswer - world.now(), () -> process.run(life, action));
        }
    }

    private final class Loop implements Events {
        private final Actions actions;
        private final Deque<Runnable> queue = new ArrayDeque<>();
        private boolean started;
        private boolean roundComes;
        private boolean inRound;

        private Loop(Actions actions) {
            this.actions = actions;
        }

        @Override
        public void start() {
            started = true;
            process.after(TICK.toNanos(), this::tick);
            if (!queue.isEmpty()) roundSoon();
        }

        private void tick() {
            inRound = true;
            runQueue();
            actions.tick();
            actions.endRound();
            inRound = false;
            process.after(TICK.toNanos(), this::tick);
        }

        @Override
        public void submit(Runnable action) {
            Desk from = working;
            if (from != null) {
                from.answer(() -> add(action));
            } else if (process.isIn(life)) {
                add(action);
            }
        }

        private void add(Runnable action) {
            queue.add(action);
            if (started) roundSoon();
        }

        private void roundSoon() {
            if (roundComes) return;
            roundComes = true;
            world.after(random.nextInt(ROUND_NANOS_MAX), () -> process.run(life, this::round));
        }

        private void round() {
            roundComes = false;
            if (queue.isEmpty()) return;
            inRound = true;
            runQueue();
            actions.endRound();
            inRound = false;
        }

        private void runQueue() {
            for (Runnable next = queue.poll(); next != null; next = queue.poll()) actions.run(next);
        }

        @Override
        public void runOrSubmit(Runnable action) {
            if (!started || inRound || working != null || !queue.isEmpty()) {
                submit(action);
                return;
            }
            inRound = true;
            actions.run(action);
            actions.endRound();
            inRound = false;
        }

        @Override
        public long action() {
            return actions.number();
        }

        @Override
        public int backlog() {
            return queue.size();
        }

        @Override
        public void close() {
            started = false;
        }
    }
}

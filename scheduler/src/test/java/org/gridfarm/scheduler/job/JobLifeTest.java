package org.gridfarm.scheduler.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A job through starts, ends, lost nodes, cancelling and the death of its scheduler at any step,
 * with a table that is always a few writes behind. No task is lost, none ends twice, and a client
 * that has counted the ended tasks counts on rightly after a restart. {@code -Dgf.seed=} replays.
 */
class JobLifeTest {
    private static final int ROUNDS = 300;
    private static final int STEPS_MAX = 5_000;
    private static final int TASKS_MAX = 12;

    /** The scheduler, its table, the nodes and one client. */
    private static final class World {
        final Random random;
        final SubmitJobRequest request;
        final Map<Integer, Job.KeptTask> table = new TreeMap<>();
        String halted = "";
        final Deque<Runnable> writes = new ArrayDeque<>();
        final Map<String, Integer> outcomes = new HashMap<>(); // of attempts on nodes, once made
        final Map<String, Task> asked = new LinkedHashMap<>(); // attempts whose end is awaited
        final Set<String> begun = new HashSet<>();
        final List<Integer> told = new ArrayList<>(); // what the client has counted
        Job job;

        World(long seed) {
            random = new Random(seed);
            SubmitJobRequest.Builder builder =
                    SubmitJobRequest.newBuilder()
                            .setRetries(random.nextInt(3))
                            .setHalt(List.of("never", "soon", "now,fail=2").get(random.nextInt(3)));
            for (int i = 0; i <= random.nextInt(TASKS_MAX); i++) {
                builder.addTasks(TaskSpec.getDefaultInstance());
            }
            request = builder.build();
            job = new Job(1, "alice", request, 0);
        }

        void step() {
            switch (random.nextInt(20)) {
                case 0 -> crash();
                case 1 -> lose();
                case 2 -> {
                    if (random.nextInt(40) == 0) cancel();
                }
                case 3, 4, 5, 6 -> start();
                case 7, 8, 9, 10, 11 -> end();
                default -> {
                    if (!writes.isEmpty()) writes.remove().run();
                }
            }
        }

        private void start() {
            if (job.hasUntaken()) {
                Task task = job.takeNext();
                job.start(task, "n1", "none", 1);
                write(List.of(task), () -> ask(task));
            }
        }

        private void ask(Task task) {
            begun.add(task.attemptId());
            asked.put(task.attemptId(), task);
        }

        /** The node says the same of an attempt however often it is asked. */
        private void end() {
            any().ifPresent(attempt -> {
                Task task = take(attempt);
                int before = job.finished().size();
                int exit = outcomes.computeIfAbsent(attempt, _ -> random.nextInt(3) == 0 ? 1 : 0);
                job.finish(task, RunTaskReply.newBuilder().setExitCode(exit).build(), 2);
                written(task, before);
            });
        }

        private void lose() {
            any().ifPresent(attempt -> {
                Task task = take(attempt);
                int before = job.finished().size();
                job.giveBack(task, "node was lost", 3);
                written(task, before);
            });
        }

        private void cancel() {
            int before = job.finished().size();
            job.cancel(Job.CANCELLED, 4);
            written(null, before);
        }

        private java.util.Optional<String> any() {
            return asked.keySet().stream().skip(random.nextInt(1 + asked.size())).findFirst();
        }

        private Task take(String attempt) {
            return Objects.requireNonNull(asked.remove(attempt));
        }

        private void written(@Nullable Task task, int before) {
            List<Task> rows =
                    new ArrayList<>(job.finished().subList(before, job.finished().size()));
            rows.removeIf(one -> one.attempts() == 0);
            if (task != null && task.state() == TaskState.PENDING) {
                rows.add(task);
            }
            int upTo = job.finished().size();
            Job of = job;
            write(
                    rows,
                    () -> {
                        of.durable(upTo);
                        count();
                    });
        }

        private void write(List<Task> rows, Runnable then) {
            List<Job.KeptTask> kept =
                    rows.stream()
                            .map(task ->
                                    new Job.KeptTask(task.row(), task.state(), task.finishOrder()))
                            .toList();
            String why = job.halted();
            writes.add(() -> {
                for (Job.KeptTask row : kept) {
                    Job.KeptTask known = table.get(row.info().getIndex());
                    if (known != null && known.state().isFinal()) {
                        assertThat(row.state()).as("ended twice").isEqualTo(known.state());
                    } else {
                        table.put(row.info().getIndex(), row);
                    }
                }
                halted = why;
                then.run();
            });
        }

        /** The client asks for more from where it is. */
        private void count() {
            List<Integer> now = job.told().stream().map(Task::index).toList();
            assertThat(now.subList(0, told.size())).as("counted before").isEqualTo(told);
            told.addAll(now.subList(told.size(), now.size()));
        }

        private void crash() {
            writes.clear();
            asked.clear();
            job = Job.restored(1, "alice", request, 0, halted, List.copyOf(table.values()));
            job.durable();
            job.running().forEach(this::ask);
            count();
        }

        void check() {
            var info = job.info("");
            assertThat(
                            info.getPending()
                                    + info.getRunning()
                                    + info.getSucceeded()
                                    + info.getFailed()
                                    + info.getCancelled())
                    .isEqualTo(request.getTasksCount());
            assertThat(job.finished().stream().map(Task::index)).doesNotHaveDuplicates();
        }
    }

    @Test
    void noTaskIsLostAndNoneEndsTwiceWhateverDiesWhen() {
        long first = Tier.seed(28);
        for (long seed = first; seed < first + ROUNDS; seed++) {
            World world = new World(seed);
            int steps = 0;
            while (world.told.size() < world.request.getTasksCount()) {
                assertThat(steps++).as("seed %d goes on", seed).isLessThan(STEPS_MAX);
                try {
                    world.step();
                    world.check();
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("seed " + seed + " step " + steps, e);
                }
            }
            assertThat(world.told).as("seed %d", seed).doesNotHaveDuplicates();
            assertThat(world.job.isDone()).as("seed %d", seed).isTrue();
        }
    }
}

package org.gridfarm.scheduler.server;

import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.ListTasksReply;
import org.gridfarm.protocol.wire.LocalInput;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.ReadTaskOutputReply;
import org.gridfarm.protocol.wire.ReadTaskOutputRequest;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.queue.JobStore;
import org.gridfarm.scheduler.worker.Farm;
import org.junit.jupiter.api.AfterEach;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** A dispatcher with nodes that do as they are told. */
abstract class DispatcherFixture {
    final ExecutorService events = Executors.newSingleThreadExecutor();
    final List<NodeInfo> nodes = new CopyOnWriteArrayList<>();
    final Map<String, String> ran = new ConcurrentHashMap<>(); // attempt, address
    final List<String> order = new CopyOnWriteArrayList<>(); // of attempts
    final Set<String> held = ConcurrentHashMap.newKeySet(); // users whose tasks go on
    final List<CompletableFuture<RunTaskReply>> running = new CopyOnWriteArrayList<>();
    final List<JobStore.TaskRow> rows = new CopyOnWriteArrayList<>();
    final List<JobStore.JobRow> halted = new CopyOnWriteArrayList<>();
    volatile Duration ahead = Duration.ZERO;
    final List<String> killed = new CopyOnWriteArrayList<>();
    final Map<String, CompletableFuture<RunTaskReply>> outcomes =
            new ConcurrentHashMap<>(); // of those held, by attempt
    volatile ListTasksReply offer =
            ListTasksReply.newBuilder().setMemoryBytes(8L << 30).setGpus(2).build();

    /** What nodes answer, one after the other, when they are asked for output. */
    final Queue<Supplier<CompletableFuture<ReadTaskOutputReply>>> written =
            new ConcurrentLinkedQueue<>();

    /** The table takes rows while somebody may acquire it. */
    final Semaphore writing = new Semaphore(1);

    /** What the table answers about jobs that are not in memory, one after the other. */
    final Map<Long, Queue<Supplier<Optional<String>>>> ends = new ConcurrentHashMap<>();

    final Recorder recorder =
            new Recorder(
                    (tasks, jobs) -> {
                        writing.acquireUninterruptibly();
                        writing.release();
                        rows.addAll(tasks);
                        halted.addAll(jobs);
                    },
                    _ -> {});
    final Dispatcher dispatcher =
            new Dispatcher(
                    new TestedFarm(),
                    new TestedRunner(),
                    recorder,
                    new Ahead(),
                    this::unlessEnded,
                    DispatcherTest::account,
                    room(),
                    this::ended);

    /** For the jobs in memory. */
    JobRoom room() {
        return JobRoom.ofThisProcess();
    }

    private CompletableFuture<Optional<String>> ended(long job) {
        Queue<Supplier<Optional<String>>> answers =
                ends.getOrDefault(job, new ConcurrentLinkedQueue<>());
        return answers.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : CompletableFuture.supplyAsync(answers.remove());
    }

    static final class TestedFarmDefect extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** The clock on the wall may be set forward. */
    private final class Ahead implements Clock {
        @Override
        public Instant now() {
            return Clock.system().now().plus(ahead);
        }

        @Override
        public long nanoTime() {
            return Clock.system().nanoTime();
        }

        @Override
        public Timer after(Duration delay, Runnable action) {
            return Clock.system().after(delay, action);
        }
    }

    private final class TestedFarm implements Farm {
        @Override
        public CompletableFuture<List<NodeInfo>> nodes() {
            return CompletableFuture.completedFuture(nodes);
        }

        @Override
        public CompletableFuture<Holdings> holdings(Credentials who, List<ByteString> paths) {
            if (paths.contains(ByteString.copyFromUtf8("/defect"))) {
                throw new TestedFarmDefect();
            }
            return CompletableFuture.completedFuture(new Holdings(Map.of(), 0));
        }

        @Override
        public CompletableFuture<Void> spread(
                Credentials who, ByteString path, String node, Duration keep) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<List<LocalInput>> locals(
                Credentials who, List<ByteString> paths, String node) {
            return CompletableFuture.completedFuture(
                    paths.stream()
                            .map(path -> LocalInput.newBuilder().setPath(path).build())
                            .toList());
        }
    }

    private final class TestedRunner implements UnaskedRunner {
        @Override
        public CompletableFuture<ReadTaskOutputReply> output(
                String address, ReadTaskOutputRequest request) {
            return written.remove().get();
        }

        @Override
        public CompletableFuture<RunTaskReply> run(String address, RunTaskRequest request) {
            if (request.getUser().equals("defect")) {
                throw new TestedFarmDefect();
            }
            ran.put(request.getTask(), address);
            order.add(request.getTask());
            CompletableFuture<RunTaskReply> outcome = new CompletableFuture<>();
            if (held.contains(request.getUser())) {
                running.add(outcome);
                outcomes.put(request.getTask(), outcome);
            } else {
                outcome.complete(RunTaskReply.getDefaultInstance());
            }
            return outcome;
        }

        @Override
        public CompletableFuture<ListTasksReply> tasks(String address) {
            return CompletableFuture.completedFuture(offer);
        }

        @Override
        public CompletableFuture<Void> kill(String address, String attempt, int signal) {
            killed.add(attempt);
            return CompletableFuture.completedFuture(null);
        }
    }

    static CompletableFuture<Accounts.Account> account(String user) {
        return user.equals("stranger")
                ? CompletableFuture.failedFuture(
                        new FarmException(ErrorKind.NOT_PERMITTED, "run as", user, "no account"))
                : CompletableFuture.completedFuture(new Accounts.Account(1000, 1000, List.of()));
    }

    /** The dispatcher asks for the nodes again and again. */
    void unlessEnded(Runnable step) {
        if (!events.isShutdown()) {
            events.execute(step);
        }
    }

    @AfterEach
    void end() {
        recorder.close();
        events.shutdownNow();
    }

    <T> T asked(Supplier<T> question) {
        return CompletableFuture.supplyAsync(question, events).join();
    }

    void begin(List<Job> restored, String... names) {
        for (String name : names) {
            nodes.add(
                    NodeInfo.newBuilder()
                            .setName(name)
                            .setAddress(name + ":1")
                            .setState("up")
                            .setSlots(1)
                            .build());
        }
        events.execute(() -> dispatcher.begin(restored));
    }

    static SubmitJobRequest job(String on, String... inputs) {
        SubmitJobRequest.Builder request = SubmitJobRequest.newBuilder().setNodePattern(on);
        for (String input : inputs) {
            TaskSpec.Builder task = TaskSpec.newBuilder();
            if (!input.isEmpty()) {
                task.addInputs(ByteString.copyFromUtf8(input));
            }
            request.addTasks(task);
        }
        return request.build();
    }

    void submit(long id, String user, SubmitJobRequest request) {
        events.execute(() -> dispatcher.submitted(id, user, request));
    }

    void release() {
        RunTaskReply killed = RunTaskReply.newBuilder().setExitCode(143).setSignal(15).build();
        RunTaskReply ended = RunTaskReply.getDefaultInstance();
        boolean isCancelled = asked(() -> !dispatcher.require(1).halted().isEmpty());
        running.forEach(outcome -> outcome.complete(isCancelled ? killed : ended));
    }

    void awaitState(long id, String state) {
        await().until(() -> asked(() -> dispatcher.require(id).state().equals(state)));
    }

    String reason(long id) {
        return asked(() -> dispatcher.require(id).tasks().get(0).reason());
    }
}

package org.gridfarm.client.cli.console;

import com.google.protobuf.MessageLite;

import org.gridfarm.client.cli.SchedulerLine;
import org.gridfarm.client.cli.health.FarmCheck;
import org.gridfarm.client.cli.health.HealthFinding;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.wire.AdminRequest;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.JobReply;
import org.gridfarm.protocol.wire.JobRequest;
import org.gridfarm.protocol.wire.ListJobsRequest;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.TaskInfo;
import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * What the farm says, asked once for all who look at the same time: an answer is good for {@link
 * #FRESH}. The connection is made when it is needed, so that a console also starts, and says what
 * is wrong, while no metaserver answers. Thread-safe; calls block.
 */
final class Feed implements AutoCloseable {
    static final Duration FRESH = Duration.ofSeconds(1);

    /** Pages of listings may be many: beyond this the kept answers are dropped. */
    private static final int KEPT_MAX = 500;

    private static final int JOBS_MAX = 1_000;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** An answer or a failure, and when it came. */
    private record Kept(@Nullable Object value, @Nullable FarmException failure, long at) {}

    private final ClientConfig config;
    private final Map<String, Kept> kept = new ConcurrentHashMap<>();
    private final Object connecting = new Object();
    private final Object scheduling = new Object(); // before connecting
    private @Nullable Gridfarm farm; // guarded by connecting
    private @Nullable SchedulerLine scheduler; // guarded by scheduling

    Feed(ClientConfig config) {
        this.config = config;
    }

    ClientConfig config() {
        return config;
    }

    Gridfarm farm() {
        synchronized (connecting) {
            Gridfarm open = farm;
            if (open == null) {
                open = Gridfarm.open(config, "gf console");
                farm = open;
            }
            return open;
        }
    }

    /** As whom all of this is asked. */
    String user() {
        return farm().user();
    }

    /** The answer of a moment ago, or asks. A failure is told again for as long. */
    <T> T once(String key, Class<T> type, Supplier<T> ask) {
        Kept known = kept.get(key);
        if (known == null || System.nanoTime() - known.at() > FRESH.toNanos()) {
            if (kept.size() > KEPT_MAX) kept.clear();
            known = ask(ask);
            kept.put(key, known);
        }
        FarmException failure = known.failure();
        if (failure != null) throw failure;
        return type.cast(Objects.requireNonNull(known.value(), key));
    }

    private static Kept ask(Supplier<?> ask) {
        try {
            return new Kept(ask.get(), null, System.nanoTime());
        } catch (RuntimeException e) {
            return new Kept(null, FarmException.of(e, "ask the farm", ""), System.nanoTime());
        }
    }

    /** What was asked before is asked again: something was changed. */
    void forget() {
        kept.clear();
    }

    ClusterStatusReply status() {
        return once(
                "status",
                ClusterStatusReply.class,
                () ->
                        farm().callLeader(
                                        MetadataMethods.CLUSTER_STATUS,
                                        ClusterStatusRequest.getDefaultInstance()));
    }

    @SuppressWarnings("unchecked") // as it was put there
    List<NodeInfo> nodes() {
        return once("nodes", List.class, () -> farm().nodes());
    }

    /** An ADMIN call that changes nothing. */
    JsonNode look(String command, Map<String, String> arguments) {
        return once(command + arguments, JsonNode.class, () -> administer(command, arguments));
    }

    JsonNode administer(String command, Map<String, String> arguments) {
        AdminRequest request =
                AdminRequest.newBuilder().setCommand(command).putAllArguments(arguments).build();
        return JSON.readTree(farm().callLeader(MetadataMethods.ADMIN, request).getJson());
    }

    @SuppressWarnings("unchecked") // as it was put there
    List<HealthFinding> findings() {
        return once("health", List.class, () -> FarmCheck.all(config, this::farm, Instant.now()));
    }

    /** Jobs that run and that have ended, the newest first. */
    @SuppressWarnings("unchecked") // as it was put there
    List<JobInfo> jobs() {
        return once(
                "jobs",
                List.class,
                () -> {
                    ListJobsRequest request =
                            ListJobsRequest.newBuilder().setAll(true).setLimit(JOBS_MAX).build();
                    List<JobInfo> jobs =
                            new ArrayList<>(schedule(SchedulerMethods.LIST, request).getJobsList());
                    jobs.sort((a, b) -> Long.compare(b.getId(), a.getId()));
                    return jobs;
                });
    }

    /** A job with all of its tasks. */
    record WholeJob(JobInfo job, List<TaskInfo> tasks) {}

    WholeJob job(long id) {
        return once(
                "job " + id,
                WholeJob.class,
                () -> {
                    List<TaskInfo> tasks = new ArrayList<>();
                    while (true) {
                        JobRequest request =
                                JobRequest.newBuilder()
                                        .setJob(id)
                                        .setFromTask(tasks.size())
                                        .build();
                        JobReply reply = schedule(SchedulerMethods.JOB, request);
                        tasks.addAll(reply.getTasksList());
                        if (reply.getEnd()) return new WholeJob(reply.getJob(), tasks);
                    }
                });
    }

    /** One call at a time. */
    <Q extends MessageLite, R extends MessageLite> R schedule(Method<Q, R> method, Q request) {
        synchronized (scheduling) {
            SchedulerLine line = scheduler;
            if (line == null) {
                line = new SchedulerLine(farm(), config.schedulers());
                scheduler = line;
            }
            return line.call(method, request);
        }
    }

    @Override
    public void close() {
        synchronized (connecting) {
            if (farm != null) farm.close();
        }
    }
}

package org.gridfarm.client.cli.slurm;

import com.google.protobuf.ByteString;

import org.gridfarm.client.cli.run.Interrupt;
import org.gridfarm.client.cli.run.JobRun;
import org.gridfarm.client.cli.run.Placements;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/** A job of {@code gf run --via slurm}, from what was asked for to its exit status. */
public final class SlurmJob {
    private static final int LOCATED_AT_ONCE = 64;

    private SlurmJob() {}

    /**
     * @param request without its tasks; USAGE for what Slurm is not asked for
     * @param shown the tasks as they were asked for, one for each spec
     * @param end told of the whole when it is over
     */
    public static int run(
            Gridfarm farm,
            SubmitJobRequest request,
            List<TaskSpec> specs,
            List<JobRun.Task> shown,
            JobRun.Manner manner,
            Consumer<JobInfo> end)
            throws IOException, InterruptedException {
        requireOurs(request);
        Slurm slurm = Slurm.here();
        String id = "%08x".formatted(new SecureRandom().nextInt());
        FarmPath directory =
                FarmPath.of(
                        request.getDirectory().isEmpty()
                                ? new byte[] {'/'}
                                : request.getDirectory().toByteArray());
        List<Optional<Publishing>> outs = new ArrayList<>();
        List<byte[]> texts = new ArrayList<>();
        for (int i = 0; i < specs.size(); i++) {
            outs.add(Publishing.of(specs.get(i), i, id));
            texts.add(TaskText.of(request, specs.get(i), outs.get(i)));
        }
        List<NodeInfo> nodes = farm.nodes();
        Spool spool = Spool.make(farm, directory, ".gf-slurm-" + id);
        try {
            SlurmArrays arrays =
                    new SlurmArrays(
                            slurm,
                            request,
                            Math.max(1, specs.getFirst().getSlots()),
                            "gf-" + id,
                            spool,
                            nodes);
            spool.writeTasks(texts);
            List<ViaTask> tasks = placed(located(farm, specs), specs, outs, arrays);
            ViaSlurm running =
                    new ViaSlurm(farm, slurm, request, tasks, shown, manner, arrays, spool);
            Interrupt.cancels("the tasks in Slurm", running::cancel);
            return awaited(running, end);
        } finally {
            spool.remove();
        }
    }

    /** Where we cannot go on nobody would look after the tasks: they end. */
    private static int awaited(ViaSlurm running, Consumer<JobInfo> end)
            throws IOException, InterruptedException {
        try {
            return running.await(end);
        } catch (IOException | RuntimeException e) {
            try {
                running.cancel();
            } catch (RuntimeException again) {
                e.addSuppressed(again);
            }
            throw e;
        }
    }

    /** What only the farm's own scheduler can do. */
    private static void requireOurs(SubmitJobRequest request) {
        Map<String, Boolean> ofTheScheduler =
                Map.of(
                        "--hold",
                        request.getHeld(),
                        "--priority",
                        request.getPriority() != 0,
                        "--speculate",
                        request.getSpeculate(),
                        "--prefer",
                        !request.getPrefer().isEmpty(),
                        "--spread",
                        request.getSpread(),
                        "--disk",
                        request.getDiskBytes() > 0);
        ofTheScheduler.forEach((option, isAsked) -> {
            if (isAsked) {
                throw refused(option);
            }
        });
    }

    public static FarmException refused(String option) {
        return new FarmException(
                ErrorKind.USAGE,
                "run",
                option,
                "does not go with --via slurm: it is for the farm's own scheduler");
    }

    private static List<ViaTask> placed(
            List<Placements.Located> inputs,
            List<TaskSpec> specs,
            List<Optional<Publishing>> outs,
            SlurmArrays arrays) {
        List<String> preferred =
                Preferences.of(
                        inputs.stream().map(Placements.Located::held).toList(), arrays.slots());
        boolean isSomewhere = inputs.stream().anyMatch(input -> !input.held().isEmpty());
        if (isSomewhere && preferred.stream().allMatch(String::isEmpty)) {
            System.err.println(
                    "gf: the tasks run anywhere: no node of Slurm has the name of one that holds input among its features");
        }
        List<ViaTask> tasks = new ArrayList<>();
        for (int i = 0; i < specs.size(); i++) {
            tasks.add(new ViaTask(i, specs.get(i), inputs.get(i), outs.get(i), preferred.get(i)));
        }
        return tasks;
    }

    /** Tasks with the same input are looked up once. */
    private static List<Placements.Located> located(Gridfarm farm, List<TaskSpec> specs)
            throws InterruptedException {
        Placements placements = new Placements(farm);
        Semaphore room = new Semaphore(LOCATED_AT_ONCE);
        Map<List<ByteString>, Future<Placements.Located>> known = new HashMap<>();
        List<Future<Placements.Located>> asked = new ArrayList<>();
        List<Placements.Located> located = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (TaskSpec spec : specs) {
                asked.add(
                        known.computeIfAbsent(
                                spec.getInputsList(),
                                inputs ->
                                        threads.submit(() -> {
                                            room.acquire();
                                            try {
                                                return located(placements, inputs);
                                            } finally {
                                                room.release();
                                            }
                                        })));
            }
            for (Future<Placements.Located> one : asked) {
                located.add(one.get());
            }
            return located;
        } catch (ExecutionException e) {
            throw FarmException.of(e, "run", "input");
        }
    }

    /** With --allow-missing there may be nothing. */
    private static Placements.Located located(Placements placements, List<ByteString> inputs) {
        try {
            return placements.located(
                    inputs.stream().map(input -> FarmPath.of(input.toByteArray())).toList());
        } catch (FarmException e) {
            if (e.kind() != ErrorKind.NOT_FOUND) {
                throw e;
            }
            return new Placements.Located(0, Map.of());
        }
    }
}

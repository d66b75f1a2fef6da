package org.gridfarm.scheduler.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.LocalInput;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.TaskInputRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.protocol.wire.WriteTaskInputRequest;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What a node is asked for when it runs a task. */
final class Attempt {
    /** By which programs of NVIDIA's and AMD's libraries use these GPUs and no others. */
    private static final List<String> GPU_VARIABLES =
            List.of("GF_GPUS", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES");

    private Attempt() {}

    static RunTaskRequest request(
            Job job, Task task, Accounts.Account account, List<LocalInput> locals) {
        TaskSpec spec = task.spec();
        Map<String, ByteString> ofGpus = new HashMap<>();
        if (job.request().getGpus() > 0) {
            ByteString numbers =
                    ByteString.copyFromUtf8(
                            task.gpus().stream()
                                    .map(String::valueOf)
                                    .collect(Collectors.joining(",")));
            GPU_VARIABLES.forEach(name -> ofGpus.put(name, numbers));
        }
        return RunTaskRequest.newBuilder()
                .setTask(task.attemptId())
                .addAllArgv(job.request().getArgvPrefixList())
                .addAllArgv(spec.getArgvList())
                .putAllEnvironment(job.request().getEnvironmentMap())
                .putEnvironment("GF_JOB_ID", text(job.id()))
                .putEnvironment("GF_TASK_ID", text(task.index() + 1L))
                .putEnvironment("GF_TASK_INDEX", text(task.index()))
                .putEnvironment("GF_SLOT", text(task.slot()))
                .putEnvironment("GF_ATTEMPT", text(task.attempts()))
                .putEnvironment("GF_NODE", ByteString.copyFromUtf8(task.node()))
                .putAllEnvironment(ofGpus)
                .setMemoryMax(job.request().getMemoryBytes())
                .setDirectory(job.request().getDirectory())
                .setUser(job.user())
                .setUid(account.uid())
                .setGid(account.gid())
                .setTimeoutMillis(job.request().getTimeoutMillis())
                .setStreamsInput(job.request().getStreamsInput())
                .setNeedsMount(spec.getNeedsMount())
                .addAllLocals(locals)
                .build();
    }

    static WriteTaskInputRequest input(Task task, TaskInputRequest piece) {
        return WriteTaskInputRequest.newBuilder()
                .setTask(task.attemptId())
                .setOffset(piece.getOffset())
                .setData(piece.getData())
                .setEnd(piece.getEnd())
                .setWaitMillis(piece.getWaitMillis())
                .build();
    }

    private static ByteString text(long number) {
        return ByteString.copyFromUtf8(Long.toString(number));
    }
}

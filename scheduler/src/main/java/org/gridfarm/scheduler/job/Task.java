package org.gridfarm.scheduler.job;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;

import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.protocol.wire.TaskUsage;
import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One task: its specification, where its input lies (once located) and how far it has come. Owned
 * by its {@link Job}.
 */
public final class Task {
    private static final long MICROS_PER_MILLI = 1_000; // nodes tell times in microseconds

    private final long job;
    private final int index;
    private final byte[] spec; // as it came: a hundred thousand of them take a tenth of the room
    private final int slots;
    private final boolean hasInput;
    private TaskState state = TaskState.PENDING;
    private int attempts; // number of the one that counts
    private int begun; // in all
    private int failures;
    private String superseded = "";
    private @Nullable Task second;
    private String node = "";
    private String locality = "";
    private String reason = "";
    private long inputBytes;
    private long inputBytesLocal;
    private long queued;
    private long started;
    private long ended;
    private int exitCode;
    private int signal;
    private int slot;
    private List<Integer> gpus = List.of();
    private TaskUsage usage = TaskUsage.getDefaultInstance();
    private boolean publishing;
    private byte[] stdout = {};
    private byte[] stderr = {};
    private long stdoutBytes; // in all
    private long stderrBytes;
    private long finishOrder;
    private @Nullable Map<String, Long> holders;

    Task(long job, int index, TaskSpec spec, long queued) {
        this.job = job;
        this.index = index;
        this.spec = spec.toByteArray();
        this.slots = Math.max(1, spec.getSlots());
        this.hasInput = spec.getInputsCount() > 0;
        this.queued = queued;
    }

    public long job() {
        return job;
    }

    public int index() {
        return index;
    }

    public TaskSpec spec() {
        try {
            return TaskSpec.parseFrom(spec);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("made from a task", e);
        }
    }

    public TaskState state() {
        return state;
    }

    public int attempts() {
        return attempts;
    }

    public String node() {
        return node;
    }

    /** Why it waits, or failed. */
    public String reason() {
        return reason;
    }

    public long finishOrder() {
        return finishOrder;
    }

    public long queued() {
        return queued;
    }

    public long started() {
        return started;
    }

    public long ended() {
        return ended;
    }

    /** All its input lay where it ran last, or runs. */
    boolean isLocal() {
        return locality.equals("local");
    }

    long inputBytesLocal() {
        return inputBytesLocal;
    }

    /** Number of its slot on its node, while it runs. */
    public int slot() {
        return slot;
    }

    /** Of the attempt that begins. */
    public void hold(int number, List<Integer> gpuNumbers) {
        slot = number;
        gpus = List.copyOf(gpuNumbers);
    }

    /** Numbers of the GPUs of its node that it has, while it runs. */
    public List<Integer> gpus() {
        return gpus;
    }

    /** By its last attempt. */
    TaskUsage usage() {
        return usage;
    }

    public int slots() {
        return slots;
    }

    /** This attempt has succeeded; what it left is being published. */
    public boolean isPublishing() {
        return publishing;
    }

    /**
     * Once this is written down, no other attempt is started and this one's output is published.
     */
    public void publish(RunTaskReply reply) {
        publishing = true;
        note(reply, ended);
    }

    /** What the node said of an attempt whose output is being published. */
    public RunTaskReply ran() {
        return RunTaskReply.newBuilder()
                .setExitCode(exitCode)
                .setStdout(ByteString.copyFrom(stdout))
                .setStderr(ByteString.copyFrom(stderr))
                .setStdoutBytes(stdoutBytes)
                .setStderrBytes(stderrBytes)
                .setUsage(usage)
                .setStarted(started * MICROS_PER_MILLI)
                .setEnded(ended * MICROS_PER_MILLI)
                .build();
    }

    /** Names this attempt on its node; the node never runs the same name twice. */
    public String attemptId() {
        return job + "." + index + "." + attempts;
    }

    /**
     * Bytes of the input by node, or null while nobody has looked. A task without input is located
     * at once.
     */
    public @Nullable Map<String, Long> holders() {
        return hasInput ? holders : Map.of();
    }

    public long inputBytes() {
        return inputBytes;
    }

    void locate(Map<String, Long> bytesByNode, long totalBytes) {
        holders = Map.copyOf(bytesByNode);
        inputBytes = totalBytes;
    }

    /** Another attempt that runs at the same time; by this its node, number, slot and GPUs. */
    public Optional<Task> second() {
        return Optional.ofNullable(second);
    }

    /** One is enough: a second one that failed says that it is the task that is slow. */
    public boolean mayHaveSecond() {
        return state == TaskState.RUNNING && !publishing && second == null && begun == attempts;
    }

    /** Begins it. */
    Task startSecond(String onNode, String level, long now) {
        Task one = new Task(job, index, spec(), queued);
        one.inputBytes = inputBytes;
        one.holders = holders;
        one.begun = begun;
        one.start(onNode, level, now);
        begun = one.begun;
        second = one;
        return one;
    }

    /** The attempt of this name, if it is of account. */
    public Optional<Task> attempt(String id) {
        if (state == TaskState.RUNNING && attemptId().equals(id)) {
            return Optional.of(this);
        }
        return second().filter(one -> one.attemptId().equals(id));
    }

    /** The second attempt counts for nothing from now on. */
    void dropSecond(String why) {
        Task other = second;
        if (other != null) {
            superseded = "attempt %d on %s %s".formatted(other.attempts, other.node, why);
            second = null;
        }
    }

    /** The second attempt is the task from now on, and the first counts for nothing. */
    void takeSecond(String why) {
        Task other = second;
        if (other != null) {
            superseded = "attempt %d on %s %s".formatted(attempts, node, why);
            attempts = other.attempts;
            node = other.node;
            locality = other.locality;
            slot = other.slot;
            gpus = other.gpus;
            started = other.started;
            inputBytesLocal = other.inputBytesLocal;
            second = null;
        }
    }

    /** Attempts that failed before this one. */
    int failures() {
        return failures;
    }

    void failedOnce() {
        failures++;
    }

    void start(String onNode, String level, long now) {
        state = TaskState.RUNNING;
        attempts = ++begun;
        superseded = "";
        node = onNode;
        locality = level;
        reason = "";
        slot = 0;
        gpus = List.of();
        usage = TaskUsage.getDefaultInstance();
        publishing = false;
        started = now;
        Map<String, Long> known = holders();
        inputBytesLocal = known == null ? 0 : known.getOrDefault(onNode, 0L);
    }

    void backToPending(String why) {
        state = TaskState.PENDING;
        second = null;
        reason = why;
        holders = null; // its input may lie elsewhere by now
    }

    void finish(TaskState end, RunTaskReply reply, String why, long now, long order) {
        state = end;
        second = null;
        publishing = false;
        note(reply, now);
        reason = why;
        finishOrder = order;
    }

    private void note(RunTaskReply reply, long now) {
        exitCode = reply.getExitCode();
        signal = reply.getSignal();
        usage = reply.getUsage();
        stdout = reply.getStdout().toByteArray();
        stderr = reply.getStderr().toByteArray();
        stdoutBytes = Math.max(stdout.length, reply.getStdoutBytes());
        stderrBytes = Math.max(stderr.length, reply.getStderrBytes());
        if (reply.getStarted() != 0) {
            started = reply.getStarted() / MICROS_PER_MILLI;
        }
        ended = reply.getEnded() != 0 ? reply.getEnded() / MICROS_PER_MILLI : now;
    }

    /** Bytes of its output that are in memory. */
    public int outputHeld() {
        return stdout.length + stderr.length;
    }

    /** From now on its output is in the table alone. */
    public void dropOutput() {
        stdout = new byte[0];
        stderr = new byte[0];
    }

    /** Before it has started, or between two attempts. */
    void cancel(String why, long order) {
        state = TaskState.CANCELLED;
        reason = why;
        finishOrder = order;
    }

    /** As it was written down: what a scheduler that starts again goes on from. */
    void restore(TaskInfo kept, TaskState was, long order) {
        state = was;
        attempts = kept.getAttempts();
        begun = Math.max(attempts, kept.getAttemptsBegun());
        failures = kept.getFailures();
        superseded = kept.getSuperseded();
        if (kept.hasSecond()) {
            Task one = new Task(job, index, spec(), kept.getQueued());
            one.restore(kept.getSecond(), TaskState.RUNNING, 0);
            second = one;
        }
        node = kept.getNode();
        slot = kept.getSlot();
        gpus = List.copyOf(kept.getGpusList());
        usage = kept.getUsage();
        locality = kept.getLocality();
        reason = kept.getReason();
        inputBytes = kept.getInputBytes();
        inputBytesLocal = kept.getInputBytesLocal();
        queued = kept.getQueued();
        started = kept.getStarted();
        ended = kept.getEnded();
        exitCode = kept.getExitCode();
        signal = kept.getSignal();
        stdoutBytes = kept.getStdoutBytes();
        stderrBytes = kept.getStderrBytes();
        finishOrder = order;
        publishing = kept.getPublishing();
        if (publishing) {
            stdout = kept.getStdout().toByteArray();
            stderr = kept.getStderr().toByteArray();
        }
    }

    /** For people. */
    public TaskInfo info(boolean withOutput) {
        TaskSpec asked = spec();
        return known(withOutput)
                .setArgument(
                        asked.getArgument().isEmpty() && asked.getInputsCount() == 1
                                ? asked.getInputs(0)
                                : asked.getArgument())
                .addAllArgv(asked.getArgvList())
                .build();
    }

    /** For the table of tasks: without what stands in the row of the job. */
    public TaskInfo row() {
        return known(true).build();
    }

    private TaskInfo.Builder known(boolean withOutput) {
        TaskInfo.Builder info =
                TaskInfo.newBuilder()
                        .setJob(job)
                        .setIndex(index)
                        .setState(state.word())
                        .setNode(node)
                        .setSlot(slot)
                        .addAllGpus(gpus)
                        .setUsage(usage)
                        .setLocality(locality)
                        .setInputBytes(inputBytes)
                        .setInputBytesLocal(inputBytesLocal)
                        .setExitCode(exitCode)
                        .setSignal(signal)
                        .setAttempts(attempts)
                        .setQueued(queued)
                        .setStarted(started)
                        .setEnded(ended)
                        .setStdoutBytes(stdoutBytes)
                        .setStderrBytes(stderrBytes)
                        .setPublishing(publishing)
                        .setAttemptsBegun(begun)
                        .setFailures(failures)
                        .setSuperseded(superseded)
                        .setReason(reason);
        second().ifPresent(one -> info.setSecond(one.known(false)));
        if (withOutput) {
            info.setStdout(ByteString.copyFrom(stdout));
            info.setStderr(ByteString.copyFrom(stderr));
        }
        return info;
    }
}

package org.gridfarm.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.api.SchedulerMethods;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.LeaderLine;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Opening;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.jspecify.annotations.Nullable;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The way to the scheduler. Thread-safe. */
final class Jobs implements AutoCloseable {
    /** Long enough for a scheduler to take over from another. */
    private static final Duration CALL_MAX = Duration.ofSeconds(20);

    private final Gridfarm farm;
    private @Nullable LeaderLine line; // guarded by this
    private boolean isClosed; // guarded by this

    Jobs(Gridfarm farm) {
        this.farm = farm;
    }

    Job submit(JobSpec job) {
        SubmitJobRequest.Builder request =
                SubmitJobRequest.newBuilder()
                        .setName(job.name())
                        .setRetries(job.retries())
                        .setParallelMax(job.parallel())
                        .setTimeoutMillis(job.timeout().toMillis())
                        .setHalt(job.halt())
                        .setNodePattern(job.nodes())
                        .setSubmission(new SecureRandom().nextLong() | 1);
        job.environment().forEach((name, value) -> request.putEnvironment(name, raw(value)));
        for (TaskSpec task : job.tasks()) {
            org.gridfarm.protocol.wire.TaskSpec.Builder one =
                    org.gridfarm.protocol.wire.TaskSpec.newBuilder()
                            .setSlots(task.slots())
                            .setNeedsMount(task.needsMount());
            task.command().forEach(word -> one.addArgv(raw(word)));
            task.inputs().forEach(path -> one.addInputs(raw(FarmPath.of(path).toString())));
            request.addTasks(one);
        }
        return job(call(SchedulerMethods.SUBMIT, request.build(), job.name()).getJob());
    }

    Job job(long id) {
        return new Job(this, id);
    }

    <Q extends MessageLite, R extends MessageLite> R call(
            Method<Q, R> method, Q request, String subject) {
        CompletableFuture<R> call = line().callPlain(method, request, CALL_MAX);
        try {
            // The answer may be there before we ask, and asking for it does not look.
            if (Thread.interrupted()) throw new InterruptedException();
            return call.get();
        } catch (InterruptedException e) {
            call.cancel(false);
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, method.name(), subject);
        } catch (ExecutionException e) {
            throw FarmException.of(e, method.name(), subject).about(method.name(), subject);
        }
    }

    private synchronized LeaderLine line() {
        if (isClosed) {
            throw new FarmException(
                    ErrorKind.CANCELLED, "ask the scheduler", "", "the client is closed");
        }
        LeaderLine known = line;
        if (known == null) {
            List<HostPort> addresses = farm.config().schedulers();
            if (addresses.isEmpty()) {
                throw new FarmException(
                        ErrorKind.BAD_CONFIGURATION,
                        "ask the scheduler",
                        "",
                        "the configuration names no scheduler");
            }
            known =
                    new LeaderLine(
                            farm.schedulerDialer(),
                            addresses,
                            Opening.NONE,
                            Clock.system(),
                            Entropy.system());
            line = known;
        }
        return known;
    }

    private static ByteString raw(String text) {
        return ByteString.copyFrom(NameText.bytes(text));
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        if (line != null) {
            line.close();
        }
    }
}

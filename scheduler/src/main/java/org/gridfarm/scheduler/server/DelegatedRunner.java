package org.gridfarm.scheduler.server;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.ListTasksReply;
import org.gridfarm.protocol.wire.ReadTaskOutputReply;
import org.gridfarm.protocol.wire.ReadTaskOutputRequest;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.WriteTaskInputReply;
import org.gridfarm.protocol.wire.WriteTaskInputRequest;
import org.gridfarm.scheduler.worker.Runner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Gives each attempt the proxy of its job, and those that run a renewed one. Thread-safe. */
final class DelegatedRunner implements Runner {
    private static final Logger log = LoggerFactory.getLogger(DelegatedRunner.class);

    private final Runner runner;
    private final Delegations delegations;
    private final Map<String, String> addresses = new ConcurrentHashMap<>(); // of what runs

    DelegatedRunner(Runner runner, Delegations delegations) {
        this.runner = runner;
        this.delegations = delegations;
    }

    @Override
    public CompletableFuture<RunTaskReply> run(String address, RunTaskRequest request) {
        String attempt = request.getTask();
        long job = Long.parseLong(attempt.substring(0, attempt.indexOf('.')));
        RunTaskRequest with =
                delegations
                        .of(job)
                        .map(proxy -> request.toBuilder().setProxy(proxy).build())
                        .orElse(request);
        addresses.put(attempt, address);
        return CompletableFuture.completedFuture(with)
                .thenCompose(asked -> runner.run(address, asked))
                .whenComplete((_, _) -> addresses.remove(attempt, address));
    }

    /** What runs of the job has the proxy that is held for it now, as soon as its node answers. */
    void renew(long job) {
        delegations
                .of(job)
                .ifPresent(proxy ->
                        addresses.forEach((attempt, address) -> {
                            if (attempt.startsWith(job + ".")) {
                                renewed(address, attempt, proxy);
                            }
                        }));
    }

    private void renewed(String address, String attempt, ByteString proxy) {
        runner.renewProxy(address, attempt, proxy)
                .whenComplete((_, failure) -> {
                    if (failure != null) {
                        log.warn(
                                "task {} keeps its former proxy: {}",
                                attempt,
                                failure.getMessage());
                    }
                });
    }

    @Override
    public CompletableFuture<Void> renewProxy(String address, String attempt, ByteString proxy) {
        return runner.renewProxy(address, attempt, proxy);
    }

    @Override
    public CompletableFuture<WriteTaskInputReply> input(
            String address, WriteTaskInputRequest request) {
        return runner.input(address, request);
    }

    @Override
    public CompletableFuture<ReadTaskOutputReply> output(
            String address, ReadTaskOutputRequest request) {
        return runner.output(address, request);
    }

    @Override
    public CompletableFuture<ListTasksReply> tasks(String address) {
        return runner.tasks(address);
    }

    @Override
    public CompletableFuture<Void> kill(String address, String attempt, int signal) {
        return runner.kill(address, attempt, signal);
    }
}

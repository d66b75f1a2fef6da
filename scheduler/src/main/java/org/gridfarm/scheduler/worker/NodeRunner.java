package org.gridfarm.scheduler.worker;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.rpc.Dialer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.trace.Trace;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.KillTaskRequest;
import org.gridfarm.protocol.wire.ListTasksReply;
import org.gridfarm.protocol.wire.ReadTaskOutputReply;
import org.gridfarm.protocol.wire.ReadTaskOutputRequest;
import org.gridfarm.protocol.wire.RenewTaskProxyRequest;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.WriteTaskInputReply;
import org.gridfarm.protocol.wire.WriteTaskInputRequest;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Runs attempts by calls to the nodes' own services, over one connection to each. Thread-safe. */
public final class NodeRunner implements Runner, AutoCloseable {
    private static final Duration UNBOUNDED =
            Duration.ZERO; // a task may take days; a dead node is noticed by the connection's
    // keep-alive
    private static final Duration KILL_MAX = Duration.ofSeconds(10);
    private static final Duration LIST_MAX = Duration.ofSeconds(3);
    private static final Duration RENEW_MAX = Duration.ofSeconds(10);
    private static final Duration OUTPUT_MAX = Duration.ofSeconds(9); // within the client's call

    private final Dialer dialer;
    private final Map<String, CompletableFuture<Peer>> peers = new HashMap<>();

    public NodeRunner(Dialer dialer) {
        this.dialer = dialer;
    }

    @Override
    public CompletableFuture<RunTaskReply> run(String address, RunTaskRequest request) {
        return peer(address)
                .thenCompose(peer -> {
                    try (Trace.Scope _ = Trace.enter(traceOf(request))) {
                        return peer.callPlain(StorageMethods.RUN_TASK, request, UNBOUNDED);
                    }
                });
    }

    /** As the job's environment has it, from where the task's own commands take it. */
    private static @Nullable Trace traceOf(RunTaskRequest request) {
        ByteString told = request.getEnvironmentMap().get(Trace.VARIABLE);
        return told == null ? null : Trace.parse(told.toStringUtf8()).orElse(null);
    }

    @Override
    public CompletableFuture<ReadTaskOutputReply> output(
            String address, ReadTaskOutputRequest request) {
        return peer(address)
                .thenCompose(peer ->
                        peer.callPlain(StorageMethods.READ_TASK_OUTPUT, request, OUTPUT_MAX));
    }

    @Override
    public CompletableFuture<Void> renewProxy(String address, String attempt, ByteString proxy) {
        RenewTaskProxyRequest request =
                RenewTaskProxyRequest.newBuilder().setTask(attempt).setProxy(proxy).build();
        return peer(address)
                .thenCompose(
                        peer -> peer.callPlain(StorageMethods.RENEW_TASK_PROXY, request, RENEW_MAX))
                .thenApply(_ -> null);
    }

    @Override
    public CompletableFuture<WriteTaskInputReply> input(
            String address, WriteTaskInputRequest request) {
        return peer(address)
                .thenCompose(peer ->
                        peer.callPlain(StorageMethods.WRITE_TASK_INPUT, request, OUTPUT_MAX));
    }

    @Override
    public CompletableFuture<ListTasksReply> tasks(String address) {
        return peer(address)
                .thenCompose(peer ->
                        peer.callPlain(
                                StorageMethods.LIST_TASKS, Empty.getDefaultInstance(), LIST_MAX));
    }

    @Override
    public CompletableFuture<Void> kill(String address, String attempt, int signal) {
        KillTaskRequest request =
                KillTaskRequest.newBuilder().setTask(attempt).setSignal(signal).build();
        return peer(address)
                .thenCompose(peer -> peer.callPlain(StorageMethods.KILL_TASK, request, KILL_MAX))
                .thenApply(_ -> null);
    }

    private synchronized CompletableFuture<Peer> peer(String address) {
        CompletableFuture<Peer> known = peers.get(address);
        boolean usable = known != null && (!known.isDone() || isOpen(known));
        if (!usable || known == null) {
            known = dialer.dial(HostPort.parse(address));
            peers.put(address, known);
        }
        return known;
    }

    private static boolean isOpen(CompletableFuture<Peer> peer) {
        return !peer.isCompletedExceptionally() && peer.join().isOpen();
    }

    @Override
    public synchronized void close() {
        peers.values().forEach(future -> future.thenAccept(Peer::close));
    }
}

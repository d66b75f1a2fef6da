package org.gridfarm.protocol.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.RpcObserver;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts calls: {@code gf_rpc_duration_seconds{method,result,side}} where the result is {@code ok}
 * or an error kind and the side is {@code client} or {@code server}, {@code
 * gf_rpc_in_flight{side}}, {@code gf_rpc_slow_total{method}}, {@code
 * gf_rpc_bytes_total{direction}}, {@code gf_rpc_connections}.
 */
public final class RpcMeters implements RpcObserver {
    /**
     * Method numbers are dense and small; timers of larger ones are looked up by name each time.
     */
    private static final int METHODS_CACHED_MAX = 1024;

    private static final int RESULTS = ErrorKind.values().length + 1;

    private final MeterRegistry registry;
    private final SlowRequests slow;
    private final Traffic traffic = new Traffic();
    private final AtomicReferenceArray<@Nullable Timer> timers =
            new AtomicReferenceArray<>(2 * METHODS_CACHED_MAX * RESULTS);
    private final LongAdder calls = new LongAdder();
    private final LongAdder requests = new LongAdder();
    private final LongAdder connections = new LongAdder();
    private final Counter received;
    private final Counter sent;

    /** Of a process that is asked by nobody. */
    public RpcMeters(MeterRegistry registry) {
        this(registry, new SlowRequests(SlowRequests.USUAL));
    }

    public RpcMeters(MeterRegistry registry, SlowRequests slow) {
        this.registry = registry;
        this.slow = slow;
        Gauge.builder("gf.rpc.in.flight", calls, LongAdder::sum)
                .tag("side", "client")
                .description("Calls that wait for their answer")
                .register(registry);
        Gauge.builder("gf.rpc.in.flight", requests, LongAdder::sum)
                .tag("side", "server")
                .description("Calls that wait for their answer")
                .register(registry);
        Gauge.builder("gf.rpc.connections", connections, LongAdder::sum)
                .description("Open connections, dialled and accepted")
                .register(registry);
        received = bytes("in");
        sent = bytes("out");
    }

    private Counter bytes(String direction) {
        return Counter.builder("gf.rpc.bytes")
                .tag("direction", direction)
                .description("Bytes of frames before encryption")
                .register(registry);
    }

    @Override
    public void callBegan(Method<?, ?> method) {
        calls.increment();
    }

    @Override
    public void callEnded(Method<?, ?> method, @Nullable ErrorKind failure, long nanos) {
        calls.decrement();
        timer(0, method, failure).record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void requestBegan(Method<?, ?> method) {
        requests.increment();
    }

    @Override
    public void requestEnded(Method<?, ?> method, @Nullable ErrorKind failure, long nanos) {
        requests.decrement();
        timer(1, method, failure).record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void requestAnswered(
            Exchange<?, ?> exchange, @Nullable ErrorKind failure, long received, long sent) {
        traffic.count(exchange, failure, received, sent);
    }

    /** Of the clients of this server. */
    public Traffic traffic() {
        return traffic;
    }

    @Override
    public long slowNanos() {
        return slow.thresholdNanos();
    }

    @Override
    public void requestWasSlow(Exchange<?, ?> exchange, @Nullable ErrorKind failure, long nanos) {
        Counter.builder("gf.rpc.slow")
                .tag("method", exchange.method().name())
                .description("Requests that took longer than slow_request")
                .register(registry)
                .increment();
        slow.add(exchange, failure, nanos);
    }

    @Override
    public void bytesReceived(long bytes) {
        received.increment(bytes);
    }

    @Override
    public void bytesSent(long bytes) {
        sent.increment(bytes);
    }

    @Override
    public void connectionOpened() {
        connections.increment();
    }

    @Override
    public void connectionClosed() {
        connections.decrement();
    }

    private Timer timer(int side, Method<?, ?> method, @Nullable ErrorKind failure) {
        if (method.number() >= METHODS_CACHED_MAX) return register(side, method, failure);
        int result = failure == null ? 0 : failure.ordinal() + 1;
        int index = (side * METHODS_CACHED_MAX + method.number()) * RESULTS + result;
        Timer known = timers.get(index);
        if (known != null) return known;
        Timer made = register(side, method, failure);
        timers.set(index, made);
        return made;
    }

    private Timer register(int side, Method<?, ?> method, @Nullable ErrorKind failure) {
        return Timer.builder("gf.rpc.duration")
                .tag("method", method.name())
                .tag("result", failure == null ? "ok" : failure.name().toLowerCase(Locale.ROOT))
                .tag("side", side == 0 ? "client" : "server")
                .description("From sending a call to its answer, or from its arrival to its answer")
                .serviceLevelObjectives(
                        Duration.ofNanos(100_000),
                        Duration.ofMillis(1),
                        Duration.ofMillis(10),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(10))
                .register(registry);
    }
}

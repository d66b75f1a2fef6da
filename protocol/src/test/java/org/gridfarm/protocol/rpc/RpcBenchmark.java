package org.gridfarm.protocol.rpc;

import static org.gridfarm.protocol.rpc.Loopback.ALICE;

import com.google.protobuf.StringValue;
import com.sun.management.OperatingSystemMXBean;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;

import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.observe.RpcMeters;
import org.jspecify.annotations.Nullable;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Calls and bytes per second over loopback, both ends in one JVM: {@code java -cp ... RpcBenchmark
 * [SECONDS]}. It prints one line a case: lone latency (p50, p99), pipelined calls, and payload
 * bytes in both directions, plain and with each TLS engine.
 */
final class RpcBenchmark {
    private static final Method<StringValue, StringValue> LOOKUP = Loopback.method(1, "lookup");
    private static final Method<StringValue, StringValue> READ = Loopback.method(2, "read");
    private static final Method<StringValue, StringValue> WRITE = Loopback.method(3, "write");
    private static final Method<StringValue, StringValue> SEND_FILE =
            Loopback.method(4, "send-file");
    private static final int BLOCK_BYTES = 1 << 20;
    private static final StringValue REQUEST = StringValue.of("a file name of twenty-two");
    private static final StringValue REPLY = StringValue.of("x".repeat(78));

    private RpcBenchmark() {}

    public static void main(String[] arguments) throws Exception {
        Duration time = Duration.ofSeconds(arguments.length > 0 ? Long.parseLong(arguments[0]) : 3);
        Path file = Files.createTempFile("rpc-benchmark", "");
        Files.write(file, new byte[BLOCK_BYTES]);
        File region = file.toFile();
        ByteBuf block = Unpooled.directBuffer(BLOCK_BYTES).writeZero(BLOCK_BYTES);
        Services services =
                Services.builder()
                        .answer(LOOKUP, q -> REPLY)
                        .on(READ, x -> x.reply(REPLY, block.retainedDuplicate()))
                        .on(WRITE, x -> x.reply(REPLY))
                        .on(
                                SEND_FILE,
                                x -> x.reply(REPLY, new DefaultFileRegion(region, 0, BLOCK_BYTES)))
                        .build();
        for (String security : List.of("plain", "plain+meters", "JDK", "NATIVE")) {
            Loops loops = Loops.start("bench");
            ChannelSecurity channels =
                    security.startsWith("plain")
                            ? ChannelSecurity.insecureForTests(ALICE)
                            : tls(security, loops);
            RpcObserver observer =
                    security.endsWith("meters")
                            ? new RpcMeters(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT))
                            : RpcObserver.NONE;
            try (RpcServer server =
                    RpcServer.bind(
                            loops,
                            new RpcServerConfig(
                                            new HostPort("127.0.0.1", 0),
                                            "bench",
                                            channels,
                                            services)
                                    .withObserver(observer))) {
                Peer peer =
                        Loopback.get(
                                new RpcClient(
                                                loops,
                                                channels,
                                                ExpectedServer.metaserver(),
                                                Services.none(),
                                                KeepAlive.DEFAULT,
                                                observer)
                                        .dial(server.address()));
                for (int round = 0; round < 2; round++) { // the first warms up
                    String name = round == 0 ? "(warm-up) " + security : security;
                    run(name + " lookup x1", peer, LOOKUP, 1, null, 0, time);
                    run(name + " lookup x64", peer, LOOKUP, 64, null, 0, time);
                    run(name + " lookup x1024", peer, LOOKUP, 1024, null, 0, time);
                    run(name + " read 1M x4", peer, READ, 4, null, BLOCK_BYTES, time);
                    run(name + " send-file 1M x4", peer, SEND_FILE, 4, null, BLOCK_BYTES, time);
                    run(name + " write 1M x4", peer, WRITE, 4, block, BLOCK_BYTES, time);
                }
            }
            loops.close();
        }
        Files.delete(file);
    }

    private static void run(
            String name,
            Peer peer,
            Method<StringValue, StringValue> method,
            int inFlight,
            @Nullable ByteBuf payload,
            int bytes,
            Duration time)
            throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        AtomicLong calls = new AtomicLong();
        long[] latencies = new long[1 << 20];
        CountDownLatch done = new CountDownLatch(inFlight);
        long cpu = cpuNanos();
        long began = System.nanoTime();
        for (int i = 0; i < inFlight; i++) next(peer, method, payload, end, calls, latencies, done);
        done.await();
        double seconds = (System.nanoTime() - began) / 1e9;
        long count = calls.get();
        long[] sample = Arrays.copyOf(latencies, (int) Math.min(count, latencies.length));
        Arrays.sort(sample);
        System.out.printf(
                Locale.ROOT,
                "%-32s %10.0f calls/s  p50 %6.1f us  p99 %7.1f us  %5.2f us CPU/call  %6.0f MB/s%n",
                name,
                count / seconds,
                sample[sample.length / 2] / 1e3,
                sample[sample.length * 99 / 100] / 1e3,
                (cpuNanos() - cpu) / 1e3 / count,
                bytes * (double) count / seconds / 1e6);
    }

    private static void next(
            Peer peer,
            Method<StringValue, StringValue> method,
            @Nullable ByteBuf payload,
            long end,
            AtomicLong calls,
            long[] latencies,
            CountDownLatch done) {
        long began = System.nanoTime();
        if (began > end) {
            done.countDown();
            return;
        }
        peer.call(
                        method,
                        REQUEST,
                        payload == null ? null : payload.retainedDuplicate(),
                        Duration.ofSeconds(10))
                .whenComplete((answer, failure) -> {
                    if (failure != null) throw new IllegalStateException(failure);
                    answer.close();
                    long number = calls.getAndIncrement();
                    latencies[(int) (number & (latencies.length - 1))] = System.nanoTime() - began;
                    next(peer, method, payload, end, calls, latencies, done);
                });
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static ChannelSecurity tls(String engine, Loops loops) throws Exception {
        CertificateAuthority authority =
                CertificateAuthority.create("/O=Bench/CN=CA", Instant.now());
        Credential host = authority.issueHost("/O=Bench/CN=m", List.of("127.0.0.1"), Instant.now());
        GridMap map = GridMap.parse("\"/O=Bench/CN=m\" @metaserver\n", "bench");
        return ChannelSecurity.tls(
                new TlsContexts(
                        () -> host,
                        new ChainValidator(TrustStore.of(authority.certificate())),
                        () -> map,
                        Clock.system(),
                        TlsEngine.valueOf(engine),
                        loops.handshakes()));
    }
}

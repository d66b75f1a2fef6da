package org.gridfarm.client.cli.bench.tls;

import com.google.protobuf.BytesValue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Row;
import org.gridfarm.client.cli.bench.Samples;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.tls.TlsContexts;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.auth.x509.ChainValidator;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.ProxyMaker;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.Access;
import org.gridfarm.protocol.rpc.Answer;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Retry;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.rpc.RpcServer;
import org.gridfarm.protocol.rpc.RpcServerConfig;
import org.gridfarm.protocol.rpc.Services;

import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A server and its clients in this process, on loopback: connections a second, full handshakes and
 * resumed ones, by a certificate and by a proxy, and bytes a second, each beside the same without
 * protection. Both ends share the processors, so a server alone does better.
 */
public final class TlsBench {
    private static final String HOST = "127.0.0.1";
    private static final int AT_ONCE = 8;
    private static final int BLOCK_BYTES = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final BytesValue NOTHING = BytesValue.getDefaultInstance();
    private static final String MAP =
            """
            "/O=Bench/CN=server" @metaserver
            "/O=Bench/CN=user" bench
            """;

    private static final Method<BytesValue, BytesValue> READ =
            new Method<>(
                    1,
                    "read",
                    BytesValue.parser(),
                    BytesValue.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE);

    private final int connections;
    private final long bytes;
    private final int repetitions;
    private final Consumer<String> progress;
    private final GridMap map = GridMap.parse(MAP, "bench");
    private final TrustStore trust;
    private final Credential server;
    private final Credential user;
    private final Credential proxy;

    /**
     * @param connections to make for each figure
     * @param bytes to read for each figure
     */
    public TlsBench(int connections, long bytes, int repetitions, Consumer<String> progress)
            throws GeneralSecurityException {
        this.connections = connections;
        this.bytes = bytes;
        this.repetitions = repetitions;
        this.progress = progress;
        Instant now = Instant.now();
        CertificateAuthority authority = CertificateAuthority.create("/O=Bench/CN=CA", now);
        trust = TrustStore.of(authority.certificate());
        server = authority.issueHost("/O=Bench/CN=server", List.of(HOST), now);
        user = authority.issueUser("/O=Bench/CN=user", now);
        proxy = ProxyMaker.make(user, ProxyMaker.Options.usual(), now);
    }

    public Report run() {
        Report report = new Report("tls");
        double bare = 0;
        double plain = 0;
        Identity anybody = map.lookUp("/O=Bench/CN=user").orElseThrow();
        try (Served without = new Served(loops -> ChannelSecurity.insecureForTests(anybody))) {
            ChannelSecurity none = ChannelSecurity.insecureForTests(anybody);
            progress.accept("without protection");
            bare = median(() -> without.connections(() -> none));
            plain = median(() -> without.megabytes(none));
            report.add(Row.of("connections, no TLS", bare, "1/s"));
            report.add(Row.of("read, no TLS", plain, "MB/s"));
        }
        for (TlsEngine engine : List.of(TlsEngine.JDK, TlsEngine.NATIVE)) {
            String name = engine == TlsEngine.JDK ? "JDK" : "native";
            progress.accept(name);
            try (Served with = new Served(loops -> security(server, engine, loops))) {
                ChannelSecurity kept = security(user, engine, with.loops);
                for (Credential who : List.of(user, proxy)) {
                    Supplier<ChannelSecurity> fresh = () -> security(who, engine, with.loops);
                    report.add(
                            Row.of(
                                            "full handshakes, %s, %s"
                                                    .formatted(
                                                            name,
                                                            who == user ? "certificate" : "proxy"),
                                            median(() -> with.connections(fresh)),
                                            "1/s")
                                    .against(bare));
                }
                report.add(
                        Row.of(
                                        "resumed handshakes, " + name,
                                        median(() -> with.connections(() -> kept)),
                                        "1/s")
                                .against(bare));
                report.add(
                        Row.of("read, " + name, median(() -> with.megabytes(kept)), "MB/s")
                                .against(plain));
            }
        }
        return report;
    }

    private double median(Supplier<Double> measure) {
        double unused = measure.get(); // warms up
        double[] values = new double[repetitions];
        for (int i = 0; i < repetitions; i++) values[i] = measure.get();
        return Samples.median(values);
    }

    private ChannelSecurity security(Credential own, TlsEngine engine, Loops loops) {
        return ChannelSecurity.tls(
                new TlsContexts(
                        () -> own,
                        new ChainValidator(trust),
                        () -> map,
                        Clock.system(),
                        engine,
                        loops.handshakes()));
    }

    /** One server, until it is closed. */
    private final class Served implements AutoCloseable {
        private final Loops loops = Loops.start("bench");
        private final RpcServer listening;
        private final ByteBuf block = Unpooled.directBuffer(BLOCK_BYTES).writeZero(BLOCK_BYTES);

        Served(java.util.function.Function<Loops, ChannelSecurity> security) {
            Services services =
                    Services.builder()
                            .on(READ, x -> x.reply(NOTHING, block.retainedDuplicate()))
                            .build();
            listening =
                    RpcServer.bind(
                            loops,
                            new RpcServerConfig(
                                    new HostPort(HOST, 0),
                                    "bench",
                                    security.apply(loops),
                                    services));
        }

        /** A second; each is greeted and closed. */
        double connections(Supplier<ChannelSecurity> security) {
            List<RpcClient> clients = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                clients.add(new RpcClient(loops, security.get(), ExpectedServer.metaserver()));
            }
            AtomicInteger next = new AtomicInteger();
            long began = System.nanoTime();
            all(() -> dialNext(clients, next));
            return connections / seconds(began);
        }

        private CompletableFuture<Void> dialNext(List<RpcClient> clients, AtomicInteger next) {
            int i = next.getAndIncrement();
            if (i >= clients.size()) return CompletableFuture.completedFuture(null);
            return clients.get(i)
                    .dial(listening.address())
                    .thenCompose(peer -> {
                        peer.close();
                        return dialNext(clients, next);
                    });
        }

        /** A second, in blocks over one connection. */
        double megabytes(ChannelSecurity security) {
            Peer peer =
                    new RpcClient(loops, security, ExpectedServer.metaserver())
                            .dial(listening.address())
                            .join();
            AtomicInteger left = new AtomicInteger((int) (bytes / BLOCK_BYTES));
            int blocks = left.get();
            long began = System.nanoTime();
            all(() -> readNext(peer, left));
            double rate = blocks * (BLOCK_BYTES / 1e6) / seconds(began);
            peer.close();
            return rate;
        }

        private CompletableFuture<Void> readNext(Peer peer, AtomicInteger left) {
            if (left.decrementAndGet() < 0) return CompletableFuture.completedFuture(null);
            return peer.call(READ, NOTHING, null, PATIENCE)
                    .thenCompose((Answer<BytesValue> answer) -> {
                        answer.payload().release();
                        return readNext(peer, left);
                    });
        }

        private void all(Supplier<CompletableFuture<Void>> one) {
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) running.add(one.get());
            running.forEach(CompletableFuture::join);
        }

        private static double seconds(long began) {
            return (System.nanoTime() - began) / 1e9;
        }

        @Override
        public void close() {
            listening.close();
            loops.close();
            block.release();
        }
    }
}

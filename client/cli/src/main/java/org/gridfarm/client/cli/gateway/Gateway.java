package org.gridfarm.client.cli.gateway;

import io.micrometer.core.instrument.Counter;

import org.gridfarm.client.cli.gateway.content.Transfers;
import org.gridfarm.client.cli.gateway.files.PlainFiles;
import org.gridfarm.client.cli.gateway.http.HttpListener;
import org.gridfarm.client.cli.gateway.webhdfs.WebHdfs;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.Health;
import org.gridfarm.protocol.observe.HttpEndpoint;
import org.gridfarm.protocol.observe.Metrics;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** A gateway as it listens. Close ends it and all connections. */
public final class Gateway implements AutoCloseable {
    private static final long SWEEP_SECONDS = 30;

    /**
     * How a gateway is to run.
     *
     * @param tls empty: in the clear, which is refused but on loopback
     * @param people who is whose certificate, where the gateway acts for all of them; empty: it
     *     acts as who runs it
     * @param names of certificates that are let in where it acts as who runs it
     * @param open everybody is let in, which is refused but on loopback
     * @param token that lets in; empty: none does
     * @param http where metrics and health are shown; empty: nowhere
     */
    public record Settings(
            HostPort listen,
            Optional<WebTls> tls,
            Optional<Supplier<GridMap>> people,
            Set<String> names,
            boolean open,
            Optional<String> token,
            Optional<HostPort> http) {}

    private final Loops loops;
    private final Farms farms;
    private final HttpListener listener;
    private final Metrics metrics;
    private final @Nullable HttpEndpoint endpoint;
    private final Future<?> sweeping;
    private final String url;
    private final AtomicBoolean ending = new AtomicBoolean();

    private Gateway(
            Loops loops,
            Farms farms,
            HttpListener listener,
            Metrics metrics,
            @Nullable HttpEndpoint endpoint,
            String url) {
        this.loops = loops;
        this.farms = farms;
        this.listener = listener;
        this.metrics = metrics;
        this.endpoint = endpoint;
        this.url = url;
        sweeping =
                loops.group()
                        .scheduleWithFixedDelay(
                                () -> Thread.startVirtualThread(farms::sweep),
                                SWEEP_SECONDS,
                                SWEEP_SECONDS,
                                TimeUnit.SECONDS);
    }

    /**
     * Listens from now on; the farm is asked when somebody comes.
     *
     * @throws FarmException USAGE where the settings would let strangers in, UNAVAILABLE where an
     *     address cannot be had
     */
    public static Gateway start(ClientConfig config, Settings settings) {
        requireSafe(settings);
        Loops loops = Loops.start("gf-gateway");
        try {
            return started(config, settings, loops);
        } catch (RuntimeException e) {
            loops.close();
            throw e;
        }
    }

    private static Gateway started(ClientConfig config, Settings settings, Loops loops) {
        Farms farms =
                new Farms(
                        config, loops, config.security().open(Clock.system(), loops.handshakes()));
        Metrics metrics = new Metrics("gateway", settings.listen().toString());
        FarmReach reach = new FarmReach(farms.metaservers());
        Health health = new Health();
        health.check("farm", Health.Meaning.READINESS, reach::problem);
        Door door =
                new Door(
                        settings.tls(),
                        settings.people().orElse(null),
                        settings.names(),
                        settings.token().orElse(null),
                        settings.open());
        Transfers transfers = Transfers.ofThisProcess();
        Counter received = metrics.registry().counter("gf_gateway_received_bytes_total");
        Counter sent = metrics.registry().counter("gf_gateway_sent_bytes_total");
        Rooms rooms =
                new Rooms(
                        door,
                        farms,
                        new WebHdfs(transfers),
                        new PlainFiles(transfers),
                        reach,
                        (request, answer) -> {
                            received.increment(request.body().bytes());
                            sent.increment(answer.bytes());
                            metrics.registry()
                                    .counter(
                                            "gf_gateway_requests_total",
                                            "status",
                                            String.valueOf(answer.status()))
                                    .increment();
                        });
        HttpListener listener = HttpListener.bind(loops, settings.listen(), settings.tls(), rooms);
        HttpEndpoint endpoint = null;
        if (settings.http().isPresent()) {
            try {
                endpoint = HttpEndpoint.bind(loops, settings.http().get(), metrics, health);
            } catch (FarmException e) {
                listener.close();
                throw e;
            }
        }
        return new Gateway(
                loops,
                farms,
                listener,
                metrics,
                endpoint,
                ListenRules.url(settings.listen(), listener.port(), settings.tls().isPresent()));
    }

    private static void requireSafe(Settings settings) {
        HostPort listen = settings.listen();
        boolean loopback = ListenRules.isLoopback("gateway", listen);
        if (settings.people().isPresent() && settings.tls().isEmpty()) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "gateway",
                    listen.toString(),
                    "it acts for whoever shows his certificate, which takes --tls");
        }
        if (loopback) return;
        if (settings.open()) {
            throw new FarmException(
                    ErrorKind.USAGE,
                    "gateway",
                    listen.toString(),
                    "others reach this address: --no-login is for loopback only");
        }
        ListenRules.requireTlsBeyondLoopback("gateway", listen, settings.tls().isPresent());
    }

    /** Without a slash at its end. */
    public String url() {
        return url;
    }

    /** Of the endpoint of metrics. */
    public Optional<HostPort> http() {
        return Optional.ofNullable(endpoint).map(HttpEndpoint::address);
    }

    @Override
    public void close() {
        if (!ending.compareAndSet(false, true)) return;
        sweeping.cancel(false);
        if (endpoint != null) endpoint.close();
        listener.close();
        farms.close();
        metrics.close();
        loops.close();
    }
}

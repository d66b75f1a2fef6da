package org.gridfarm.client.cli.gateway;

import io.micrometer.core.instrument.Counter;

import org.gridfarm.client.cli.gateway.http.Answer;
import org.gridfarm.client.cli.gateway.http.Handler;
import org.gridfarm.client.cli.gateway.http.HttpListener;
import org.gridfarm.client.cli.gateway.http.Request;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.Health;
import org.gridfarm.protocol.observe.HttpEndpoint;
import org.gridfarm.protocol.observe.Metrics;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * What every gateway is made of while it runs: sessions of the farm, a listener, metrics and
 * health. Close ends it and all connections.
 */
final class Running implements AutoCloseable {
    /** A session that the metaservers refuse asks them each second until it is ended. */
    private static final long SWEEP_SECONDS = 5;

    /**
     * What requests are answered with.
     *
     * @param counted is to be told of each when it has been answered
     */
    record Ground(Farms farms, FarmReach reach, BiConsumer<Request, Answer> counted) {}

    private final Loops loops;
    private final Farms farms;
    private final HttpListener listener;
    private final Metrics metrics;
    private final @Nullable HttpEndpoint endpoint;
    private final Future<?> sweeping;
    private final String url;
    private final AtomicBoolean ending = new AtomicBoolean();

    private Running(
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
     * @param kind in metrics and names of threads
     * @param tls empty: in the clear
     * @param http where metrics and health are shown; empty: nowhere
     * @param tokensMax tokens of the farm that may be at work at a time
     * @throws FarmException UNAVAILABLE where an address cannot be had
     */
    static Running start(
            String kind,
            ClientConfig config,
            HostPort listen,
            Optional<WebTls> tls,
            Optional<HostPort> http,
            int tokensMax,
            Function<Ground, Handler> rooms) {
        Loops loops = Loops.start("gf-" + kind);
        try {
            return started(kind, config, listen, tls, http, tokensMax, rooms, loops);
        } catch (RuntimeException e) {
            loops.close();
            throw e;
        }
    }

    private static Running started(
            String kind,
            ClientConfig config,
            HostPort listen,
            Optional<WebTls> tls,
            Optional<HostPort> http,
            int tokensMax,
            Function<Ground, Handler> rooms,
            Loops loops) {
        Farms farms = new Farms(new Entrance(config, loops), tokensMax);
        Metrics metrics = new Metrics(kind, listen.toString());
        FarmReach reach = new FarmReach(farms.metaservers());
        Health health = new Health();
        health.check("farm", Health.Meaning.READINESS, reach::problem);
        Ground ground = new Ground(farms, reach, counting(metrics));
        HttpListener listener = HttpListener.bind(loops, listen, tls, rooms.apply(ground));
        HttpEndpoint endpoint = null;
        if (http.isPresent()) {
            try {
                endpoint = HttpEndpoint.bind(loops, http.get(), metrics, health);
            } catch (FarmException e) {
                listener.close();
                throw e;
            }
        }
        String url = ListenRules.url(listen, listener.port(), tls.isPresent());
        return new Running(loops, farms, listener, metrics, endpoint, url);
    }

    private static BiConsumer<Request, Answer> counting(Metrics metrics) {
        Counter received = metrics.registry().counter("gf_gateway_received_bytes_total");
        Counter sent = metrics.registry().counter("gf_gateway_sent_bytes_total");
        return (request, answer) -> {
            received.increment(request.body().bytes());
            sent.increment(answer.bytes());
            metrics.registry()
                    .counter("gf_gateway_requests_total", "status", String.valueOf(answer.status()))
                    .increment();
        };
    }

    /** Without a slash at its end. */
    String url() {
        return url;
    }

    /** Of the endpoint of metrics. */
    Optional<HostPort> http() {
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

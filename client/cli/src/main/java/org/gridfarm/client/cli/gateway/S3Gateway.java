package org.gridfarm.client.cli.gateway;

import io.micrometer.core.instrument.Counter;

import org.gridfarm.client.cli.gateway.content.Transfers;
import org.gridfarm.client.cli.gateway.http.HttpListener;
import org.gridfarm.client.cli.gateway.s3.S3;
import org.gridfarm.client.cli.gateway.s3.auth.AccessKeys;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.observe.Health;
import org.gridfarm.protocol.observe.HttpEndpoint;
import org.gridfarm.protocol.observe.Metrics;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** An endpoint of S3 as it listens. Close ends it and all connections. */
public final class S3Gateway implements AutoCloseable {
    private static final long SWEEP_SECONDS = 30;

    /**
     * How it is to run.
     *
     * @param tls empty: in the clear, which is refused but on loopback
     * @param root the directory whose directories are the buckets
     * @param keys the file of access keys
     * @param role it acts as whom a key is of, by the role of a gateway; otherwise it acts as who
     *     runs it, and takes his keys alone
     * @param http where metrics and health are shown; empty: nowhere
     */
    public record Settings(
            HostPort listen,
            Optional<WebTls> tls,
            FarmPath root,
            Path keys,
            boolean role,
            Optional<HostPort> http) {}

    private final Loops loops;
    private final Farms farms;
    private final HttpListener listener;
    private final Metrics metrics;
    private final @Nullable HttpEndpoint endpoint;
    private final Future<?> sweeping;
    private final String url;
    private final AtomicBoolean ending = new AtomicBoolean();

    private S3Gateway(
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
     * @throws FarmException USAGE where others could listen to what is said, BAD_CONFIGURATION
     *     where the keys cannot be used, UNAVAILABLE where an address cannot be had
     */
    public static S3Gateway start(ClientConfig config, Settings settings) {
        ListenRules.requireTlsBeyondLoopback("s3", settings.listen(), settings.tls().isPresent());
        AccessKeys keys = new AccessKeys(settings.keys());
        Loops loops = Loops.start("gf-s3");
        try {
            return started(config, settings, keys, loops);
        } catch (RuntimeException e) {
            loops.close();
            throw e;
        }
    }

    private static S3Gateway started(
            ClientConfig config, Settings settings, AccessKeys keys, Loops loops) {
        Farms farms =
                new Farms(
                        config, loops, config.security().open(Clock.system(), loops.handshakes()));
        Metrics metrics = new Metrics("s3", settings.listen().toString());
        FarmReach reach = new FarmReach(farms.metaservers());
        Health health = new Health();
        health.check("farm", Health.Meaning.READINESS, reach::problem);
        Counter received = metrics.registry().counter("gf_gateway_received_bytes_total");
        Counter sent = metrics.registry().counter("gf_gateway_sent_bytes_total");
        S3Rooms rooms =
                new S3Rooms(
                        keys,
                        settings.role(),
                        farms,
                        new S3(settings.root(), Transfers.ofThisProcess()),
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
        String url =
                ListenRules.url(settings.listen(), listener.port(), settings.tls().isPresent());
        return new S3Gateway(loops, farms, listener, metrics, endpoint, url);
    }

    /** Without a slash at its end. */
    public String url() {
        return url;
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

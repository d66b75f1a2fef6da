package org.gridfarm.client.mount;

import io.micrometer.core.instrument.MeterRegistry;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.Health;
import org.gridfarm.protocol.observe.HttpEndpoint;
import org.gridfarm.protocol.observe.Metrics;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Optional;
import java.util.function.Consumer;

/** The mount's side door for monitors, where {@code -o http=HOST:PORT} asks for one. */
final class MountDoor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MountDoor.class);

    private final Loops loops;
    private final Metrics metrics;
    private final HttpEndpoint endpoint;

    private MountDoor(Loops loops, Metrics metrics, HttpEndpoint endpoint) {
        this.loops = loops;
        this.metrics = metrics;
        this.endpoint = endpoint;
    }

    /**
     * Null: there is to be none, or there is none.
     *
     * @param goesOn programs use the mount already: it does without, where the address cannot be
     *     had
     * @throws FarmException UNAVAILABLE for a new mount, where the address cannot be had
     */
    static @Nullable MountDoor open(
            MountSettings settings,
            Metadata metadata,
            Consumer<MeterRegistry> meters,
            boolean goesOn) {
        HostPort listen = settings.http();
        if (listen == null) return null;
        Loops loops = Loops.start("gf-mount-http", 1);
        Metrics metrics = new Metrics("mount", settings.directory().toString());
        meters.accept(metrics.registry());
        Health health = new Health();
        health.check("lease", Health.Meaning.READINESS, () -> leaseProblem(metadata));
        try {
            return new MountDoor(loops, metrics, HttpEndpoint.bind(loops, listen, metrics, health));
        } catch (FarmException e) {
            metrics.close();
            loops.close();
            if (!goesOn) throw e;
            log.error("no metrics: {}", e.getMessage());
            return null;
        }
    }

    private static Optional<String> leaseProblem(Metadata metadata) {
        return metadata.leaseNanosLeft() > 0
                ? Optional.empty()
                : Optional.of("no metaserver answers");
    }

    @Override
    public void close() {
        endpoint.close();
        metrics.close();
        loops.close();
    }
}

package org.gridfarm.client.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import io.micrometer.core.instrument.MeterRegistry;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.observe.Health;
import org.gridfarm.protocol.observe.HttpEndpoint;
import org.gridfarm.protocol.observe.Metrics;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The mount's side door for monitors, where {@code -o http=HOST:PORT} asks for one. Thread-safe.
 */
final class MountDoor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MountDoor.class);

    /** Between two attempts to have an address that somebody else has. */
    static final Duration AGAIN = Duration.ofSeconds(5);

    private final Loops loops = Loops.start("gf-mount-http", 1);
    private final Metrics metrics;
    private final Health health = new Health();
    private final HostPort listen;
    private final Clock clock;

    @GuardedBy("this")
    private @Nullable HttpEndpoint endpoint; // null: the address is not free

    @GuardedBy("this")
    private boolean isClosed;

    private MountDoor(
            HostPort listen,
            String name,
            LongSupplier leaseNanosLeft,
            Consumer<MeterRegistry> meters,
            Clock clock) {
        this.listen = listen;
        this.clock = clock;
        metrics = new Metrics("mount", name);
        meters.accept(metrics.registry());
        health.check("lease", Health.Meaning.READINESS, () -> leaseProblem(leaseNanosLeft));
    }

    /**
     * Null: there is to be none.
     *
     * @param leaseNanosLeft 0: no metaserver is reached
     * @param goesOn programs use the mount already: it does without, where the address cannot be
     *     had, and tries again. A process that has ended listens as long as the kernel keeps one of
     *     its threads
     * @throws FarmException UNAVAILABLE for a new mount, where the address cannot be had
     */
    static @Nullable MountDoor open(
            MountSettings settings,
            LongSupplier leaseNanosLeft,
            Consumer<MeterRegistry> meters,
            boolean goesOn,
            Clock clock) {
        HostPort listen = settings.http();
        if (listen == null) return null;
        String name = settings.directory().toString();
        MountDoor door = new MountDoor(listen, name, leaseNanosLeft, meters, clock);
        try {
            door.bind();
        } catch (FarmException e) {
            if (!goesOn) {
                door.close();
                throw e;
            }
            log.error("no metrics yet: {}", e.getMessage());
            door.tryLater();
        }
        return door;
    }

    private synchronized void bind() {
        if (!isClosed) endpoint = HttpEndpoint.bind(loops, listen, metrics, health);
    }

    private synchronized void tryLater() {
        if (!isClosed) clock.after(AGAIN, this::begin);
    }

    /** Not on the clock's thread: to look up a host's name may take long. */
    private void begin() {
        Thread.ofPlatform().daemon().name("gf-mount-http-bind").start(this::tryAgain);
    }

    private void tryAgain() {
        try {
            bind();
        } catch (FarmException e) {
            log.debug("no metrics yet: {}", e.getMessage());
            tryLater();
        }
    }

    private static Optional<String> leaseProblem(LongSupplier leaseNanosLeft) {
        return leaseNanosLeft.getAsLong() > 0
                ? Optional.empty()
                : Optional.of("no metaserver answers");
    }

    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
            if (endpoint != null) endpoint.close();
        }
        metrics.close();
        loops.close();
    }
}

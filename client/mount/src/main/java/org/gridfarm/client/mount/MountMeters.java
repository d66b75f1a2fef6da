package org.gridfarm.client.mount;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import org.gridfarm.client.mount.fuse.Connection;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.RequestFigures;
import org.gridfarm.client.mount.own.OwnFigures;
import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The mount's own meters, {@code gf_mount_*}. Counts are of the process that serves it: they begin
 * anew with the next one, as those of any daemon that is restarted.
 */
final class MountMeters {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;

    /** Of an answer that says more of the farm than of the program that asked. */
    private static final Map<String, Integer> ERRORS =
            Map.of(
                    "EIO", Errno.EIO,
                    "ETIMEDOUT", Errno.ETIMEDOUT,
                    "ESTALE", Errno.ESTALE,
                    "ENOSPC", Errno.ENOSPC,
                    "EDQUOT", Errno.EDQUOT,
                    "EROFS", Errno.EROFS,
                    "ENFILE", Errno.ENFILE,
                    "EAGAIN", Errno.EAGAIN,
                    "EACCES", Errno.EACCES,
                    "EPERM", Errno.EPERM);

    private final MeterRegistry registry;
    private final Mounted mounted;
    private final LongSupplier openFiles;
    private final Supplier<OwnFigures> own;
    private final Supplier<@Nullable Connection> connection;

    MountMeters(
            MeterRegistry registry,
            Mounted mounted,
            LongSupplier openFiles,
            Supplier<OwnFigures> own,
            Supplier<@Nullable Connection> connection) {
        this.registry = registry;
        this.mounted = mounted;
        this.openFiles = openFiles;
        this.own = own;
        this.connection = connection;
    }

    void register() {
        gauge("gf.mount.open.files", "Open files", _ -> openFiles.getAsLong());
        gauge(
                "gf.mount.lease.left.seconds",
                "What is left of the lease; at 0 the mount reaches no metaserver",
                of -> Math.max(0, of.metadata().leaseNanosLeft()) / NANOS_PER_SECOND);
        gauge(
                "gf.mount.processes.before",
                "Processes that served this mount and ended",
                of -> of.numbers().predecessors());
        gauge(
                "gf.mount.passthrough",
                "1: the kernel reads and writes local replicas by itself",
                _ -> passesThrough() ? 1 : 0);
        count(
                "gf.mount.recalls",
                "Times that something was taken back from this mount",
                of -> of.metadata().recallStamp());
        registerOwn();
    }

    private void registerOwn() {
        gauge(
                "gf.mount.own.directories",
                "Directories that it decides in",
                _ -> own.get().directories());
        gauge(
                "gf.mount.commands.waiting",
                "Changes that programs were answered and no metaserver was told of yet",
                _ -> own.get().waiting());
        gauge(
                "gf.mount.commands.oldest.seconds",
                "Since the first of these: so much would go with this host",
                _ -> own.get().oldestMillis() / MILLIS_PER_SECOND);
        count("gf.mount.shipments", "Shipments of such changes", _ -> own.get().shipments());
        count("gf.mount.commands.shipped", "Changes in them", _ -> own.get().shipped());
        count(
                "gf.mount.commands.different",
                "Of these, come to something else at the metaserver",
                _ -> own.get().different());
        count(
                "gf.mount.commands.lost",
                "Changes that programs were answered and nobody will be told of",
                _ -> own.get().lost());
        count(
                "gf.mount.opens.without.call",
                "Files opened again without asking a server",
                _ -> own.get().opens());
    }

    /** What the kernel asks, from the moment on when it can. */
    void registerRequests(RequestFigures figures) {
        for (RequestFigures.Operation operation : figures.operations()) {
            FunctionTimer.builder(
                            "gf.mount.requests",
                            operation,
                            RequestFigures.Operation::answered,
                            RequestFigures.Operation::nanos,
                            TimeUnit.NANOSECONDS)
                    .description("Requests of the kernel, from reading one to answering it")
                    .tag("operation", operation.name())
                    .register(registry);
        }
        ERRORS.forEach((name, errno) ->
                FunctionCounter.builder("gf.mount.errors", figures, of -> of.errors(errno))
                        .description("Requests that were answered with an error")
                        .tag("errno", name)
                        .register(registry));
    }

    private boolean passesThrough() {
        Connection running = connection.get();
        return running != null && running.passthrough().available();
    }

    private void gauge(String name, String about, ToDoubleFunction<Mounted> value) {
        Gauge.builder(name, mounted, value).description(about).register(registry);
    }

    private void count(String name, String about, ToDoubleFunction<Mounted> value) {
        FunctionCounter.builder(name, mounted, value).description(about).register(registry);
    }
}

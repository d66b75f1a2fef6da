package org.gridfarm.client.mount;

import io.micrometer.core.instrument.MeterRegistry;

import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.client.mount.fuse.Connection;
import org.gridfarm.client.mount.fuse.Passthrough;
import org.gridfarm.client.mount.own.OwnFigures;
import org.jspecify.annotations.Nullable;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The texts of the control files. */
final class Telling {
    private static final long MEGABYTE = 1 << 20;

    private final Mounted mounted;
    private final LongSupplier openFiles;
    private final String noPassthrough;
    private final Supplier<OwnFigures> own;
    private @Nullable MountMeters meters;
    private volatile @Nullable Connection connection;

    /**
     * @param noPassthrough why this mount does not use what the kernel may offer; empty: it does
     */
    Telling(
            Mounted mounted,
            LongSupplier openFiles,
            String noPassthrough,
            Supplier<OwnFigures> own) {
        this.own = own;
        this.mounted = mounted;
        this.openFiles = openFiles;
        this.noPassthrough = noPassthrough;
    }

    void started(Connection running) {
        connection = running;
        if (meters != null) meters.registerRequests(running.figures());
    }

    /** The same for monitors; before it is started. */
    void register(MeterRegistry registry) {
        MountMeters made = new MountMeters(registry, mounted, openFiles, own, () -> connection);
        made.register();
        meters = made;
    }

    List<ControlFiles.Page> pages() {
        return List.of(
                new ControlFiles.Page("stats", this::stats),
                new ControlFiles.Page("errors", this::errors),
                new ControlFiles.Page("leases", this::leases));
    }

    private String stats() {
        Connection running = connection;
        Runtime runtime = Runtime.getRuntime();
        return "process "
                + ProcessHandle.current().pid()
                + "\nprocesses_before "
                + mounted.numbers().predecessors()
                + "\nup_seconds "
                + ManagementFactory.getRuntimeMXBean().getUptime() / 1000
                + "\nprotocol 7."
                + (running == null ? 0 : running.minor())
                + "\npassthrough "
                + passthrough(running)
                + "\nopen_files "
                + openFiles.getAsLong()
                + "\nerrors_kept "
                + mounted.errors().all().size()
                + "\nheap_megabytes "
                + (runtime.totalMemory() - runtime.freeMemory()) / MEGABYTE
                + "\nheap_megabytes_max "
                + runtime.maxMemory() / MEGABYTE
                + "\n"
                + own.get().text();
    }

    private String passthrough(@Nullable Connection running) {
        if (!noPassthrough.isEmpty()) {
            return "no: " + noPassthrough;
        }
        if (running == null) {
            return "no: not started";
        }
        Passthrough kernel = running.passthrough();
        return kernel.available() ? "yes" : "no: " + kernel.refusal();
    }

    /** One line each: the inode in hexadecimal, when, which operation, why. */
    private String errors() {
        StringBuilder text = new StringBuilder();
        mounted.errors()
                .all()
                .forEach((inode, error) ->
                        text.append(Long.toHexString(inode))
                                .append(' ')
                                .append(error)
                                .append('\n'));
        return text.toString();
    }

    private String leases() {
        Metadata metadata = mounted.metadata();
        return "lease_millis_left "
                + metadata.leaseNanosLeft() / 1_000_000
                + "\nrecalls "
                + metadata.recallStamp()
                + "\n";
    }
}

package org.gridfarm.storagenode;

import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.config.DaemonSettings;
import org.gridfarm.protocol.name.NodeName;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.storagenode.replica.StoreLimits;
import org.gridfarm.storagenode.tasks.TaskSettings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A storage node's configuration file. Beside what every daemon has:
 *
 * <pre>
 * metaservers = ["host:port", ...]
 * data = ["DIR", ...]            one per disk
 * reserve = "1G"                 of each disk, never taken by replicas
 * rack = "", group = "default"   where it stands, for placement
 * host = ""                      the machine, where several nodes share one; the host name by itself
 * slots = 2                      tasks at once
 * mount = "DIR"                  where the farm is mounted here, for tasks
 * [storage] io_threads = 8, open_files = 1024, verify_age = "7d", settle_after = "10s"
 * [scrub]   rate = "20M", every = "7d"       rate per second; "0" and "0s" for no limit and never
 * [tasks]   kill_grace = "5s", scratch = "DIR", min_uid = 1000
 *           memory = "16G", gpus = 0       that tasks may ask for
 *           allow_root = false             only where "listen" is an address of this host alone
 * </pre>
 */
public record NodeSettings(
        DaemonSettings daemon,
        List<HostPort> metaservers,
        List<Path> data,
        long reserve,
        String rack,
        String group,
        String host,
        StoreLimits limits,
        Duration verifyAge,
        long scrubBytesPerSecond,
        Duration scrubEvery,
        TaskSettings tasks) {
    private static final long RESERVE_DEFAULT = 1L << 30;
    private static final long SCRUB_RATE_DEFAULT = 20L << 20;
    private static final int SLOTS_MAX = 10_000;
    private static final int GPUS_MAX = 64;
    private static final int OPEN_FILES_MAX = 1_000_000;

    public static NodeSettings read(Path file) {
        return Config.read(file, NodeSettings::read);
    }

    static NodeSettings read(Config config) {
        DaemonSettings daemon = DaemonSettings.read(config);
        NodeName name = new NodeName(daemon.name());
        List<Path> data = config.paths("data");
        if (data.isEmpty()) {
            throw config.wrong(
                    "data",
                    "'data' is missing: the directories that hold the replicas, one per disk");
        }
        Config storage = config.section("storage");
        Config scrub = config.section("scrub");
        Config tasks = config.section("tasks");
        StoreLimits standard = StoreLimits.DEFAULT;
        return new NodeSettings(
                daemon,
                config.addresses("metaservers"),
                data,
                config.bytes("reserve", RESERVE_DEFAULT),
                config.text("rack", ""),
                config.text("group", "default"),
                config.text("host", ""),
                new StoreLimits(
                        storage.count("open_files", standard.openMax(), 16, OPEN_FILES_MAX),
                        storage.count("io_threads", standard.ioThreads(), 1, 256),
                        standard.sumAfter(),
                        storage.duration("settle_after", standard.settleAfter())),
                storage.duration("verify_age", Duration.ofDays(7)),
                scrub.bytes("rate", SCRUB_RATE_DEFAULT),
                scrub.duration("every", Duration.ofDays(7)),
                new TaskSettings(
                        config.count(
                                "slots", Runtime.getRuntime().availableProcessors(), 0, SLOTS_MAX),
                        config.pathIfAny("mount").map(Path::toString).orElse(""),
                        tasks.duration("kill_grace", Duration.ofSeconds(5)),
                        tasks.pathIfAny("scratch")
                                .orElseGet(() -> Path.of(System.getProperty("java.io.tmpdir"))),
                        tasks.count("min_uid", TaskSettings.MIN_UID_DEFAULT, 1, Integer.MAX_VALUE),
                        allowsRoot(tasks, daemon),
                        data.getFirst().resolve("task-output"),
                        config.bytes("reserve", RESERVE_DEFAULT),
                        tasks.bytes("memory", TaskSettings.memoryOfThisHost()),
                        tasks.count("gpus", 0, 0, GPUS_MAX)));
    }

    /** Others than root on this host cannot have meant it. */
    private static boolean allowsRoot(Config tasks, DaemonSettings daemon) {
        boolean allowed = tasks.flag("allow_root", false);
        String host = daemon.listen().host();
        if (allowed && !host.matches("127\\.[0-9.]+|localhost|::1|\\[::1]")) {
            throw tasks.wrong(
                    "allow_root",
                    "'tasks.allow_root' is for a farm of root's own on one machine: 'listen' must be 127.0.0.1, not "
                            + host);
        }
        return allowed;
    }
}

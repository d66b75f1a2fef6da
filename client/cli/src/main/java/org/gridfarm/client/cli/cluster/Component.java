package org.gridfarm.client.cli.cluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * One process of the farm as written down in cluster.json: how to start it, where it logs, and
 * which process it was last.
 *
 * @param name unique in the farm: meta1, cache1, n1, sched1, postgres, zookeeper, mount-n1
 * @param role postgres, zookeeper, metaserver, cache, storagenode, scheduler, mount
 * @param address host:port of its service; for a mount the directory
 * @param http host:port of /readyz, empty when it has none
 * @param pid of the last start, 0 when never started or stopped in order
 * @param startTicks the kernel's start time of that process (field 22 of /proc/PID/stat): a reused
 *     pid is not mistaken for it
 */
record Component(
        String name,
        String role,
        List<String> command,
        Map<String, String> environment,
        String log,
        String address,
        String http,
        long pid,
        long startTicks) {

    Component started(long newPid, long ticks) {
        return new Component(name, role, command, environment, log, address, http, newPid, ticks);
    }

    Component stopped() {
        return started(0, 0);
    }

    Path logFile() {
        return Path.of(log);
    }

    boolean isMount() {
        return role.equals("mount");
    }
}

package org.gridfarm.client.cli.setup;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What this host is to be in the farm, and the configuration files that follow from it. Pure.
 *
 * @param host the name by which others reach it
 * @param node of the storage node here
 * @param metaservers HOST:PORT of all of them
 * @param zookeeper HOST:PORT, several with commas between
 * @param reserve bytes that stay free on each disk
 */
record HostPlan(
        String host,
        String node,
        List<String> metaservers,
        List<String> schedulers,
        String zookeeper,
        List<Path> data,
        Path mount,
        long reserve,
        int slots) {
    static final Path ETC = Path.of("/etc/gridfarm");
    private static final String DATABASE = "jdbc:postgresql://localhost/gridfarm";

    HostPlan {
        require(host.matches("[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?"), "host", host);
        require(node.matches("[A-Za-z0-9][A-Za-z0-9._-]*"), "name of a node", node);
        require(!data.isEmpty(), "data", "");
        for (Path path : data) require(path.isAbsolute(), "data (an absolute path)", path);
        require(mount.isAbsolute(), "mount (an absolute path)", mount);
    }

    private static void require(boolean good, String what, Object value) {
        if (!good) {
            throw new FarmException(
                    ErrorKind.USAGE, "setup", value.toString(), "not a good " + what);
        }
    }

    /** The files of a host with every part of a farm. */
    SortedMap<String, String> all() {
        SortedMap<String, String> files = new TreeMap<>(ofNode());
        files.put(
                "metaserver.toml",
                Template.shipped("metaserver.toml")
                        .with("", "advertise", host + ":7000")
                        .with("database", "url", DATABASE)
                        .with("zookeeper", "connect", zookeeper)
                        .text());
        files.put(
                "scheduler.toml",
                Template.shipped("scheduler.toml")
                        .with("", "advertise", host + ":7200")
                        .with("", "metaservers", metaservers)
                        .with("database", "url", DATABASE)
                        .with("zookeeper", "connect", zookeeper)
                        .text());
        files.put(
                "admin.toml",
                client().with("tls", "credential", ETC.resolve("tls/admin.pem").toString()).text());
        return files;
    }

    /** Those of a host that only stores, runs tasks and mounts. */
    SortedMap<String, String> ofNode() {
        SortedMap<String, String> files = new TreeMap<>();
        files.put("config.toml", client().text());
        files.put(
                "storagenode.toml",
                Template.shipped("storagenode.toml")
                        .with("", "name", node)
                        .with("", "advertise", host + ":7100")
                        .with("", "metaservers", metaservers)
                        .with("", "data", texts(data))
                        .with("", "reserve", Long.toString(reserve))
                        .with("", "mount", mount.toString())
                        .raw("", "slots", Integer.toString(slots))
                        .text());
        return files;
    }

    private Template client() {
        return Template.shipped("client.toml")
                .with("", "metaservers", metaservers)
                .with("", "scheduler", schedulers)
                .with("", "node", node)
                .with("", "node_data", texts(data));
    }

    private static List<String> texts(List<Path> paths) {
        return paths.stream().map(Path::toString).toList();
    }

    /** Of the ZooKeeper that a farm on one host brings itself. */
    static String zooCfg(Path data) {
        return """
        # Written by gf setup: election and membership of the farm on this host, which alone reaches it.
        dataDir=%s
        clientPort=2181
        clientPortAddress=127.0.0.1
        tickTime=500
        minSessionTimeout=1000
        maxSessionTimeout=20000
        admin.enableServer=false
        autopurge.purgeInterval=24
        """
                .formatted(data);
    }
}

package org.gridfarm.client.cli.setup;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** The farm's systemd units on this host. They notify systemd, so that started means serving. */
final class Units {
    static final String ZOOKEEPER = "gridfarm-zookeeper";
    static final String METASERVER = "gridfarm-metaserver";
    static final String NODE = "gridfarm-storagenode";
    static final String SCHEDULER = "gridfarm-scheduler";
    static final String MOUNT = "gridfarm-mount";

    /** In the order in which they start. */
    static final List<String> ALL = List.of(ZOOKEEPER, METASERVER, NODE, SCHEDULER, MOUNT);

    private static final Path SYSTEM = Path.of("/etc/systemd/system");
    private static final long MIB = 1 << 20;

    private final Host host;

    Units(Host host) {
        this.host = host;
    }

    boolean runs(String unit) {
        return host.ask("systemctl", "is-active", "--quiet", unit).good()
                && host.ask("systemctl", "is-enabled", "--quiet", unit).good();
    }

    void start(String unit) {
        Host.Result result = host.ask("systemctl", "enable", "--now", unit);
        if (result.good()) return;
        String log =
                host.ask("journalctl", "-u", unit, "-n", "3", "-o", "cat", "--no-pager")
                        .output()
                        .strip()
                        .replace("\n", " | ");
        throw new FarmException(
                ErrorKind.UNAVAILABLE,
                "start",
                unit,
                result.output().strip().lines().findFirst().orElse("")
                        + " Its log ends with: "
                        + log);
    }

    /** Stops and disables what there is of them, the mount first. */
    void stopAll() {
        for (String unit : ALL.reversed()) {
            if (Files.exists(dropIn(unit)) || host.ask("systemctl", "is-enabled", unit).good()) {
                host.require("", "systemctl", "disable", "--now", unit);
            }
            host.remove(dropIns(unit));
        }
        host.require("", "systemctl", "daemon-reload");
    }

    void writeDropIns(SortedMap<String, String> dropIns) {
        dropIns.forEach((unit, text) -> host.write(dropIn(unit), text, "rw-r--r--"));
        host.require("", "systemctl", "daemon-reload");
    }

    boolean holdDropIns(SortedMap<String, String> dropIns) {
        return dropIns.entrySet().stream()
                .allMatch(e -> host.holds(dropIn(e.getKey()), e.getValue()));
    }

    private static Path dropIns(String unit) {
        return SYSTEM.resolve(unit + ".service.d");
    }

    private static Path dropIn(String unit) {
        return dropIns(unit).resolve("setup.conf");
    }

    /**
     * What the units of this host have other than as they ship: heaps that fit its memory, and
     * where the farm is mounted. Pure.
     *
     * @param memory of the host, in bytes
     */
    static SortedMap<String, String> dropIns(long memory, Path mount, String gf) {
        SortedMap<String, String> texts = new TreeMap<>();
        texts.put(METASERVER, heap(memory / 4, 256, 4096));
        texts.put(NODE, heap(memory / 16, 192, 1024));
        texts.put(SCHEDULER, heap(memory / 16, 128, 512));
        texts.put(
                MOUNT,
                heap(memory / 16, 192, 512)
                        + """
                        ExecStart=
                        ExecStart=%1$s mount --config /etc/gridfarm/config.toml --foreground %2$s
                        ExecReload=
                        ExecReload=%1$s mount --upgrade --config /etc/gridfarm/config.toml %2$s
                        ExecStopPost=
                        ExecStopPost=-/bin/umount -l %2$s
                        """
                                .formatted(gf, mount));
        return texts;
    }

    private static String heap(long bytes, long least, long most) {
        long mebibytes = Math.clamp(bytes / MIB, least, most);
        return "# Written by gf setup.\n[Service]\nEnvironment=GF_HEAP=" + mebibytes + "m\n";
    }
}

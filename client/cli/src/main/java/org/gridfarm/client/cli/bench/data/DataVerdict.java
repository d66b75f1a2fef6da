package org.gridfarm.client.cli.bench.data;

import org.gridfarm.client.cli.bench.Report;
import org.gridfarm.client.cli.bench.Row;
import org.gridfarm.client.cli.bench.Row.Aim;
import org.gridfarm.client.cli.bench.Samples;

import java.util.Map;
import java.util.TreeMap;

/** Sets what was measured beside its yardsticks and aims. */
final class DataVerdict {
    static final String SOCKET = "plain socket";
    static final String FAR_WRITE = "from far: write";
    static final String FAR_READ = "from far: read";
    static final String FAR_MOUNT = "at the mount: read from another node";

    private static final String BARE = "bare: ";
    private static final String STRIPED = "striped: ";
    private static final String ONE_STRIPE = " by 1";

    private final Samples samples;
    private final Map<String, Aim> aims = new TreeMap<>();

    DataVerdict(Samples samples) {
        this.samples = samples;
        aims.put(farm(Patterns.READ_ALONE, 1), Aim.atLeast(0.95));
        aims.put(farm(Patterns.READ_TOGETHER, 1), Aim.atLeast(0.95));
        aims.put(farm(Patterns.WRITE_ALONE, 1), Aim.atLeast(0.85));
        aims.put(farm(Patterns.WRITE_TOGETHER, 1), Aim.atLeast(0.85));
        aims.put(farm(Patterns.WRITE_ALONE, 2), Aim.atLeast(0.4));
        aims.put(farm(Patterns.WRITE_TOGETHER, 2), Aim.atLeast(0.4));
        aims.put(farm(Patterns.CACTUS_APPEND, 1), Aim.atLeast(1 / 1.2)); // a fifth more time
        aims.put(farm(Patterns.CACTUS_HDF5, 1), Aim.atLeast(1 / 1.5)); // half more
        aims.put(FAR_READ, Aim.atLeast(0.7));
        aims.put(FAR_MOUNT, Aim.atLeast(0.7));
    }

    static String bare(String pattern, int level) {
        return BARE + farm(pattern, level);
    }

    static String farm(String pattern, int level) {
        return "level " + level + ": " + pattern;
    }

    static String striped(String what, int stripes) {
        return STRIPED + what + " by " + stripes;
    }

    Report report() {
        Report report = new Report("data");
        for (String name : samples.names()) {
            if (name.startsWith(BARE)) continue;
            Row row = samples.row(name);
            double yardstick = samples.median(yardstick(name));
            if (yardstick > 0) row = row.against(yardstick);
            Aim aim = aims.get(name);
            report.add(aim == null ? row : row.aiming(aim));
        }
        return report;
    }

    /** The bare file system for patterns, a socket for the network, one stripe for several. */
    private static String yardstick(String name) {
        if (name.equals(SOCKET) || name.endsWith(ONE_STRIPE)) return "";
        if (name.startsWith(STRIPED)) {
            return name.substring(0, name.lastIndexOf(" by ")) + ONE_STRIPE;
        }
        return name.startsWith("level") ? BARE + name : SOCKET;
    }
}

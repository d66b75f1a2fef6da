package org.gridfarm.scheduler.server;

import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.scheduler.placement.Resource;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What each task of a job takes of its node beside slots.
 *
 * @param memory bytes; 0: nobody counts
 * @param disk bytes that are free when it starts; 0: nobody looks
 */
record Needs(long memory, long disk, int gpus) {
    private static final double KIB = 1024;
    static final Needs NOTHING = new Needs(0, 0, 0);

    static Needs of(SubmitJobRequest request) {
        return new Needs(request.getMemoryBytes(), request.getDiskBytes(), request.getGpus());
    }

    Set<Resource> resources() {
        Set<Resource> asked = EnumSet.noneOf(Resource.class);
        if (memory > 0) {
            asked.add(Resource.MEMORY);
        }
        if (disk > 0) {
            asked.add(Resource.DISK);
        }
        if (gpus > 0) {
            asked.add(Resource.GPUS);
        }
        return asked;
    }

    /** Only the node itself knows what it has of these. */
    boolean asksNode() {
        return memory > 0 || gpus > 0;
    }

    /** As it was asked for. */
    String words(int slots) {
        List<String> words = new ArrayList<>();
        words.add(slots + (slots == 1 ? " slot" : " slots"));
        if (memory > 0) {
            words.add(size(memory) + " of memory");
        }
        if (disk > 0) {
            words.add(size(disk) + " of disk");
        }
        if (gpus > 0) {
            words.add(gpus + (gpus == 1 ? " GPU" : " GPUs"));
        }
        return String.join(", ", words);
    }

    /** Three digits or a little more. */
    static String size(long bytes) {
        String[] units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
        int unit = 0;
        double value = bytes / KIB;
        while (value >= KIB && unit < units.length - 1) {
            value /= KIB;
            unit++;
        }
        return String.format(Locale.ROOT, value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
    }
}

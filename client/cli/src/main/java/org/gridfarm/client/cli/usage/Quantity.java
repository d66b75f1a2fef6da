package org.gridfarm.client.cli.usage;

import org.gridfarm.client.cli.Output;

import java.util.Locale;

/** What is counted, in the order of the columns. */
public enum Quantity {
    INODES("FILES", "inodes"),
    BYTES("BYTES", "bytes"),
    PHYSICAL("ALL COPIES", "physical_bytes"),
    TASKS("TASKS", "tasks"),
    SLOT_MILLIS("SLOT HOURS", "slot_ms"),
    CPU_MICROS("CPU HOURS", "cpu_us"),
    INPUT_LOCAL("LOCAL INPUT", "input_bytes_local"),
    INPUT_REMOTE("REMOTE INPUT", "input_bytes_remote");

    private static final double MILLIS_PER_HOUR = 3_600_000;
    private static final double MICROS_PER_HOUR = 3_600_000_000.0;

    private final String title;
    private final String key;

    Quantity(String title, String key) {
        this.title = title;
        this.key = key;
    }

    public String title() {
        return title;
    }

    /** In JSON and CSV, with its unit. */
    public String key() {
        return key;
    }

    /** For people. */
    String shown(long amount) {
        return switch (this) {
            case INODES, TASKS -> Long.toString(amount);
            case BYTES, PHYSICAL, INPUT_LOCAL, INPUT_REMOTE -> Output.bytes(amount);
            case SLOT_MILLIS -> hours(amount / MILLIS_PER_HOUR);
            case CPU_MICROS -> hours(amount / MICROS_PER_HOUR);
        };
    }

    private static String hours(double hours) {
        return String.format(Locale.ROOT, "%.2f", hours);
    }
}

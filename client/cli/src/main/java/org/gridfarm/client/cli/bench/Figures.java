package org.gridfarm.client.cli.bench;

import java.util.Locale;

/** Numbers as tables show them. */
final class Figures {
    private Figures() {}

    /** Three digits that count, thousands apart. */
    static String plain(double value) {
        double size = Math.abs(value);
        if (size >= 100 || value == Math.rint(value))
            return String.format(Locale.ROOT, "%,.0f", value);
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : "%.2f", value);
    }
}

package org.gridfarm.client.cli.bench;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One figure. An aim is met when the ratio of value to yardstick, or without a yardstick the value
 * itself, is on the right side of it.
 *
 * @param yardstick what the value is compared with, measured in the same run, in the same unit
 * @param more further keys of the JSON document
 */
public record Row(
        String name,
        double value,
        String unit,
        @Nullable Double yardstick,
        @Nullable Aim aim,
        Map<String, Object> more) {
    /** A bound of the ratio or the value. */
    public record Aim(boolean atLeast, double bound) {
        public static Aim atLeast(double bound) {
            return new Aim(true, bound);
        }

        public static Aim atMost(double bound) {
            return new Aim(false, bound);
        }

        boolean isMetBy(double figure) {
            return atLeast ? figure >= bound : figure <= bound;
        }

        @Override
        public String toString() {
            return (atLeast ? ">= " : "<= ") + Figures.plain(bound);
        }
    }

    public static Row of(String name, double value, String unit) {
        return new Row(name, value, unit, null, null, Map.of());
    }

    public Row against(double measure) {
        return new Row(name, value, unit, measure, aim, more);
    }

    public Row aiming(Aim wanted) {
        return new Row(name, value, unit, yardstick, wanted, more);
    }

    public Row with(Map<String, Object> keys) {
        return new Row(name, value, unit, yardstick, aim, keys);
    }

    /** Of value to yardstick, null without one. */
    @Nullable Double ratio() {
        return yardstick == null || yardstick == 0 ? null : Double.valueOf(value / yardstick);
    }

    /** Null where nothing was aimed at. */
    @Nullable Boolean met() {
        if (aim == null) return null;
        Double ratio = ratio();
        return aim.isMetBy(ratio == null ? value : ratio);
    }

    Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("case", name);
        document.put("value", value);
        document.put("unit", unit);
        if (yardstick != null) document.put("yardstick", yardstick);
        Double ratio = ratio();
        if (ratio != null) document.put("ratio", ratio);
        if (aim != null) document.put("aim", aim.toString());
        Boolean met = met();
        if (met != null) document.put("met", met);
        document.putAll(more);
        return document;
    }
}

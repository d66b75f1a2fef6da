package org.gridfarm.client.cli.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What several repetitions of a run measured, case by case in the order of the first. */
public final class Samples {
    private record Sample(double value, double p50, double p99) {}

    private final Map<String, List<Sample>> cases = new LinkedHashMap<>();
    private final Map<String, String> units = new LinkedHashMap<>();

    public void add(String name, String unit, double value, Latencies latencies) {
        add(name, unit, value, latencies.micros(0.5), latencies.micros(0.99));
    }

    /**
     * @param p50 median latency in microseconds
     * @param p99 what 99 of a hundred operations took at most, in microseconds
     */
    public void add(String name, String unit, double value, double p50, double p99) {
        units.putIfAbsent(name, unit);
        cases.computeIfAbsent(name, _ -> new ArrayList<>()).add(new Sample(value, p50, p99));
    }

    public List<String> names() {
        return List.copyOf(cases.keySet());
    }

    /** The median of the repetitions; 0 for what was not measured. */
    public double median(String name) {
        return median(of(name).stream().mapToDouble(Sample::value).toArray());
    }

    /** Median of the median latencies, in microseconds. */
    public double micros(String name) {
        return median(of(name).stream().mapToDouble(Sample::p50).toArray());
    }

    /** With every repetition and the latencies for programs. */
    public Row row(String name) {
        List<Sample> samples = of(name);
        return Row.of(name, median(name), units.getOrDefault(name, ""))
                .with(
                        Map.of(
                                "runs", samples.stream().map(Sample::value).toList(),
                                "p50_micros", micros(name),
                                "p99_micros",
                                        median(
                                                samples.stream()
                                                        .mapToDouble(Sample::p99)
                                                        .toArray())));
    }

    private List<Sample> of(String name) {
        return cases.getOrDefault(name, List.of());
    }

    /** Of an even number the middle of the two in the middle; 0 of none. */
    public static double median(double[] values) {
        if (values.length == 0) return 0;
        double[] sorted = values.clone();
        java.util.Arrays.sort(sorted);
        int half = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    }
}

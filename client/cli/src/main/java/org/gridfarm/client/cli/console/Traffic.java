package org.gridfarm.client.cli.console;

import org.gridfarm.protocol.wire.NodeInfo;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Bytes that all nodes read and wrote in each of the last minutes' samples, from counters that
 * start anew with a node. Thread-safe.
 */
final class Traffic {
    private static final int SAMPLES_MAX = 150;
    private static final double NANOS = 1e9;
    private static final int WIDTH = 600;
    private static final int HEIGHT = 60;

    private record Sample(double readPerSecond, double writtenPerSecond) {}

    private record Counted(long read, long written) {}

    private final Deque<Sample> samples = new ArrayDeque<>(); // guarded by this
    private Map<String, Counted> last = Map.of(); // guarded by this
    private long lastAt; // guarded by this

    synchronized void sample(List<NodeInfo> nodes, long now) {
        Map<String, Counted> counted = new HashMap<>();
        for (NodeInfo node : nodes) {
            counted.put(node.getName(), new Counted(node.getReadBytes(), node.getWrittenBytes()));
        }
        double seconds = (now - lastAt) / NANOS;
        if (!last.isEmpty() && seconds > 0) {
            samples.addLast(
                    new Sample(
                            grown(counted, Counted::read) / seconds,
                            grown(counted, Counted::written) / seconds));
            if (samples.size() > SAMPLES_MAX) samples.removeFirst();
        }
        last = counted;
        lastAt = now;
    }

    private long grown(Map<String, Counted> now, ToLongFunction<Counted> counter) {
        long grown = 0;
        for (Map.Entry<String, Counted> node : now.entrySet()) {
            Counted before = last.get(node.getKey());
            if (before == null) continue;
            grown +=
                    Math.max(0, counter.applyAsLong(node.getValue()) - counter.applyAsLong(before));
        }
        return grown;
    }

    Html charts() {
        List<Sample> shown;
        synchronized (this) {
            shown = new ArrayList<>(samples);
        }
        return new Html()
                .add("<div class=\"charts\">")
                .add(chart("Read by nodes", shown.stream().map(Sample::readPerSecond).toList()))
                .add(
                        chart(
                                "Written by nodes",
                                shown.stream().map(Sample::writtenPerSecond).toList()))
                .add("</div>");
    }

    private static Html chart(String title, List<Double> values) {
        double most = values.stream().mapToDouble(v -> v).max().orElse(0);
        double now = values.isEmpty() ? 0 : values.getLast();
        StringBuilder points = new StringBuilder();
        int first = SAMPLES_MAX - values.size();
        for (int i = 0; i < values.size(); i++) {
            double x = (double) (first + i) * WIDTH / (SAMPLES_MAX - 1);
            double y = most == 0 ? HEIGHT : HEIGHT - values.get(i) * (HEIGHT - 4) / most;
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        }
        return Html.of(
                "<figure><figcaption>{} <b>{}/s</b> <span>highest {}/s in five minutes</span></figcaption>"
                        + "<svg class=\"chart\" viewBox=\"0 0 600 60\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
                        + "<polyline points=\"{}\"/></svg></figure>",
                title,
                Parts.bytes(Math.round(now)),
                Parts.bytes(Math.round(most)),
                points.toString().strip());
    }
}

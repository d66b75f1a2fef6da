package org.gridfarm.client.cli.demo;

import org.gridfarm.client.cli.Output;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints one line a step with the time it took, or collects them for --json. */
final class Story {
    private final boolean json;
    private final List<Map<String, Object>> steps = new ArrayList<>();
    private final long began = System.nanoTime();
    private long last = began;

    Story(boolean json) {
        this.json = json;
    }

    /**
     * The step that ends now: its name for programs, what a person reads, and figures for programs.
     */
    void step(String name, String text, Map<String, Object> figures) {
        long now = System.nanoTime();
        double seconds = (now - last) / 1e9;
        last = now;
        Map<String, Object> step = new LinkedHashMap<>();
        step.put("step", name);
        step.put("seconds", seconds);
        step.putAll(figures);
        steps.add(step);
        if (!json) {
            System.out.printf(Locale.ROOT, "%7.2f s  %s%n", seconds, text);
        }
    }

    void end() {
        double seconds = (System.nanoTime() - began) / 1e9;
        if (json) {
            Output.json(Map.of("seconds", seconds, "steps", steps));
        } else {
            System.out.printf(Locale.ROOT, "%7.2f s  in all%n", seconds);
        }
    }
}

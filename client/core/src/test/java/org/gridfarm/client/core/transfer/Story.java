package org.gridfarm.client.core.transfer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** What a pure part does step by step, told in a text beside its test. */
public final class Story {
    private Story() {}

    /** Without those that are empty or begin with a hash. */
    public static List<String> lines(Class<?> test, String story) throws IOException {
        try (BufferedReader text =
                new BufferedReader(
                        new InputStreamReader(
                                Objects.requireNonNull(
                                        test.getResourceAsStream(story + ".txt"), story),
                                StandardCharsets.UTF_8))) {
            return text.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
        }
    }
}

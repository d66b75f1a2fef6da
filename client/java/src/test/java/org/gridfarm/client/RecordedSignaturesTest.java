package org.gridfarm.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What programs may call beside what was promised to them: docs/api/gridfarm-client.txt. What is
 * new is recorded by {@code -Dgf.api=add}; what goes, nothing but an editor takes out of the file.
 */
class RecordedSignaturesTest {
    private static final Path FILE = Path.of("../../docs/api/gridfarm-client.txt");
    private static final String INDENT = "    ";

    private static List<String> lines(Map<String, List<String>> signatures) {
        List<String> lines = new ArrayList<>();
        signatures.forEach((head, members) -> {
            lines.add(head);
            for (String member : members) lines.add(INDENT + member);
        });
        return lines;
    }

    private static Map<String, List<String>> read(List<String> lines) {
        Map<String, List<String>> signatures = new TreeMap<>();
        List<String> members = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith(INDENT)) {
                members.add(line.strip());
            } else if (!line.isBlank()) {
                members = new ArrayList<>();
                signatures.put(line, members);
            }
        }
        return signatures;
    }

    /** What the first has and the second has not. */
    private static List<String> missing(
            Map<String, List<String>> first, Map<String, List<String>> second) {
        List<String> missing = new ArrayList<>();
        first.forEach((head, members) -> {
            if (!second.containsKey(head)) missing.add(head);
            TreeSet<String> left = new TreeSet<>(members);
            second.getOrDefault(head, List.of()).forEach(left::remove);
            for (String member : left) missing.add(head + ": " + member);
        });
        return missing;
    }

    @Test
    void whatProgramsCallStaysAsItWasRecorded() throws Exception {
        Map<String, List<String>> present = Signatures.of(PublicClasses.all());
        Map<String, List<String>> recorded = read(Files.readAllLines(FILE));
        assertThat(missing(recorded, present))
                .as(
                        "programs that were compiled against this fail; where it is meant, take the"
                                + " lines out of %s and say why in the commit",
                        FILE.getFileName())
                .isEmpty();
        if (System.getProperty("gf.api", "").equals("add")) {
            Files.write(FILE, lines(present));
        } else {
            assertThat(missing(present, recorded))
                    .as("new, and not promised yet: record it by -Dgf.api=add")
                    .isEmpty();
        }
    }

    @Test
    void whatGoesOrChangesIsSeen() throws IOException, ReflectiveOperationException {
        Map<String, List<String>> promised =
                Signatures.of(List.of(Promised.class, Promised.Kind.class));
        Map<String, List<String>> kept = read(lines(promised));
        assertThat(kept).isEqualTo(promised);
        String head = kept.keySet().stream().filter(one -> one.contains("class")).findFirst().get();
        List<String> members = java.util.Objects.requireNonNull(kept.get(head));
        assertThat(members)
                .containsExactly(
                        "protected void closing()",
                        "public <T> java.util.List<T> all(T,int) throws java.io.IOException",
                        "public Promised(String)",
                        "public static final int LIMIT = 7",
                        "public void close()");
        for (String member : List.copyOf(members)) {
            members.remove(member);
            assertThat(missing(promised, kept)).containsExactly(head + ": " + member);
            members.add(member);
        }
        kept.remove(head);
        kept.put(head.replace("public", "public final"), members);
        assertThat(missing(promised, kept)).hasSize(6).contains(head);
    }

    /** Something of every kind, beside what no program can call. */
    public static class Promised implements AutoCloseable {
        public static final int LIMIT = 7;

        public Promised(String name) {
            assertThat(name).isNotEmpty();
        }

        public synchronized <T> List<T> all(T one, int times) throws IOException {
            if (times > LIMIT) throw new IOException("too many");
            return java.util.Collections.nCopies(times, one);
        }

        protected void closing() {}

        @Override
        public void close() {
            closing();
        }

        void inside() {}

        public enum Kind {
            ONE
        }
    }
}

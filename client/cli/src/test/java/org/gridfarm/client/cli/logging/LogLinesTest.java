package org.gridfarm.client.cli.logging;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** In a process of its own, as logback is configured once. */
class LogLinesTest {
    /** What the process does. */
    public static final class Program {
        public static void main(String[] arguments) {
            Logger log = LoggerFactory.getLogger("org.gridfarm.some.Place");
            log.info("quiet unless asked for");
            MDC.put("request", "r17");
            log.warn("two\nlines");
            MDC.remove("request");
            log.error("broken", new IllegalStateException("outer", new RuntimeException("inner")));
        }
    }

    @TempDir private Path temp;

    @Test
    void anEventIsALineWithItsTimeLevelComponentAndRequest() throws Exception {
        List<String> lines = logged("-Dgf.component=n1");

        assertThat(lines).hasSize(2);
        assertThat(lines.get(0))
                .matches(
                        "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z WARN  n1 r17 Place: two lines\\s*");
        assertThat(lines.get(1))
                .contains(
                        "ERROR n1 - Place: broken java.lang.IllegalStateException: outer",
                        "inner",
                        " | at ");
    }

    @Test
    void aLevelIsAskedForByProperty() throws Exception {
        assertThat(logged("-Dgf.log.level=INFO")).hasSize(3);
        assertThat(logged("-Dgf.log.level=ERROR")).hasSize(1);
    }

    @Test
    void anEventMayBeAJsonDocument() throws Exception {
        assertThat(logged("-Dgf.log.format=json"))
                .allSatisfy(line -> assertThat(line).startsWith("{").endsWith("}"))
                .anySatisfy(line -> assertThat(line).contains("\"request\":\"r17\""));
    }

    private List<String> logged(String... properties) throws Exception {
        // The program alone, without the tests' own configuration beside it, which would be taken
        // instead.
        String name = Program.class.getName().replace('.', '/') + ".class";
        Path copy = temp.resolve(name);
        Files.createDirectories(temp.resolve(name).getParent());
        try (InputStream program = Program.class.getResourceAsStream("/" + name)) {
            Files.copy(program, copy, StandardCopyOption.REPLACE_EXISTING);
        }
        String path =
                Arrays.stream(System.getProperty("java.class.path").split(":"))
                        .filter(entry -> !entry.contains("test-classes"))
                        .collect(Collectors.joining(":"));
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString()));
        command.addAll(List.of(properties));
        command.addAll(List.of("-cp", temp + ":" + path, Program.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.lines().toList();
    }
}

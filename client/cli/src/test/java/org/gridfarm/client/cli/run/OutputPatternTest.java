package org.gridfarm.client.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.TaskSpec;
import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.List;

class OutputPatternTest {
    private static JobRun.Task task(int number, String... values) {
        return new JobRun.Task(number, List.of(values).stream().map(Argument::of).toList(), "");
    }

    private static List<String> outputs(String pattern, JobRun.Task... tasks) {
        List<TaskSpec> specs = Collections.nCopies(tasks.length, TaskSpec.getDefaultInstance());
        return new OutputPattern(pattern, path -> path)
                .of(specs, List.of(tasks)).stream()
                        .map(spec -> spec.getOutputs(0).toStringUtf8())
                        .toList();
    }

    @Test
    void replacementStringsAreThoseOfTheCommand() {
        assertEquals(
                List.of("/out/a.n", "/out/b c.n"),
                outputs("/out/{/.}.n", task(1, "/in/a.txt"), task(2, "gf:/in/b c.txt")));
        assertEquals(List.of("/in/a.n"), outputs("{.}.n", task(1, "/in/a.txt")));
        assertEquals(List.of("/o/7-y/"), outputs("/o/{#}-{2}/", task(7, "x", "y")));
        assertEquals(List.of("/o/$1\\"), outputs("/o/{}", task(1, "$1\\")));
    }

    @Test
    void twoTasksWithOneOutputAreNamed() {
        FarmException refused =
                assertThrows(
                        FarmException.class,
                        () -> outputs("/out/{/}", task(1, "/x/a"), task(3, "/y/a")));

        assertEquals(ErrorKind.USAGE, refused.kind());
        assertTrue(
                String.valueOf(refused.getMessage())
                        .contains("tasks 1 and 3 would both leave /out/a"));
    }

    @Test
    void whatIsNoPathOfTheFarmIsRefused() {
        assertThrows(FarmException.class, () -> outputs("out/{#}", task(1)));
        assertThrows(FarmException.class, () -> outputs("{}", task(1, "a")));
    }
}

package org.gridfarm.test.tidy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Every shell script as shellcheck sees it; what is so on purpose says why beside it. */
@Tag("quick")
class ShellcheckTest {
    private static final String PROGRAM = "/usr/bin/shellcheck";
    private static final List<String> FIRST_LINES = List.of("#!/bin/sh", "#!/bin/bash");

    @Test
    void shellScriptsHaveNothingThatShellcheckWarnsOf(@TempDir Path directory) throws Exception {
        assumeThat(Path.of(PROGRAM)).exists();
        List<String> command = new ArrayList<>(List.of(PROGRAM));
        for (Text text : Checkout.texts()) {
            boolean isScript =
                    FIRST_LINES.stream().anyMatch(line -> text.content().startsWith(line + "\n"));
            if (isScript) command.add(text.path());
        }
        assertThat(command).contains("gf", "deploy/packages/deb/postinst").hasSizeGreaterThan(10);
        Path said = directory.resolve("said");
        Process run =
                new ProcessBuilder(command)
                        .directory(Checkout.root().toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        assertThat(run.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(run.exitValue()).as(Files.readString(said)).isZero();
    }
}

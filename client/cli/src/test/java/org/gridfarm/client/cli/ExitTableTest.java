package org.gridfarm.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.error.Exit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The table of exit statuses in docs/commands.md. */
class ExitTableTest {
    @ParameterizedTest
    @EnumSource
    void everyStatusIsDocumented(Exit exit) throws IOException {
        Path checkout = Path.of("").toAbsolutePath();
        while (!Files.exists(checkout.resolve("docs/commands.md"))) {
            checkout = checkout.resolveSibling("..").normalize();
        }
        assertThat(Files.readString(checkout.resolve("docs/commands.md")))
                .contains("| " + exit.code() + " | " + exit.name() + " |");
    }
}

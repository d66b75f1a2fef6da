package org.gridfarm.client.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.List;

class ScriptTest {
    @Test
    void optionsStandInCommentsBeforeTheFirstCommand() {
        Script script =
                new Script(
                        "s",
                        """
                        #!/bin/bash
                        # a comment
                        #GF --name "two words" -j 4

                        #GF --on 'gpu*'
                        echo
                        #GF --retries 3
                        """);
        assertThat(script.directives())
                .containsExactly("--name", "two words", "-j", "4", "--on", "gpu*");
    }

    @Test
    void theTextGoesToTheInterpreterThatItNames() {
        assertThat(new Script("s", "#!/bin/bash -e\necho").command(List.of("x")))
                .containsExactly("/bin/bash", "-c", "#!/bin/bash -e\necho", "s", "x");
        assertThat(new Script("s", "echo").command(List.of()))
                .containsExactly("/bin/sh", "-c", "echo", "s");
        assertThat(new Script("s", "#!/usr/bin/env python3\n1").command(List.of("x")))
                .containsExactly("python3", "-c", "#!/usr/bin/env python3\n1", "x");
        assertThatThrownBy(() -> new Script("s", "#!/usr/bin/awk -f\n").command(List.of()))
                .hasMessageContaining("takes no text");
        assertThatThrownBy(() -> new Script("s", "x".repeat(200_000)))
                .hasMessageContaining("at most 120 KiB");
    }
}

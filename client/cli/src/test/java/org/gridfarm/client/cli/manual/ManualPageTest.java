package org.gridfarm.client.cli.manual;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.cli.Gf;
import org.junit.jupiter.api.Test;

import picocli.CommandLine;

class ManualPageTest {
    @Test
    void aPageHasEveryOptionAndNoLineThatRoffWouldTakeForARequest() {
        for (CommandLine command : Gf.line().getSubcommands().values()) {
            String page = new ManualPage(command.getCommandSpec()).text();
            assertThat(page).startsWith(".TH GF-");
            command.getCommandSpec().options().stream()
                    .filter(option -> !option.hidden())
                    .forEach(option ->
                            assertThat(page).contains(option.longestName().replace("-", "\\-")));
            assertThat(page.lines().filter(line -> line.startsWith(".") || line.startsWith("'")))
                    .allMatch(line -> line.matches("\\.(TH|SH|TP|B|nf|fi)( .*)?"));
        }
    }
}

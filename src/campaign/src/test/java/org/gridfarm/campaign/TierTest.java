package org.gridfarm.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class TierTest {
    @Test
    void aCampaignRepeatsNothingLessOftenThanTheGate() {
        assertThat(Tier.names())
                .isNotEmpty()
                .allSatisfy(name -> {
                    assertThat(Tier.GATE.countOf(name)).isPositive();
                    assertThat(Tier.CAMPAIGN.countOf(name))
                            .isGreaterThanOrEqualTo(Tier.GATE.countOf(name));
                });
    }

    /** In its order, | `name` | what | test | gate | campaign |. */
    @Test
    void theTableOfTheDocumentationHasTheseCounts() throws IOException {
        Pattern row = Pattern.compile("\\| `([a-z.]+)` \\|.*\\| (\\d+) \\| (\\d+) \\|");
        Map<String, String> told =
                Files.readAllLines(Path.of("../../docs/proof.md")).stream()
                        .map(row::matcher)
                        .filter(Matcher::matches)
                        .collect(
                                Collectors.toMap(
                                        line -> line.group(1),
                                        line -> line.group(2) + " " + line.group(3)));
        Map<String, String> counts =
                Tier.names().stream()
                        .collect(
                                Collectors.toMap(
                                        name -> name,
                                        name ->
                                                Tier.GATE.countOf(name)
                                                        + " "
                                                        + Tier.CAMPAIGN.countOf(name)));
        assertThat(told).isEqualTo(counts);
    }

    @Test
    void aCountOfNoNameIsRefused() {
        assertThatThrownBy(() -> Tier.count("of.nothing"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("of.nothing");
    }
}

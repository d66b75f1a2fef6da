package org.gridfarm.campaign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

class TierTest {
    /** It takes root, and makes a machine of namespaces: not what every build may do. */
    private static final Set<String> OF_CAMPAIGNS_ALONE = Set.of("guide.runs");

    @Test
    void aCampaignRepeatsNothingLessOftenThanTheGate() {
        assertThat(Tier.names())
                .isNotEmpty()
                .allSatisfy(name -> {
                    assertThat(Tier.GATE.countOf(name)).isNotNegative();
                    assertThat(Tier.GATE.countOf(name) == 0)
                            .as(name)
                            .isEqualTo(OF_CAMPAIGNS_ALONE.contains(name));
                    assertThat(Tier.CAMPAIGN.countOf(name))
                            .isPositive()
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

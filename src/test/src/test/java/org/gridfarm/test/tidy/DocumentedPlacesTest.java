package org.gridfarm.test.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Documents lead whoever looks for something to a place that is there. */
@Tag("quick")
class DocumentedPlacesTest {
    private static final Pattern CLASS = Pattern.compile("`([A-Z][a-z][A-Za-z]+)`");
    private static final Pattern METHOD =
            Pattern.compile("`((?:[a-z]+\\.)+)([A-Z]\\w+)(?:\\.(\\w+))?`");
    private static final Pattern ROOM = Pattern.compile("`([a-z/]+)/\\.\\.\\./([a-z/]+)`");

    private static final List<Text> TEXTS = Checkout.texts();

    private static List<MatchResult> in(String document, Pattern pattern) {
        Text text =
                TEXTS.stream().filter(one -> one.path().equals(document)).findFirst().orElseThrow();
        return pattern.matcher(text.content()).results().toList();
    }

    private static boolean isThere(String path, String what) {
        return TEXTS.stream()
                .anyMatch(text ->
                        text.path().endsWith("/" + path + ".java")
                                && text.content().contains(what));
    }

    @ParameterizedTest
    @ValueSource(strings = {"docs/internals.md", "docs/glossary.md"})
    void classesThatDocumentsNameExist(String document) {
        List<MatchResult> named = in(document, CLASS);
        assertThat(named).hasSizeGreaterThan(30);
        assertThat(named).extracting(m -> m.group(1)).allMatch(name -> isThere(name, name));
    }

    @Test
    void soDoTheMethodsThatAChangeGoesTo() {
        List<MatchResult> named = in("docs/internals.md", METHOD);
        assertThat(named).hasSizeGreaterThan(8);
        assertThat(named)
                .allMatch(m ->
                        isThere(
                                m.group(1).replace('.', '/') + m.group(2),
                                m.group(3) == null ? m.group(2) : " " + m.group(3) + "("));
    }

    @Test
    void andTheRoomsThatTheGuideForContributorsNames() {
        List<MatchResult> named = in("CONTRIBUTING.md", ROOM);
        assertThat(named).hasSizeGreaterThan(8);
        assertThat(named)
                .extracting(MatchResult::group)
                .allMatch(place -> {
                    String[] parts = place.replace("`", "").split("/\\.\\.\\./", -1);
                    return TEXTS.stream()
                            .map(Text::path)
                            .anyMatch(path ->
                                    path.startsWith(parts[0] + "/src/main/")
                                            && (path.contains("/" + parts[1] + "/")
                                                    || path.endsWith("/" + parts[1] + ".java")));
                });
    }
}

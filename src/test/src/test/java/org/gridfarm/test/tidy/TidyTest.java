package org.gridfarm.test.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

@Tag("quick")
class TidyTest {
    /**
     * More than anyone reads at one go. A file has one idea; 150 lines are usual. Comments cost a
     * reader nothing and do not count.
     */
    private static final int JAVA_LINES_MAX = 500;

    private static final int LINE_CHARACTERS_MAX = 160;

    private static final List<Text> TEXTS = Checkout.texts();

    @Test
    void theTextsAreFound() {
        assertThat(TEXTS).extracting(Text::path).contains("pom.xml", "gf", "protocol/pom.xml");
        assertThat(TEXTS.stream().filter(Text::isMainJava).count()).isGreaterThan(100);
    }

    @Test
    void filesAreShortEnoughToRead() {
        assertThat(
                        TEXTS.stream()
                                .filter(Text::isJava)
                                .filter(text -> text.linesOfCode() > JAVA_LINES_MAX)
                                .map(text ->
                                        text.path() + ": " + text.linesOfCode() + " lines of code"))
                .isEmpty();
        assertThat(found(Text::isJava, Pattern.compile(".{" + (LINE_CHARACTERS_MAX + 1) + ",}")))
                .isEmpty();
    }

    @Test
    void nothingSleepsInsteadOfWaitingForACondition() {
        assertThat(
                        found(
                                Text::isJava,
                                Pattern.compile(
                                        "\\b(Thread|TimeUnit\\.\\w+|[A-Z]+SECONDS)\\s*\\.sleep\\(")))
                .isEmpty();
    }

    @Test
    void noFailureIsSwallowedWithoutAWord() {
        Pattern swallowed = Pattern.compile("catch\\s*\\([^)]*\\)\\s*\\{\\s*\\}");
        assertThat(
                        TEXTS.stream()
                                .filter(Text::isJava)
                                .filter(text -> swallowed.matcher(text.content()).find())
                                .map(Text::path))
                .isEmpty();
    }

    @Test
    void nothingIsLeftForLater() {
        assertThat(
                        found(
                                text -> true,
                                Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X|HA" + "CK)\\b")))
                .isEmpty();
        assertThat(
                        found(
                                Text::isMainJava,
                                Pattern.compile(
                                        "(?i)not (yet )?implemented|UnsupportedOperationException\\(\\)|\\bstub\\b")))
                .isEmpty();
    }

    @Test
    void nothingPretendsInsteadOfWorking() {
        assertThat(
                        found(
                                        text -> true,
                                        Pattern.compile(
                                                "(?i)\\b(mockito|easymock|powermock|jmockit)\\b(?!\\|)"))
                                .stream()
                                .filter(line -> !line.startsWith(pathOfThisTest())))
                .isEmpty();
    }

    @Test
    void theTextSpeaksOfTheProjectAlone() {
        Pattern elsewhere =
                Pattern.compile(
                        "(?i)\\b(issue|ticket|task) ?#\\d+|\\b(as requested|the brief)\\b"
                                + "|"
                                + Pattern.quote(Checkout.root() + "/"));
        assertThat(
                        found(text -> true, elsewhere).stream()
                                .filter(line -> !line.startsWith(pathOfThisTest())))
                .isEmpty();
    }

    @Test
    void everyRoomSaysWhatItHoldsAndChecksItsNulls() {
        Set<String> introduced =
                TEXTS.stream()
                        .filter(text -> text.path().endsWith("/package-info.java"))
                        .filter(text ->
                                text.content().contains("@NullMarked")
                                        && text.content().matches("(?s)(/\\*\\*|///).*"))
                        .map(TidyTest::folder)
                        .collect(Collectors.toSet());
        assertThat(
                        TEXTS.stream()
                                .filter(Text::isMainJava)
                                .filter(text -> !text.path().startsWith("docs/examples/"))
                                .map(TidyTest::folder)
                                .distinct()
                                .filter(folder -> !introduced.contains(folder)))
                .isEmpty();
    }

    @Test
    void linksOfDocumentsLeadToFiles() {
        Pattern link = Pattern.compile("\\]\\((?!https?:)([^)#]+)(#[^)]*)?\\)");
        assertThat(
                        TEXTS.stream()
                                .filter(text -> text.path().endsWith(".md"))
                                .flatMap(text ->
                                        link.matcher(text.content())
                                                .results()
                                                .map(found ->
                                                        Checkout.root()
                                                                .resolve(text.path())
                                                                .resolveSibling(found.group(1))))
                                .filter(Files::notExists))
                .isEmpty();
    }

    @Test
    void versionsStandInTheParentAlone() {
        Pattern version = Pattern.compile("<version>(?!\\$\\{|0\\.1\\.0-SNAPSHOT)");
        assertThat(
                        found(
                                text ->
                                        text.path().endsWith("pom.xml")
                                                && !text.path().equals("pom.xml"),
                                version))
                .isEmpty();
        assertThat(
                        found(
                                text -> text.path().endsWith("pom.xml"),
                                Pattern.compile("<version>(LATEST|RELEASE|[\\[(].*)</version>")))
                .isEmpty();
    }

    private static List<String> found(Predicate<Text> where, Pattern pattern) {
        return TEXTS.stream()
                .filter(where)
                .flatMap(text -> text.occurrences(pattern).stream())
                .toList();
    }

    private static String folder(Text text) {
        return text.path().substring(0, text.path().lastIndexOf('/'));
    }

    private static String pathOfThisTest() {
        return "src/test/src/test/java/org/gridfarm/test/tidy/";
    }
}

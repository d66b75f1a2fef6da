package org.gridfarm.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.PatternSyntaxException;

class GlobPatternTest {
    private static boolean matches(String glob, String text) {
        return GlobPattern.of("glob:" + glob).matcher(text).matches();
    }

    @Test
    void whatIsAsciiMatchesAsWithTheJdk() {
        List<String> globs =
                List.of(
                        "*",
                        "?",
                        "**",
                        "a*",
                        "*.txt",
                        "[ab]",
                        "[!ab]",
                        "[a-c]x",
                        "[-a]",
                        "[a-]",
                        "[\\]",
                        "[^a]",
                        "[[]",
                        "[a&&b]",
                        "\\*",
                        "{a,b.*}",
                        "{ab,}c",
                        "a,b",
                        "x}",
                        "/a/*",
                        "/**/b",
                        "a.b",
                        "a+(b)|$^",
                        "*\\?");
        List<String> texts =
                List.of(
                        "",
                        "a",
                        "b",
                        "c",
                        "-",
                        "]",
                        "[",
                        "\\",
                        "^",
                        "&",
                        "*",
                        "ab",
                        "ax",
                        "cx",
                        "a.txt",
                        ".a",
                        "b.c",
                        "abc",
                        "a,b",
                        "x}",
                        "/a/b",
                        "/a/b/c",
                        "/a/c/b",
                        "a.b",
                        "a+(b)|$^",
                        "what?");
        for (String glob : globs) {
            for (String text : texts) {
                assertThat(matches(glob, text))
                        .as("%s and %s", glob, text)
                        .isEqualTo(
                                FileSystems.getDefault()
                                        .getPathMatcher("glob:" + glob)
                                        .matches(Path.of(text)));
            }
        }
    }

    @Test
    void aByteThatIsNoCharacterCountsAsOneAndIsFoundByItself() {
        assertThat(matches("a?", "a\udce9")).isTrue();
        assertThat(matches("?", "\ud83d\ude00")).isTrue();
        assertThat(matches("*\udce9*", "x\udce9y")).isTrue();
        assertThat(matches("a\udce9", "a\udce8")).isFalse();
        assertThat(matches("[\udce8-\udcea]", "\udce9")).isTrue();
        assertThat(matches("a*", "a\n")).isTrue();
    }

    /** As in the shell; the JDK knows no way to say it. */
    @Test
    void aBracketThatComesFirstIsOneOfTheCharacters() {
        assertThat(matches("[]a]", "]")).isTrue();
        assertThat(matches("[]a]", "a")).isTrue();
        assertThat(matches("[!]a]", "]")).isFalse();
        assertThat(matches("[!]a]", "b")).isTrue();
    }

    @Test
    void aPatternThatEndsTooSoonIsRefused() {
        for (String glob : List.of("[a", "{a", "a\\", "{a{b}}", "[a/b]")) {
            assertThatThrownBy(() -> matches(glob, "a")).isInstanceOf(PatternSyntaxException.class);
        }
        assertThatThrownBy(() -> GlobPattern.of("a*")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> GlobPattern.of("sql:a"))
                .isInstanceOf(UnsupportedOperationException.class);
    }
}

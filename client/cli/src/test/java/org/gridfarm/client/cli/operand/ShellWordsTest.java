package org.gridfarm.client.cli.operand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ShellWordsTest {
    @Test
    void wordsAreThoseOfAShell() {
        assertThat(ShellWords.of("")).isEmpty();
        assertThat(ShellWords.of("  ls\t-l  /in ")).containsExactly("ls", "-l", "/in");
        assertThat(ShellWords.of("put 'a b' c\\ d \"e f\""))
                .containsExactly("put", "a b", "c d", "e f");
        assertThat(ShellWords.of("x'y z'\"w\"")).containsExactly("xy zw");
        assertThat(ShellWords.of("'' \"\"")).containsExactly("", "");
        assertThat(ShellWords.of("'a\\b' \"a\\b\" \"a\\\"b\" \"$x\""))
                .containsExactly("a\\b", "a\\b", "a\"b", "$x");
    }

    @Test
    void aBlankThatIsQuotedOrOfAnotherScriptIsPartOfAName() {
        assertThat(ShellWords.of("put a\\ \r")).containsExactly("put", "a ");
        assertThat(ShellWords.of("rm a\u3000b c\u2003"))
                .containsExactly("rm", "a\u3000b", "c\u2003");
        assertThat(ShellWords.of("  # a comment 'x")).isEmpty();
        assertThat(ShellWords.of("ls a#b # c")).containsExactly("ls", "a#b");
    }

    @Test
    void whatDoesNotEndIsSaid() {
        assertThatThrownBy(() -> ShellWords.of("a 'b")).hasMessageContaining("' does not end");
        assertThatThrownBy(() -> ShellWords.of("a \"b\\\"")).hasMessageContaining("does not end");
        assertThatThrownBy(() -> ShellWords.of("a\\")).hasMessageContaining("backslash");
    }
}

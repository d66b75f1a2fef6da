package org.gridfarm.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.name.NameText;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

class NameCharsetTest {
    private static String printed(String text) {
        return printed(text, false);
    }

    private static String printed(String text, boolean toTerminal) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, new NameCharset(toTerminal))) {
            out.print(text);
        }
        return NameText.of(bytes.toByteArray());
    }

    @Test
    void whatWasReadFromBytesIsPrintedAsThem() {
        String text = "x\n\u00fc\u20ac\ud83d\ude00\udce9\udc80\udcff\ud83d\ude00";
        assertThat(printed(text.repeat(5_000))).isEqualTo(text.repeat(5_000));
    }

    @Test
    void halfACharacterIsAQuestionMark() {
        assertThat(printed("a\ud83db\udc41c\ud83d")).isEqualTo("a?b?c?");
    }

    /** As {@code ls} does: nobody's file name moves the cursor or changes the title. */
    @Test
    void aTerminalGetsNoControlCharacters() {
        String name = "a\u001b]0;title\u0007\rb\u009b31m\u007f\tc\n";
        assertThat(printed(name, true)).isEqualTo("a?]0;title??b?31m?\tc\n");
        assertThat(printed(name)).isEqualTo(name);
        assertThat(Failures.onOneLine("no such file (x\ngf: done\r)"))
                .isEqualTo("no such file (x\\ngf: done\\r)");
    }
}

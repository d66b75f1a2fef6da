package org.gridfarm.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.name.NameText;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;

class NameCharsetTest {
    private static String printed(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, true, new NameCharset())) {
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
}

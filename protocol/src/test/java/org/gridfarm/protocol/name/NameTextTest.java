package org.gridfarm.protocol.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;

class NameTextTest {
    private static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits);
    }

    @Test
    void utf8IsReadAsSuchAndEveryOtherByteKeepsItsNumber() {
        assertThat(NameText.of(hex("61e9"))).isEqualTo("a\udce9");
        assertThat(NameText.of(hex("61e8"))).isEqualTo("a\udce8");
        assertThat(NameText.of(hex("c3bce282acf09f9880efbfbd")))
                .isEqualTo("\u00fc\u20ac\ud83d\ude00\ufffd");
        assertThat(NameText.of(hex("f09f9880e9"))).isEqualTo("\ud83d\ude00\udce9");
        // An overlong '/', a surrogate, beyond the last character, the beginning of one at the end.
        assertThat(NameText.of(hex("c0af"))).isEqualTo("\udcc0\udcaf");
        assertThat(NameText.of(hex("eda080"))).isEqualTo("\udced\udca0\udc80");
        assertThat(NameText.of(hex("f4908080"))).isEqualTo("\udcf4\udc90\udc80\udc80");
        assertThat(NameText.of(hex("61e282"))).isEqualTo("a\udce2\udc82");
    }

    @Test
    void anyBytesComeBackAndAreReadAsTheJdkReadsThemWhereTheyAreUtf8() {
        Random random = new Random(20261126);
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = new byte[random.nextInt(8)];
            random.nextBytes(bytes);
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = (byte) (random.nextBoolean() ? 0x80 | (bytes[at] & 0x3F) : bytes[at]);
            }
            String text = NameText.of(bytes);
            assertThat(NameText.bytes(text)).isEqualTo(bytes);
            boolean whole = text.codePoints().noneMatch(NameText::isByte);
            String jdk = new String(bytes, StandardCharsets.UTF_8);
            assertThat(jdk.equals(text)).isEqualTo(whole);
        }
    }

    @Test
    void namesThatDifferInOneByteDiffer() {
        Name one = Name.of(hex("61e9"));
        assertThat(one.toString()).isNotEqualTo(Name.of(hex("61e8")).toString());
        assertThat(Name.of(one.toString())).isEqualTo(one);
        FarmPath path = FarmPath.of(hex("2fe92f61ff"));
        assertThat(FarmPath.of(path.toString())).isEqualTo(path);
        assertThat(FarmPath.of("gf:" + path).bytes()).isEqualTo(hex("2fe92f61ff"));
    }

    @Test
    void halfACharacterIsNoName() {
        assertThatThrownBy(() -> Name.of("a\ud83d"))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.INVALID));
        assertThatThrownBy(() -> Name.of("a\udc41")).isInstanceOf(FarmException.class);
    }

    @Test
    void aDocumentAndAMessageHoldCharactersOnly() {
        assertThat(NameText.inJson("{\"a\udce9\u00fc\"}")).isEqualTo("{\"a\\udce9\u00fc\"}");
        assertThat(NameText.shown("a\udce9\ud83d\ude00")).isEqualTo("a\ufffd\ud83d\ude00");
    }
}

package org.gridfarm.client.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.net.URI;

class HtmlTest {
    @Test
    void whatAUserNamedIsNoMarkup() {
        assertThat(Html.of("<a title=\"{}\">{}</a>", "\" onclick='x'", "<b>&amp;").toString())
                .isEqualTo("<a title=\"&quot; onclick=&#39;x&#39;\">&lt;b&gt;&amp;amp;</a>");
        for (char c = 0; c < 0x100; c++) {
            String text = Html.of("{}", c).toString();
            assertThat(text).as("%04x", (int) c).doesNotContainPattern("[<>\"'\\p{Cntrl}]");
        }
    }

    @Test
    void partsOfAPageAreNotEscapedAgain() {
        assertThat(Html.of("<p>{}</p>", Html.of("<i>{}</i>", "<")).toString())
                .isEqualTo("<p><i>&lt;</i></p>");
    }

    @Test
    void aTemplateHasAsManyHolesAsValues() {
        assertThatThrownBy(() -> Html.of("{}{}", 1)).hasMessageContaining("too few");
        assertThatThrownBy(() -> Html.of("{}", 1, 2)).hasMessageContaining("too many");
    }

    @Test
    void aLinkToAnotherPageKeepsTheOtherParameters() {
        Asked asked = Asked.of(URI.create("/files?path=%2Fa%20b%26c&page=3"));
        assertThat(asked.text("path")).isEqualTo("/a b&c");
        assertThat(asked.with("page", 4)).isEqualTo("/files?path=%2Fa+b%26c&page=4");
        assertThat(asked.number("page", 0, 2)).isEqualTo(2);
        assertThat(Asked.of(URI.create("/files?page=-1")).number("page", 0, 9)).isZero();
    }
}

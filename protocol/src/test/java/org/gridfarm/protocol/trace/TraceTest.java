package org.gridfarm.protocol.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.env.Entropy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceTest {
    private static final String TEXT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    @Test
    void aTraceparentIsHandedOnAsItCame() {
        Trace trace = Trace.parse(TEXT).orElseThrow();
        assertThat(trace).hasToString(TEXT);
        assertThat(trace.id()).isEqualTo("4bf92f3577b34da6a3ce929d0e0e4736");
        assertThat(Trace.parse("cc-" + TEXT.substring(3) + "-what-is-to-come")).contains(trace);
        Trace own = Trace.begin(Entropy.seeded(1));
        assertThat(Trace.parse(own.toString())).contains(own);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"
            })
    void whatIsNoneIsNone(String text) {
        assertThat(Trace.parse(text)).isEmpty();
    }

    @Test
    void aThreadWorksForWhatItHasEntered() {
        Trace one = Trace.begin(Entropy.seeded(1));
        Trace other = Trace.begin(Entropy.seeded(2));
        assertThat(Trace.current()).isNull();
        try (Trace.Scope outer = Trace.enter(one)) {
            try (Trace.Scope inner = Trace.enter(other)) {
                assertThat(Trace.current()).isEqualTo(other);
            }
            try (Trace.Scope none = Trace.enter(null)) {
                assertThat(Trace.current()).isEqualTo(one);
            }
        }
        assertThat(Trace.current()).isNull();
    }
}

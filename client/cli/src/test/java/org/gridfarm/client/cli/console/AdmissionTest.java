package org.gridfarm.client.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

class AdmissionTest {
    private static final String TOKEN = "a token of some length";
    private final AtomicLong nanos = new AtomicLong();
    private final Admission admission =
            new Admission(TOKEN, Set.of("/CN=Ann"), false, true, nanos::get);

    @Test
    void nobodyIsLetInWithoutTokenCookieOrCertificate() {
        assertThat(admission.viewer(Optional.empty(), null, null)).isEmpty();
        assertThat(admission.viewer(Optional.of("/CN=Bob"), "made up", "made up")).isEmpty();
        assertThat(admission.isToken("")).isFalse();
        assertThat(admission.isToken(TOKEN)).isTrue();
    }

    @Test
    void aCookieIsGoodForItsTime() {
        String cookie = admission.admit();
        assertThat(admission.viewer(Optional.empty(), cookie, null)).isPresent();
        nanos.set(Admission.COOKIE_LIFE.toNanos());
        assertThat(admission.viewer(Optional.empty(), cookie, null)).isEmpty();
    }

    @Test
    void aListedCertificateIsEnough() {
        assertThat(admission.viewer(Optional.of("/CN=Ann"), null, null).orElseThrow().name())
                .isEqualTo("/CN=Ann");
    }

    @Test
    void aFormIsGoodForTheViewerItWasMadeForAlone() {
        Viewer one = admission.viewer(Optional.empty(), admission.admit(), null).orElseThrow();
        Viewer other = admission.viewer(Optional.empty(), admission.admit(), null).orElseThrow();
        assertThat(Admission.isOwnForm(one, one.formKey())).isTrue();
        assertThat(Admission.isOwnForm(one, other.formKey())).isFalse();
        assertThat(Admission.isOwnForm(one, null)).isFalse();
    }

    @Test
    void aConsoleWithoutATokenTakesNone() {
        Admission open = new Admission(null, Set.of(), true, false, nanos::get);
        assertThat(open.isToken("null")).isFalse();
        assertThat(open.viewer(Optional.empty(), null, null).orElseThrow().mayAct()).isFalse();
    }
}

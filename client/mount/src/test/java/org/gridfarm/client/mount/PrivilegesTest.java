package org.gridfarm.client.mount;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.wire.Attributes;
import org.junit.jupiter.api.Test;

class PrivilegesTest {
    @Test
    void aPlainFileHasNothingForAWriteToTake() {
        Privileges plain = Privileges.of(Attributes.newBuilder().setMode(0777).build());
        assertThat(plain.mayGo(true)).isFalse();
    }

    @Test
    void whoMayKeepTheBitsTakesCapabilitiesAlone() {
        Privileges bits = Privileges.of(Attributes.newBuilder().setMode(02777).build());
        assertThat(bits.mayGo(true)).isTrue();
        assertThat(bits.mayGo(false)).isFalse();
        Privileges both =
                Privileges.of(
                        Attributes.newBuilder().setMode(04777).setHasCapability(true).build());
        assertThat(both.mayGo(false)).isTrue();
        both.gone(false, both.gifts());
        assertThat(both.mayGo(false)).isFalse();
        assertThat(both.mayGo(true)).isTrue();
        both.gone(true, both.gifts());
        assertThat(both.mayGo(true)).isFalse();
    }

    @Test
    void whatIsGivenWhileAWriteTakesTheRestIsForTheNextOne() {
        Privileges privileges = Privileges.of(Attributes.newBuilder().setMode(04777).build());
        int before = privileges.gifts();
        privileges.given();
        privileges.gone(true, before);
        assertThat(privileges.mayGo(false)).isTrue();
        assertThat(privileges.mayGo(true)).isTrue();
    }
}

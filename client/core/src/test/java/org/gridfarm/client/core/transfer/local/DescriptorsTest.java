package org.gridfarm.client.core.transfer.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DescriptorsTest {
    @Test
    void replicasLeaveDescriptorsForEverythingElse() {
        assertThat(Descriptors.forReplicas(256)).isZero();
        assertThat(Descriptors.forReplicas(1500)).isEqualTo(988);
        assertThat(Descriptors.forReplicas(20_000)).isEqualTo(15_000);
        assertThat(Descriptors.forReplicas(Integer.MAX_VALUE)).isPositive();
    }
}

package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StoreLimitsTest {
    private static final int EACH = 3; // data, sums, and the data for writing

    @Test
    void localWritersLeaveDescriptorsForReplicasThatComeAndGoAndForConnections() {
        StoreLimits limits = StoreLimits.DEFAULT;
        for (int descriptors : new int[] {4096, 20_000, 262_144}) {
            int local = limits.localMax(descriptors);
            assertThat(EACH * (local + limits.openMax()) + 256)
                    .as("%d of %d", local, descriptors)
                    .isBetween(descriptors - EACH, descriptors);
        }
    }

    @Test
    void someMayWriteLocallyHoweverFewDescriptorsThereAre() {
        assertThat(StoreLimits.DEFAULT.localMax(1024)).isEqualTo(64);
    }
}

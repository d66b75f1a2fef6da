package org.gridfarm.client.mount.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Arrays;

class UnbelievedTest {

    private final Unbelieved unbelieved = new Unbelieved();

    @Test
    void whatIsNotKnownMayBeBelieved() {
        assertThat(unbelieved.has(7)).isFalse();
    }

    @Test
    void whatWasForgottenIsUnbelievedUntilItIsTold() {
        unbelieved.forgotten(7, unbelieved.mark(7));
        assertThat(unbelieved.has(7)).isTrue();
        unbelieved.told(7);
        assertThat(unbelieved.has(7)).isFalse();
    }

    @Test
    void whatIsToldWhileItIsForgottenMayBeBelieved() {
        long mark = unbelieved.mark(7);
        unbelieved.told(7);
        unbelieved.forgotten(7, mark);
        assertThat(unbelieved.has(7)).isFalse();
    }

    /** Nodes that share a place take it from one another, and are never taken for one another. */
    @Test
    void ofManyOnlySomeAreKnown() {
        long[] nodes = new long[100_000];
        Arrays.setAll(nodes, i -> i + 1);
        for (long node : nodes) {
            unbelieved.forgotten(node, unbelieved.mark(node));
        }
        for (long node = 1; node <= nodes.length; node += 2) {
            unbelieved.told(node);
        }
        for (long node = 1; node <= nodes.length; node += 2) {
            assertThat(unbelieved.has(node)).isFalse();
        }
        assertThat(Arrays.stream(nodes).filter(unbelieved::has).count()).isPositive();
    }
}

package org.gridfarm.metaserver.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.wire.Outcome;
import org.junit.jupiter.api.Test;

class OutcomesTest {
    private final Outcomes outcomes = new Outcomes();
    private final Tally tally = new Tally(10, 10);

    private void add(long session, long sequence, long settled) {
        outcomes.add(
                Outcome.newBuilder()
                        .setSession(session)
                        .setSequence(sequence)
                        .setSettled(settled)
                        .build(),
                1);
    }

    @Test
    void whatIsSettledGoesAndIsCountedNoMore() {
        add(1, 1, 0);
        add(1, 2, 0);
        outcomes.countBy(tally);
        assertThat(tally.held(1)).isEqualTo(2);
        for (int i = 3; i <= 10; i++) add(1, i, 0);
        assertThat(tally.refusal(1, 0)).isNotNull();
        assertThat(outcomes.settledBy(1, 8)).isEqualTo(8);
        assertThat(tally.refusal(1, outcomes.settledBy(1, 8))).isNull();
        add(1, 11, 8);
        assertThat(tally.held(1)).isEqualTo(3);
        add(1, 11, 8); // once more, as from a journal
        assertThat(tally.held(1)).isEqualTo(3);
        assertThat(outcomes.find(1, 8)).isNull();
        assertThat(outcomes.find(1, 9)).isNotNull();
        outcomes.forget(1);
        assertThat(tally.held(1)).isZero();
    }
}

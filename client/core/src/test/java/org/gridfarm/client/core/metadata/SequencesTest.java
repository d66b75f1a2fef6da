package org.gridfarm.client.core.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.session.Inheritance;
import org.gridfarm.protocol.env.Clock;
import org.junit.jupiter.api.Test;

/** Which outcomes the metaserver may forget. */
class SequencesTest {
    private long firstUnanswered = Long.MAX_VALUE;

    private final Sequences sequences =
            new Sequences(
                    new Inheritance() {
                        @Override
                        public long firstUnanswered() {
                            return firstUnanswered;
                        }
                    },
                    Clock.system());

    @Test
    void whatCameUpToTheFirstThatIsOutIsSettled() {
        long first = sequences.take();
        long second = sequences.take();
        assertThat(sequences.settled()).isEqualTo(first - 1);
        sequences.answered(second);
        assertThat(sequences.settled()).isEqualTo(first - 1);
        sequences.answered(first);
        assertThat(sequences.settled()).isEqualTo(second);
    }

    /** Else a process that goes on for this one would make again what is made. */
    @Test
    void whatDidNotReachWhoAskedIsNotSettled() {
        long first = sequences.take();
        firstUnanswered = first;
        sequences.answered(first);
        long second = sequences.take();
        sequences.answered(second);
        assertThat(sequences.settled()).isEqualTo(first - 1);
        firstUnanswered = Long.MAX_VALUE;
        assertThat(sequences.settled()).isEqualTo(second);
    }
}

package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

@Tag("quick")
class DeckTest {
    private enum Kind {
        OFTEN(6),
        SOMETIMES(3),
        ONCE(1),
        NEVER(0);

        final int inDeck;

        Kind(int inDeck) {
            this.inDeck = inDeck;
        }
    }

    @Test
    void oneOfEachKindComesFirstAndThenTheRestOfTheDeck() {
        for (long seed = 0; seed < 100; seed++) {
            Deck<Kind> deck = new Deck<>(Kind.class, kind -> kind.inDeck, new Random(seed));
            for (int round = 0; round < 2; round++) {
                List<Kind> drawn = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    drawn.add(deck.next());
                }
                assertThat(drawn.subList(0, 3))
                        .containsExactlyInAnyOrder(Kind.OFTEN, Kind.SOMETIMES, Kind.ONCE);
                assertThat(drawn).filteredOn(Kind.OFTEN::equals).hasSize(6);
                assertThat(drawn).filteredOn(Kind.SOMETIMES::equals).hasSize(3);
            }
        }
    }
}

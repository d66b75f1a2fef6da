package org.gridfarm.client.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SharesTest {
    private final Shares shares = new Shares(1000);

    private int takeAll(int user) {
        int taken = 0;
        while (shares.take(user)) {
            taken++;
        }
        return taken;
    }

    @Test
    void oneUserHasHalfAndTheNextStillGetsSome() {
        assertThat(takeAll(1)).isEqualTo(500);
        assertThat(takeAll(2)).isEqualTo(250);
        assertThat(takeAll(3)).isEqualTo(125);
        assertThat(shares.take(4)).isTrue();
        assertThat(shares.take(1)).isFalse();
    }

    @Test
    void usersWhoTakeByTurnsHaveTheSame() {
        int[] taken = new int[3];
        boolean more = true;
        while (more) {
            more = false;
            for (int user = 0; user < 3; user++) {
                if (shares.take(user)) {
                    taken[user]++;
                    more = true;
                }
            }
        }
        assertThat(taken).containsOnly(250);
    }

    @Test
    void whoGivesBackMayTakeAgain() {
        assertThat(takeAll(1)).isEqualTo(500);
        shares.giveBack(1);
        assertThat(takeAll(1)).isEqualTo(1);
        for (int i = 0; i < 500; i++) {
            shares.giveBack(1);
        }
        assertThat(shares.used()).isZero();
        assertThatThrownBy(() -> shares.giveBack(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatWasTakenBeforeCountsAndIsNeverRefused() {
        for (int i = 0; i < 2000; i++) {
            shares.takeAnyway(1);
        }
        assertThat(shares.take(1)).isFalse();
        assertThat(shares.take(2)).as("there is nothing left for anybody").isFalse();
    }

    @Test
    void withoutAnyNobodyGetsOne() {
        assertThat(new Shares(0).take(1)).isFalse();
    }
}

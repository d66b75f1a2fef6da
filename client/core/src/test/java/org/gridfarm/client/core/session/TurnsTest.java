package org.gridfarm.client.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

class TurnsTest {
    private final Turns turns = new Turns(3);
    private final List<CompletableFuture<Integer>> begun = new ArrayList<>();

    private CompletableFuture<Integer> take() {
        return turns.take(() -> {
            CompletableFuture<Integer> step = new CompletableFuture<>();
            begun.add(step);
            return step;
        });
    }

    @Test
    void asManyAsMayBeUnderWayAreBegunAndTheOthersInTheirOrder() {
        List<CompletableFuture<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            results.add(take());
        }
        assertThat(begun).hasSize(3);
        begun.get(1).complete(1);
        assertThat(begun).hasSize(4);
        for (int i = 0; i < 10; i++) {
            begun.get(i).complete(i);
        }
        for (int i = 0; i < 10; i++) {
            assertThat(results.get(i)).isCompletedWithValue(i);
        }
    }

    @Test
    void oneThatFailsIsOverToo() {
        CompletableFuture<Integer> thrown =
                turns.take(() -> {
                    throw new IllegalStateException("no");
                });
        CompletableFuture<Integer> failed =
                turns.take(() -> CompletableFuture.failedFuture(new IllegalStateException("no")));
        assertThatThrownBy(thrown::join).hasMessageContaining("no");
        assertThatThrownBy(failed::join).hasMessageContaining("no");
        take();
        take();
        take();
        assertThat(begun).hasSize(3);
    }

    @Test
    void thousandsThatAreOverAtOnceNeedNoStack() {
        CompletableFuture<Integer> first = take();
        CompletableFuture<Integer> second = take();
        CompletableFuture<Integer> third = take();
        List<CompletableFuture<Integer>> many = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            int number = i;
            many.add(turns.take(() -> CompletableFuture.completedFuture(number)));
        }
        begun.get(0).complete(0);
        assertThat(first).isCompletedWithValue(0);
        assertThat(many).allMatch(CompletableFuture::isDone);
        assertThat(second).isNotDone();
        assertThat(third).isNotDone();
    }
}

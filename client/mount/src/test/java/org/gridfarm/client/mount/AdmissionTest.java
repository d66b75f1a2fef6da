package org.gridfarm.client.mount;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

final class AdmissionTest {
    private final Admission admission = new Admission(100);

    @Test
    void whoHasRoomBeginsAtOnceAndOthersInTheirOrder() {
        List<Integer> begun = new ArrayList<>();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int bytes : new int[] {60, 50, 30}) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            ends.add(end);
            admission.enter(
                    bytes,
                    () -> {
                        begun.add(bytes);
                        return end;
                    });
        }
        assertThat(begun)
                .as("30 would fit, and waits behind 50 that came before it")
                .containsExactly(60);
        assertThat(admission.hasRoom(1)).isFalse();
        ends.get(0).complete(null);
        assertThat(begun).containsExactly(60, 50, 30);
        ends.get(1).complete(null);
        ends.get(2).complete(null);
        assertThat(admission.held()).isZero();
        assertThat(admission.hasRoom(100)).isTrue();
    }

    @Test
    void anOperationThatFailsMakesRoom() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> failing = admission.enter(100, () -> first);
        CompletableFuture<Void> throwing =
                admission.enter(
                        100,
                        () -> {
                            throw new IllegalStateException("broken");
                        });
        CompletableFuture<String> last =
                admission.enter(100, () -> CompletableFuture.completedFuture("done"));
        first.completeExceptionally(new IllegalArgumentException("failed"));
        assertThat(failing.exceptionNow()).hasMessage("failed");
        assertThat(throwing.exceptionNow()).hasMessage("broken");
        assertThat(last).isCompletedWithValue("done");
        assertThat(admission.held()).isZero();
    }

    @Test
    void whatNeedsMoreThanThereIsGoesAlone() {
        CompletableFuture<Void> large = new CompletableFuture<>();
        admission.enter(1_000, () -> large);
        assertThat(admission.hasRoom(1)).isFalse();
        large.complete(null);
        assertThat(admission.hasRoom(1_000)).isTrue();
    }

    @Test
    void manyThatAreOverAtOnceNeedNoStack() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        admission.enter(100, () -> first);
        List<CompletableFuture<Integer>> all =
                IntStream.range(0, 100_000)
                        .mapToObj(i ->
                                admission.enter(100, () -> CompletableFuture.completedFuture(i)))
                        .toList();
        first.complete(null);
        assertThat(all.getLast()).isCompletedWithValue(99_999);
    }

    @Test
    void neverHoldsMoreThanItMay() {
        Random random = new Random(Tier.seed(20261123));
        Deque<CompletableFuture<Void>> running = new ArrayDeque<>();
        long[] held = {0};
        int begun = 0;
        int entered = 0;
        List<CompletableFuture<Void>> results = new ArrayList<>();
        while (entered < 10_000 || !running.isEmpty()) {
            if (entered < 10_000 && random.nextInt(3) > 0) {
                int bytes = random.nextInt(1, 101);
                entered++;
                results.add(
                        admission.enter(
                                bytes,
                                () -> {
                                    held[0] += bytes;
                                    assertThat(held[0]).isLessThanOrEqualTo(100);
                                    CompletableFuture<Void> end = new CompletableFuture<>();
                                    running.add(end);
                                    return end.thenRun(() -> held[0] -= bytes);
                                }));
            } else if (!running.isEmpty()) {
                begun++;
                CompletableFuture<Void> one = running.poll();
                if (random.nextInt(5) == 0) {
                    running.add(one); // another is over first
                    begun--;
                } else {
                    one.complete(null);
                }
            }
        }
        assertThat(begun).isEqualTo(10_000);
        assertThat(results).allSatisfy(result -> assertThat(result).isCompleted());
        assertThat(admission.held()).isZero();
    }
}

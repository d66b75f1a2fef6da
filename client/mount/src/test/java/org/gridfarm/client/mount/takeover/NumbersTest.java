package org.gridfarm.client.mount.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.mount.fuse.Request;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class NumbersTest {
    private static final long NUMBER = 40;
    private static final int STEP = 2; // from one number of the kernel to the next
    private static final int TABLE = 8192; // changes that the ledger has room for

    @TempDir Path folder;

    private final List<Runnable> afterAnswers = new ArrayList<>();
    private Ledger ledger;

    @BeforeEach
    void open() throws IOException {
        ledger = Ledger.open(folder.resolve("ledger"), () -> {});
        ledger.processBegins();
    }

    @Test
    void aRequestThatComesAgainGetsTheNumberOfItsChange() throws IOException {
        assertThat(sequence(Numbers.of(ledger), request(NUMBER, false), 7)).isEqualTo(7);
        Numbers next = Numbers.of(reopened());
        assertThat(sequence(next, request(NUMBER, true), 70_000)).isEqualTo(7);
        assertThat(sequence(next, request(NUMBER + 2, true), 70_001)).isEqualTo(70_001);
    }

    @Test
    void onlyTheFirstChangeOfARequestIsTheRequestsOwn() throws IOException {
        Numbers numbers = Numbers.of(ledger);
        numbers.serving(
                request(NUMBER, false),
                () -> {
                    numbers.sequence(7);
                    numbers.sequence(8);
                });
        assertThat(numbers.firstUnanswered()).isEqualTo(7);
        assertThat(sequence(Numbers.of(reopened()), request(NUMBER, true), 70_000)).isEqualTo(7);
    }

    @Test
    void aChangeIsUnansweredUntilTheKernelHasTheAnswer() {
        Numbers numbers = Numbers.of(ledger);
        assertThat(numbers.firstUnanswered()).isEqualTo(Long.MAX_VALUE);
        sequence(numbers, request(NUMBER, false), 7);
        sequence(numbers, request(NUMBER + 2, false), 8);
        assertThat(numbers.firstUnanswered()).isEqualTo(7);
        afterAnswers.get(0).run();
        assertThat(numbers.firstUnanswered()).isEqualTo(8);
        afterAnswers.get(1).run();
        assertThat(numbers.firstUnanswered()).isEqualTo(Long.MAX_VALUE);
    }

    /** A rename waits for another client, and thousands of files are made meanwhile. */
    @Test
    void aChangeThatWaitsKeepsItsNumberWhateverComesMeanwhile() throws IOException {
        Numbers numbers = Numbers.of(ledger);
        sequence(numbers, request(NUMBER, false), 7);
        afterAnswers.clear();
        for (int later = 1; later <= 2 * TABLE; later++) {
            sequence(numbers, request(NUMBER + (long) STEP * later, false), 7 + later);
            afterAnswers.remove(0).run();
        }
        long sameInTable = NUMBER + (long) STEP * TABLE;
        sequence(numbers, request(sameInTable, false), 70_000);

        Numbers next = Numbers.of(reopened());
        assertThat(sequence(next, request(NUMBER, true), 140_000)).isEqualTo(7);
        assertThat(sequence(next, request(sameInTable, true), 140_001)).isEqualTo(70_000);
    }

    /** Its process is killed as well before that. */
    @Test
    void aRequestThatComesAgainHasItsNumberUntilItIsAnswered() throws IOException {
        sequence(Numbers.of(ledger), request(NUMBER, false), 7);
        afterAnswers.clear();
        sequence(Numbers.of(reopened()), request(NUMBER, true), 70_000);
        assertThat(sequence(Numbers.of(reopened()), request(NUMBER, true), 140_000)).isEqualTo(7);
        afterAnswers.get(1).run();
        assertThat(sequence(Numbers.of(reopened()), request(NUMBER, true), 210_000))
                .as("it cannot come again")
                .isEqualTo(210_000);
    }

    /** Each process that was killed may leave some; a former version left the table full. */
    @Test
    void whatFormerProcessesLeftMakesWayTheOldestFirst() throws IOException {
        Numbers former = Numbers.of(ledger);
        for (int i = 0; i < TABLE; i++) {
            sequence(former, request(NUMBER + (long) STEP * i, false), 1 + i);
        }
        afterAnswers.clear();
        long fresh = NUMBER + (long) STEP * TABLE;
        Numbers next = Numbers.of(reopened());
        assertThat(sequence(next, request(NUMBER, true), 70_000)).isEqualTo(1);
        sequence(next, request(fresh, false), 70_001);

        Numbers last = Numbers.of(reopened());
        assertThat(sequence(last, request(NUMBER, true), 140_000)).isEqualTo(1);
        assertThat(sequence(last, request(NUMBER + 2 * STEP, true), 140_001)).isEqualTo(3);
        assertThat(sequence(last, request(fresh, true), 140_002)).isEqualTo(70_001);
        assertThat(sequence(last, request(NUMBER + STEP, true), 140_003)).isEqualTo(140_003);
    }

    /** As the next process finds it. */
    private Ledger reopened() throws IOException {
        ledger.close();
        ledger = Ledger.open(folder.resolve("ledger"), () -> {});
        ledger.processBegins();
        return ledger;
    }

    private static long sequence(Numbers numbers, Request request, long fresh) {
        List<Long> taken = new ArrayList<>();
        numbers.serving(request, () -> taken.add(numbers.sequence(fresh)));
        return taken.get(0);
    }

    private Request request(long number, boolean resent) {
        return (Request)
                Proxy.newProxyInstance(
                        Request.class.getClassLoader(),
                        new Class<?>[] {Request.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "unique" -> number;
                                    case "resent" -> resent;
                                    case "afterAnswer" -> afterAnswers.add((Runnable) arguments[0]);
                                    default -> throw new AssertionError(method);
                                });
    }
}

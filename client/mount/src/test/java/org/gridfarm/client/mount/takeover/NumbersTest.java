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

    @TempDir Path folder;

    private final List<Runnable> afterAnswers = new ArrayList<>();
    private Ledger ledger;

    @BeforeEach
    void open() throws IOException {
        ledger = Ledger.open(folder.resolve("ledger"), () -> {});
        ledger.processBegins();
    }

    @Test
    void aRequestThatComesAgainGetsTheNumberOfItsChange() {
        assertThat(sequence(Numbers.of(ledger), request(NUMBER, false), 7)).isEqualTo(7);
        Numbers next = Numbers.of(ledger);
        assertThat(sequence(next, request(NUMBER, true), 70_000)).isEqualTo(7);
        assertThat(sequence(next, request(NUMBER + 2, true), 70_001)).isEqualTo(70_001);
    }

    @Test
    void onlyTheFirstChangeOfARequestIsTheRequestsOwn() {
        Numbers numbers = Numbers.of(ledger);
        numbers.serving(
                request(NUMBER, false),
                () -> {
                    numbers.sequence(7);
                    numbers.sequence(8);
                });
        assertThat(ledger.sequenceOf(NUMBER)).isEqualTo(7);
        assertThat(numbers.firstUnanswered()).isEqualTo(7);
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

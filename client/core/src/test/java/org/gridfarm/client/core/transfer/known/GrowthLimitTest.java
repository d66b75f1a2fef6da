package org.gridfarm.client.core.transfer.known;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.OpenReply;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

class GrowthLimitTest {
    private final GrowthLimit limit = new GrowthLimit();
    private final List<Long> asked = new ArrayList<>();
    private long most = 100;

    private static OpenReply reply(long size) {
        return OpenReply.newBuilder().setSizeLimit(size).build();
    }

    /** A metaserver that promises twice what is wanted, up to its limit. */
    private CompletableFuture<Void> ask(long wanted) {
        asked.add(wanted);
        if (wanted > most) {
            return CompletableFuture.failedFuture(
                    new FarmException(ErrorKind.QUOTA_EXCEEDED, "write", ""));
        }
        limit.take(reply(Math.min(most, 2 * wanted)));
        return CompletableFuture.completedFuture(null);
    }

    @Test
    void withoutAQuotaNobodyIsAsked() {
        limit.take(OpenReply.getDefaultInstance());
        limit.room(Long.MAX_VALUE, this::ask).join();
        assertThat(asked).isEmpty();
        assertThat(limit.applies()).isFalse();
    }

    @Test
    void aWriterAsksWhenItComesToItsLimitAndIsRefusedPastTheLast() {
        limit.take(reply(10));
        limit.room(10, this::ask).join();
        assertThat(asked).isEmpty();
        limit.room(40, this::ask).join();
        limit.room(80, this::ask).join();
        assertThat(asked).containsExactly(40L);
        limit.room(100, this::ask).join();
        assertThatThrownBy(() -> limit.room(101, this::ask).join())
                .hasCauseInstanceOf(FarmException.class)
                .satisfies(e ->
                        assertThat(FarmException.of(e, "", "").kind())
                                .isEqualTo(ErrorKind.QUOTA_EXCEEDED));
        most = 200;
        limit.room(101, this::ask).join();
    }

    @Test
    void anAnswerThatIsTooSmallIsAskedForAgain() {
        limit.take(reply(10));
        List<Long> answers = new ArrayList<>(List.of(20L, 50L)); // the first was for somebody else
        limit.room(
                        40,
                        wanted -> {
                            limit.take(reply(answers.remove(0)));
                            return CompletableFuture.completedFuture(null);
                        })
                .join();
        assertThat(answers).isEmpty();
    }
}

package org.gridfarm.client.core.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.metadata.LookAhead.Part;
import org.gridfarm.protocol.wire.Credentials;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** When a directory is read ahead, and how far. */
class LookAheadTest {
    private static final Credentials SOMEBODY = Credentials.getDefaultInstance();

    private record Asked(long cookie, int limit, CompletableFuture<Part> answer) {
        void answer(boolean end) {
            answer.complete(new Part(limit, cookie + limit, end, true));
        }
    }

    private final List<Asked> asked = new ArrayList<>();
    private final Map<Long, Long> stamps = new HashMap<>();
    private final LookAhead ahead =
            new LookAhead(
                    (who, directory, cookie, limit) -> {
                        Asked now = new Asked(cookie, limit, new CompletableFuture<>());
                        asked.add(now);
                        return now.answer;
                    },
                    directory -> stamps.getOrDefault(directory, 0L));

    private void found(long directory, int names) {
        for (int i = 0; i < names; i++) ahead.found(SOMEBODY, directory);
    }

    @Test
    void fewNamesOfADirectoryAreNoWalk() {
        for (long directory = 1; directory < 50; directory++) found(directory, 3);
        assertThat(asked).isEmpty();
    }

    @Test
    void whatIsReadIsInProportionToWhatWasFound() {
        found(1, 4);
        assertThat(asked).hasSize(1);
        found(1, 6);
        assertThat(asked).hasSize(1); // one page at a time
        asked.get(0).answer(false);
        asked.get(1).answer(false);
        assertThat(asked).hasSize(2);
        assertThat(asked).extracting(Asked::limit).containsExactly(256, 384);
        assertThat(asked).extracting(Asked::cookie).containsExactly(0L, 256L);
        found(1, 100);
        assertThat(asked).hasSize(3);
    }

    @Test
    void theEndIsTheEndUntilTheDirectoryChanges() {
        found(1, 4);
        asked.get(0).answer(true);
        found(1, 100);
        assertThat(asked).hasSize(1);
        stamps.put(1L, 1L);
        found(1, 4);
        assertThat(asked).hasSize(2);
        assertThat(asked.get(1).cookie).isZero();
    }

    @Test
    void aDirectoryThatChangesWithEachNameIsNotReadAhead() {
        for (long change = 0; change < 100; change++) {
            stamps.put(1L, change);
            found(1, 1);
        }
        assertThat(asked).isEmpty();
    }

    @Test
    void whatMayNotBeListedIsTriedOnce() {
        found(1, 4);
        asked.get(0).answer.completeExceptionally(new IllegalStateException("not permitted"));
        found(1, 100);
        assertThat(asked).hasSize(1);
    }

    @Test
    void whatTheCacheCouldNotKeepIsNotReadOn() {
        found(1, 4);
        asked.get(0).answer.complete(new Part(256, 256, false, false));
        found(1, 100);
        assertThat(asked).hasSize(1);
    }
}

package org.gridfarm.client.core.transfer.sending;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.core.transfer.Story;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The table of {@link ChainState}, and the stories that it comes from. */
class ChainStateTest {
    /** A story: each line an event, the state after it, and what is to be done. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "what-is-unfinished-is-sent-again-in-its-order",
                "what-the-others-have-done-waits-for-the-record",
                "a-failed-node-and-the-next-fence",
                "the-only-copy-is-waited-for",
                "who-joins-is-no-copy",
                "who-is-busy-is-not-struck-off",
                "what-no-other-node-would-do-either",
                "a-leader-that-is-away",
                "a-chain-that-cannot-be-mended",
                "nobody-waits-longer-than-he-said",
                "moving-takes-as-long-as-it-takes",
                "full-nodes-do-not-go-round",
                "more-than-any-node-has",
                "a-claim-goes-along",
                "an-append-is-looked-for",
                "nothing-overtakes-what-is-looked-for",
                "what-nobody-has-any-more",
                "a-move-that-failed-is-over"
            })
    void goesAsTold(String story) throws IOException {
        ChainStory told = new ChainStory();
        for (String line : Story.lines(ChainStateTest.class, story)) {
            String[] parts = line.split("->");
            String after = told.take(parts[0].strip());
            if (parts.length > 1) {
                assertThat(after).as(line).isEqualTo(parts[1].strip());
            }
        }
    }

    /** Each state by the way that leads to it, and each event in it. */
    @Test
    void everyEventIsHandledOrRefusedInEveryState() throws IOException {
        Map<String, List<String>> ways = new LinkedHashMap<>();
        for (String line : Story.lines(ChainStateTest.class, "ways")) {
            String[] parts = line.split(":");
            ways.put(parts[0].strip(), List.of(parts[1].strip().split("\\s*;\\s*")));
        }
        List<String> rows = Story.lines(ChainStateTest.class, "table");
        List<String> events = List.of(rows.get(0).strip().split("\\s*\\|\\s*"));
        assertThat(rows).hasSize(1 + ways.size());
        for (String row : rows.subList(1, rows.size())) {
            List<String> cells = List.of(row.strip().split("\\s*\\|\\s*"));
            assertThat(cells).as(row).hasSameSizeAs(events);
            for (int i = 1; i < cells.size(); i++) {
                check(
                        ways.getOrDefault(cells.get(0), List.of()),
                        cells.get(0),
                        events.get(i),
                        cells.get(i));
            }
        }
    }

    private static void check(List<String> way, String state, String event, String cell) {
        ChainStory told = new ChainStory();
        way.forEach(told::take);
        assertThat(told.phase()).as(way.toString()).isEqualTo(state);
        if (cell.equals("x")) {
            assertThatThrownBy(() -> told.take(event))
                    .as("%s in %s", event, state)
                    .isInstanceOf(IllegalStateException.class);
        } else {
            told.take(event);
            assertThat(told.phase())
                    .as("%s in %s", event, state)
                    .isEqualTo(cell.equals("-") ? state : cell);
        }
    }
}

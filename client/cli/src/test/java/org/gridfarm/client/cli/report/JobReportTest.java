package org.gridfarm.client.cli.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.JobInfo;
import org.gridfarm.protocol.wire.TaskInfo;
import org.junit.jupiter.api.Test;

import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

class JobReportTest {
    private static final long BEGIN = 1_000_000;

    private static TaskInfo.Builder task(int index, long started, long ended) {
        return TaskInfo.newBuilder()
                .setJob(12)
                .setIndex(index)
                .setState("succeeded")
                .setNode("n1")
                .setSlot(1)
                .setLocality("local")
                .setQueued(BEGIN)
                .setStarted(BEGIN + started)
                .setEnded(ended == 0 ? 0 : BEGIN + ended);
    }

    private static String page(String name, List<TaskInfo> tasks) {
        JobInfo job = JobInfo.newBuilder().setId(12).setName(name).setState("failed").build();
        return new JobReport(job, tasks, BEGIN + 10_000, ZoneOffset.UTC).html();
    }

    @Test
    void namesAreTextWhateverTheyHold() {
        String bad = "<script>alert(\"1\")</script>&";
        String page =
                page(
                        bad,
                        List.of(
                                task(0, 0, 10)
                                        .setArgument(ByteString.copyFromUtf8(bad))
                                        .setReason(bad)
                                        .setNode(bad)
                                        .build()));

        assertFalse(page.contains("<script"));
        assertTrue(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;"));
        assertFalse(page.contains("http"), "it loads nothing");
    }

    @Test
    void aTaskThatRunsEndsNow() {
        Span span =
                Span.of(
                        List.of(task(0, 0, 4_000).build(), task(1, 2_000, 0).build()),
                        BEGIN + 8_000);

        assertEquals(8_000, span.to() - span.from());
        assertEquals(6_000, span.millis(task(1, 2_000, 0).build()));
        assertEquals(0.5, span.at(BEGIN + 4_000));
    }

    @Test
    void theSlowestComesFirstAndFailuresAreListed() {
        String page =
                page(
                        "job",
                        List.of(
                                task(0, 0, 1_000).build(),
                                task(1, 0, 9_000).setSlot(2).build(),
                                task(2, 1_000, 1_500)
                                        .setState("failed")
                                        .setReason("exit status 4")
                                        .build()));

        assertTrue(page.indexOf("<td>12.2</td>") < page.indexOf("<td>12.1</td>"));
        assertTrue(page.contains("failed, exit status 4"));
        assertTrue(page.contains("left:0.000%;width:100.000%"));
        assertEquals(2, page.split("class=\"lane\"", -1).length - 1);
    }

    @Test
    void aHundredThousandTasksMakeAPageOfBoundedSize() {
        List<TaskInfo> tasks = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            tasks.add(task(i, i, i + 1).setLocality(i % 2 == 0 ? "local" : "none").build());
        }

        int length = page("many", tasks).length();

        assertTrue(length < 1_000_000, length + " characters");
    }

    @Test
    void aJobOfWhichNothingHasStartedSaysSo() {
        assertTrue(page("job", List.of()).contains("None of its tasks has started."));
    }
}

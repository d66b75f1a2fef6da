package org.gridfarm.client.mount.own;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.campaign.property.Dice;
import org.gridfarm.campaign.property.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

class OwnLogTest {
    private static final int BYTES = 1024;

    @TempDir Path directory = Path.of("");

    /** Whoever opens the file, the one who wrote it still there, finds what was not dropped. */
    @Property(tries = 60)
    void theNextProcessFindsWhatWasNotDropped(Dice dice) throws IOException {
        Path file = directory.resolve("log" + dice.seed());
        Deque<byte[]> expected = new ArrayDeque<>();
        OwnLog log = OwnLog.open(file, BYTES);
        int added = 0;
        for (int step = 0; step < 400; step++) {
            byte[] record = record(dice, step);
            if (dice.once(3) && !expected.isEmpty()) {
                log.drop();
                expected.remove();
            } else if (log.hasRoom(record.length)) {
                log.add(record);
                expected.add(record);
                added++;
            } else {
                assertThat(expected).as("a log without a record has room").isNotEmpty();
            }
            if (dice.once(10)) {
                OwnLog next = OwnLog.open(file, BYTES);
                assertThat(next.recover()).containsExactlyElementsOf(expected);
                log.close();
                log = next;
            }
            assertThat(log.isEmpty()).isEqualTo(expected.isEmpty());
        }
        log.close();
        assertThat(added).isGreaterThan(100);
    }

    private static byte[] record(Dice dice, int step) {
        byte[] record = new byte[1 + dice.below(120)];
        for (int i = 0; i < record.length; i++) record[i] = (byte) (step + i);
        return record;
    }

    /** As when the process is killed while it writes: the length comes last. */
    @Test
    void aRecordThatIsNotWholeIsNone() throws IOException {
        Path file = directory.resolve("log");
        try (OwnLog log = OwnLog.open(file, BYTES)) {
            log.add(new byte[] {1, 2, 3});
            log.add(new byte[] {4, 5, 6, 7});
        }
        garble(file, 64 + 24 + 16); // the first byte of the second
        try (OwnLog next = OwnLog.open(file, BYTES)) {
            List<byte[]> found = new ArrayList<>(next.recover());
            assertThat(found).containsExactly(new byte[] {1, 2, 3});
            next.add(new byte[] {8});
            found.add(new byte[] {8});
            try (OwnLog after = OwnLog.open(file, BYTES)) {
                assertThat(after.recover()).containsExactlyElementsOf(found);
            }
        }
    }

    private static void garble(Path file, int at) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {99}), at);
        }
    }

    @Test
    void whatIsNoLogIsRefused() throws IOException {
        Path file = directory.resolve("other");
        Files.write(file, new byte[BYTES]);
        assertThatThrownBy(() -> OwnLog.open(file, BYTES))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no log of a mount");
    }
}

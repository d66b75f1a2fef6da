package org.gridfarm.client.mount.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

class HeartbeatTest {
    @TempDir private Path directory;

    private final AtomicLong life = new AtomicLong(7);

    private Heartbeat heart() {
        return new Heartbeat(directory.resolve("state"), life::incrementAndGet);
    }

    private String beat() throws IOException {
        return Files.readString(directory.resolve("state.beat"));
    }

    @Test
    void itBeatsInOneLineThatChanges() throws IOException {
        Heartbeat heart = heart();
        heart.beat();
        String first = beat();
        heart.beat();
        assertThat(beat()).isNotEqualTo(first).hasSameSizeAs(first).endsWith("\n").hasLineCount(1);
    }

    /** The supervisor does that when it has noticed the end of the process before. */
    @Test
    void itBeatsOnWhenItsFileWasTakenAway() throws IOException {
        Heartbeat heart = heart();
        heart.beat();
        Files.delete(directory.resolve("state.beat"));
        heart.beat();
        assertThat(beat()).isNotBlank();
    }

    /** When there are none left, it beats on. */
    @Test
    void itKeepsItsDescriptor() throws IOException {
        Heartbeat heart = heart();
        heart.beat();
        List<String> open = descriptors();
        assertThat(open).hasSize(1);
        for (int i = 0; i < 10; i++) {
            heart.beat();
        }
        assertThat(descriptors()).isEqualTo(open);
    }

    /** Of this process, those that lead to what beats. */
    private List<String> descriptors() throws IOException {
        List<String> found = new ArrayList<>();
        for (String number : Objects.requireNonNull(new File("/proc/self/fd").list())) {
            Path link = Path.of("/proc/self/fd", number);
            if (Files.isSymbolicLink(link)
                    && Files.readSymbolicLink(link)
                            .equals(directory.resolve("state.beat").toRealPath())) {
                found.add(number);
            }
        }
        return found;
    }
}

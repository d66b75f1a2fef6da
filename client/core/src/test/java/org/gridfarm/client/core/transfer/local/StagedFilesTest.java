package org.gridfarm.client.core.transfer.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.wire.StagedFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/** Staged files that were not used. */
@SuppressWarnings("NullAway") // no node is known: nothing is asked of one
class StagedFilesTest {
    private final SimClock clock = new SimClock(Instant.now());
    private final StagedFiles staged = new StagedFiles(null, clock);

    @TempDir private Path directory;

    private LocalReplica unused(Duration age) throws IOException {
        Path file = Files.createFile(directory.resolve("17"));
        Files.setLastModifiedTime(file, FileTime.from(clock.now().minus(age)));
        return LocalReplica.staged(
                StagedFile.newBuilder().setNumber(17).setPath(file.toString()).build());
    }

    @Test
    void oneIsTakenAgainAMomentLater() throws IOException {
        LocalReplica unused = unused(Duration.ofMinutes(1));
        unused.close();
        staged.putBack(unused);
        assertThat(staged.take()).as("at once").isNull();
        clock.advance(Duration.ofMillis(5));
        StagedFile again = staged.take();
        assertThat(again).isNotNull();
        assertThat(again.getNumber()).isEqualTo(17);
        assertThat(again.getPath()).isEqualTo(directory.resolve("17").toString());
        assertThat(staged.take()).as("twice").isNull();
    }

    /** Its node removes what nobody has claimed for an hour, however often it was put back. */
    @Test
    void oneThatIsOldIsNotTakenAgain() throws IOException {
        LocalReplica unused = unused(Duration.ofMinutes(21));
        unused.close();
        staged.putBack(unused);
        clock.advance(Duration.ofMillis(5));
        assertThat(staged.take()).isNull();
    }

    @Test
    void whatWasWrittenOrMayBeClaimedIsNotAsNew() throws IOException {
        LocalReplica replica = unused(Duration.ofMinutes(1));
        assertThat(replica.isAsNew()).isTrue();
        replica.claimAsked();
        assertThat(replica.isUntouched()).isTrue();
        assertThat(replica.isAsNew()).as("its node may be making a replica of it").isFalse();
        replica.close();
        Files.delete(directory.resolve("17"));
        LocalReplica written = unused(Duration.ofMinutes(1));
        Files.writeString(directory.resolve("17"), "x");
        assertThat(written.isAsNew()).isFalse();
        written.close();
    }
}

package org.gridfarm.client.core.transfer.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.file.Mending.Known;
import org.gridfarm.client.core.transfer.known.Place;
import org.gridfarm.client.core.transfer.local.AttachedNode;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.local.LocalWriting.By;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.StagedFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** What the metaserver is told of members of a chain that failed. */
@SuppressWarnings("NullAway") // nobody is called
class MendingTest {
    private static final Set<String> FAILED = Set.of("n1");

    @TempDir private Path disk;
    private LocalWriting file;

    @BeforeEach
    void write() throws IOException {
        Path path = Files.write(disk.resolve("staged"), new byte[10]);
        LocalReplica replica =
                LocalReplica.staged(
                        StagedFile.newBuilder().setNumber(1).setPath(path.toString()).build());
        AttachedNode node = AttachedNode.of("n1", List.of(), null, Clock.system());
        file = new LocalWriting(node, null, replica, false, By.KERNEL);
    }

    private static String told(Content content, boolean struckWhole, boolean hasOutcome) {
        AtLeader.ChainReport report =
                Mending.report(
                        2, FAILED, true, "down", new Known(content, struckWhole, hasOutcome));
        assertThat(report.stripe()).isEqualTo(2);
        assertThat(report.failed()).isEqualTo(FAILED);
        assertThat(report.full()).isTrue();
        assertThat(report.reason()).isEqualTo("down");
        return (report.written() ? "written" : "nothing") + (report.rescue() ? ", rescued" : "");
    }

    /** What stands on a member that is left must not be lost; what stands on none is no loss. */
    @Test
    void ofWhatWasSentTheChainItselfTells() {
        assertThat(told(Content.SENT, false, false)).isEqualTo("nothing");
        assertThat(told(Content.SENT, false, true)).isEqualTo("written");
        assertThat(told(Content.SENT, true, true)).as("no file is here").isEqualTo("written");
    }

    @Test
    void aPlainFileIsContentThoughTheChainHasHeardOfNone() {
        for (Content content :
                List.of(new Content.Plain(file, Place.ONLY), new Content.Both(file, Place.HEAD))) {
            assertThat(told(content, false, false)).isEqualTo("written");
            assertThat(told(content, true, false)).isEqualTo("written, rescued");
            assertThat(told(content, true, true)).isEqualTo("written, rescued");
        }
    }

    /** It lacks what others have sent to the head, which is not here. */
    @Test
    void aFileOfMappingsIsNeverAllThereIs() {
        Content compared = new Content.Compared(file);
        assertThat(told(compared, true, false)).isEqualTo("nothing");
        assertThat(told(compared, true, true)).isEqualTo("written");
    }
}

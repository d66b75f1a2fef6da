package org.gridfarm.client.core.transfer.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.node.Peers;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.StagedFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A modification time is set while the node makes a replica of the staged file: that moves the
 * file, and nobody here can tell when it was written until the node has answered where it lies.
 */
@SuppressWarnings("NullAway") // what is left out nobody asks for
class TimesDuringClaimsTest {
    private static final long INODE = 7;
    private static final Duration SOON = Duration.ofSeconds(30); // a thread of the disk answers
    private static final long WRITTEN = 1_700_000_000_000_000_000L;

    @TempDir Path directory;

    private final CompletableFuture<OpenLocalReply> claim = new CompletableFuture<>();
    private final Wiring wiring = Wirings.attachedTo("", Clock.system());
    private final OpenInode open = new OpenInode(INODE, wiring);
    private CompletableFuture<Void> asked;
    private Path replica;

    @BeforeEach
    void claim() throws IOException {
        Path staged = Files.createFile(directory.resolve("staged"));
        date(staged, WRITTEN - 10);
        open.opened(
                new FarmFileHandle(
                        wiring,
                        null,
                        open,
                        1,
                        OpenFlags.READ_WRITE,
                        Credentials.getDefaultInstance()),
                OpenReply.newBuilder()
                        .setAttributes(Attributes.newBuilder().setInode(INODE).setVersion(5))
                        .setMode(DataMode.EXCLUSIVE)
                        .build());
        open.grantedLocally(
                LocalReplica.staged(
                        StagedFile.newBuilder().setNumber(1).setPath(staged.toString()).build()));
        Files.write(staged, new byte[] {1});
        date(staged, WRITTEN);
        open.wroteLocally();
        assertThat(open.writtenAt()).hasValue(WRITTEN);
        LocalWriting file = open.content().file();
        asked =
                file.heldAt(
                        Peers.answering(request -> claim),
                        ObjectId.getDefaultInstance(),
                        Replica.getDefaultInstance());
        assertThat(asked).isNotDone();
        replica = Files.move(staged, directory.resolve("replica"));
    }

    @Test
    void whenItWasWrittenCannotBeToldUntilItIsKnownWhereItLies() {
        assertThat(open.writtenAt()).isEmpty();
        answer();
        assertThat(open.writtenAt()).hasValue(WRITTEN);
    }

    @Test
    void whatWasWrittenBeforeDoesNotUndoIt() {
        CompletableFuture<Void> set = open.modificationTimeSet();
        answer();
        assertThat(set).succeedsWithin(SOON);
        open.outcome(0, outcome(WRITTEN));
        assertThat(open.takeCommit(1, null).getMtime()).isZero();
    }

    @Test
    void whatIsWrittenAfterwardsCounts() {
        CompletableFuture<Void> set = open.modificationTimeSet();
        answer();
        assertThat(set).succeedsWithin(SOON);
        open.outcome(0, outcome(WRITTEN + 1));
        assertThat(open.takeCommit(1, null).getMtime()).isEqualTo(WRITTEN + 1);
    }

    private void answer() {
        claim.complete(OpenLocalReply.newBuilder().setPath(replica.toString()).setSize(1).build());
        assertThat(asked).succeedsWithin(SOON);
    }

    private static ChainOutcome outcome(long mtime) {
        return ChainOutcome.newBuilder().setSize(1).setMtime(mtime).build();
    }

    private static void date(Path file, long nanos) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(nanos, TimeUnit.NANOSECONDS));
    }
}

package org.gridfarm.client.core.transfer.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.node.Nodes;
import org.gridfarm.client.core.transfer.node.Peers;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.StageReply;
import org.gridfarm.protocol.wire.StageRequest;
import org.gridfarm.protocol.wire.StagedFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** Staged files that were not used. */
@SuppressWarnings("NullAway") // no node is known: nothing is asked of one
class StagedFilesTest {
    private final SimClock clock = new SimClock(Instant.now());
    private final Deque<StageRequest> asked = new ArrayDeque<>();
    private CompletableFuture<StageReply> answer = new CompletableFuture<>();
    private final StagedFiles staged =
            new StagedFiles(
                    new Nodes(
                            name ->
                                    address ->
                                            CompletableFuture.completedFuture(
                                                    Peers.answering(this::ask)),
                            clock),
                    clock);

    @TempDir private Path directory;

    private LocalReplica unused() throws IOException {
        Path file = Files.createFile(directory.resolve("17"));
        Files.setLastModifiedTime(file, FileTime.from(clock.now().minus(Duration.ofMinutes(1))));
        return LocalReplica.staged(
                StagedFile.newBuilder().setNumber(17).setPath(file.toString()).build());
    }

    /** The metaserver may still tell others that the former number stands for another file. */
    @Test
    void oneThatWasNotWrittenIsTakenAgainUnderTheNumberThatItsNodeGivesItThen() {
        staged.at(Replica.newBuilder().setNode("n1").setAddress("x:1").build());
        reply(17);
        assertThat(take()).isEqualTo(17);
        staged.putBack(17);
        assertThat(staged.take()).as("at once").isNull();
        assertThat(asked.getLast().getUnusedList()).isEmpty();
        reply();
        clock.advance(Duration.ofMillis(5));
        assertThat(staged.take()).as("before its node knows").isNull();
        assertThat(asked.getLast().getUnusedList()).containsExactly(17L);
        reply(18);
        assertThat(take()).isEqualTo(18);
        assertThat(staged.take()).as("twice").isNull();
        assertThat(asked.getLast().getUnusedList()).isEmpty();
    }

    /** Its node removes what nobody has claimed for an hour. */
    @Test
    void oneThatIsOldIsNotTaken() {
        staged.at(Replica.newBuilder().setNode("n1").setAddress("x:1").build());
        reply(17);
        clock.advance(Duration.ofMinutes(21));
        assertThat(staged.take()).isNull();
        assertThat(asked.getLast().getDiscardList()).containsExactly(17L);
    }

    private long take() {
        return Objects.requireNonNull(staged.take()).getNumber();
    }

    private void reply(long... numbers) {
        StageReply.Builder reply = StageReply.newBuilder();
        for (long number : numbers) reply.addFiles(StagedFile.newBuilder().setNumber(number));
        answer.complete(reply.build());
    }

    private CompletableFuture<StageReply> ask(Object request) {
        asked.add((StageRequest) request);
        answer = new CompletableFuture<>();
        return answer;
    }

    @Test
    void whatWasWrittenOrMayBeClaimedIsNotAsNew() throws IOException {
        LocalReplica replica = unused();
        assertThat(replica.isAsNew()).isTrue();
        replica.claimAsked();
        assertThat(replica.isUntouched()).isTrue();
        assertThat(replica.isAsNew()).as("its node may be making a replica of it").isFalse();
        replica.close();
        Files.delete(directory.resolve("17"));
        LocalReplica written = unused();
        Files.writeString(directory.resolve("17"), "x");
        assertThat(written.isAsNew()).isFalse();
        written.close();
    }
}

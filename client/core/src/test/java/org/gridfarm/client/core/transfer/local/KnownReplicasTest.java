package org.gridfarm.client.core.transfer.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;

import org.gridfarm.client.core.transfer.LocalFile;
import org.gridfarm.client.core.transfer.node.TransferLimits;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;

/** Local replicas that are opened again without their node. */
@SuppressWarnings("NullAway") // no node is asked
class KnownReplicasTest {
    private static final ObjectId OBJECT =
            ObjectId.newBuilder().setInode(7).setGeneration(1).build();

    private static final Duration DAYS = Duration.ofDays(7);

    private final SimClock clock = new SimClock(Instant.now());
    private final KnownReplicas known = new KnownReplicas(clock);

    @TempDir private Path directory;

    private LocalFile file(String name) throws IOException {
        Path file = Files.writeString(directory.resolve(name), "content");
        LocalReplica granted =
                LocalReplica.open(
                        OpenLocalReply.newBuilder()
                                .setPath(file.toString())
                                .setSize(Files.size(file))
                                .build(),
                        false,
                        null);
        granted.close();
        return granted.file;
    }

    private boolean isKnown(ObjectId object) {
        LocalReplica replica = known.open(object);
        if (replica == null) return false;
        ByteBuf bytes = replica.read(0, 7);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("content");
        bytes.release();
        assertThat(replica.file.write()).isFalse();
        replica.close();
        return true;
    }

    @Test
    void oneIsOpenedAsOftenAsItIsWanted() throws IOException {
        known.add(OBJECT, file("a"), null, DAYS);
        assertThat(isKnown(OBJECT)).isTrue();
        assertThat(isKnown(OBJECT)).isTrue();
    }

    @Test
    void oneOfAnotherGenerationIsNot() throws IOException {
        known.add(OBJECT, file("a"), null, DAYS);
        assertThat(isKnown(OBJECT.toBuilder().setGeneration(2).build())).isFalse();
    }

    /** As when it was damaged, and its node has got another copy since. */
    @Test
    void oneInWhosePlaceThereIsAnotherFileIsNot() throws IOException {
        known.add(OBJECT, file("a"), null, DAYS);
        Files.move(
                Files.writeString(directory.resolve("b"), "content"),
                directory.resolve("a"),
                StandardCopyOption.REPLACE_EXISTING);
        assertThat(isKnown(OBJECT)).isFalse();
    }

    @Test
    void oneThatIsGoneIsNot() throws IOException {
        known.add(OBJECT, file("a"), null, DAYS);
        Files.delete(directory.resolve("a"));
        assertThat(isKnown(OBJECT)).isFalse();
    }

    @Test
    void noneIsKnownForLong() throws IOException {
        known.add(OBJECT, file("a"), null, DAYS);
        clock.advance(TransferLimits.REPLICA_KNOWN.minusNanos(1));
        assertThat(isKnown(OBJECT)).isTrue();
        clock.advance(TransferLimits.REPLICA_KNOWN);
        assertThat(isKnown(OBJECT)).isFalse();
    }

    /** Its node would look at all of it by then. */
    @Test
    void noneIsKnownForLongerThanItsNodeTrustsIt() throws IOException {
        known.add(OBJECT, file("a"), null, Duration.ZERO);
        assertThat(isKnown(OBJECT)).isFalse();
        known.add(OBJECT, file("a"), null, Duration.ofSeconds(3));
        clock.advance(Duration.ofSeconds(2));
        assertThat(isKnown(OBJECT)).isTrue();
        clock.advance(Duration.ofSeconds(1));
        assertThat(isKnown(OBJECT)).isFalse();
    }

    @Test
    void theOneThatWasAskedForLongestAgoIsForgotten() throws IOException {
        LocalFile file = file("a");
        for (int i = 1; i <= TransferLimits.KNOWN_REPLICAS_MAX; i++) {
            known.add(OBJECT.toBuilder().setInode(i).build(), file, null, DAYS);
        }
        assertThat(isKnown(OBJECT.toBuilder().setInode(1).build())).isTrue();
        known.add(OBJECT.toBuilder().setInode(0).build(), file, null, DAYS);
        assertThat(isKnown(OBJECT.toBuilder().setInode(1).build())).isTrue();
        assertThat(isKnown(OBJECT.toBuilder().setInode(2).build())).isFalse();
    }
}

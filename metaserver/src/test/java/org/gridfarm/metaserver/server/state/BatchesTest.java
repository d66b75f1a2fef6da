package org.gridfarm.metaserver.server.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.coherence.ClientCoherence;
import org.gridfarm.metaserver.coherence.LeaderCoherence;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.XattrImage;
import org.junit.jupiter.api.Test;

import java.util.List;

class BatchesTest {
    private static final int FRAME_BYTES_MAX = 8 << 20;

    private final Batches batches =
            new Batches(new LeaderCoherence(new ClientCoherence(), 0, 0, List.of()), 1);

    private static List<Change> attribute(int number) {
        return List.of(
                Change.newBuilder()
                        .setXattr(
                                XattrImage.newBuilder()
                                        .setInode(number)
                                        .setName(ByteString.copyFromUtf8("user.a"))
                                        .setValue(ByteString.copyFrom(new byte[64 << 10])))
                        .build());
    }

    /**
     * It goes to the caches in one frame, and while the database does not answer it waits in
     * memory.
     */
    @Test
    void aBatchOfLargeChangesIsFullByItsBytes() {
        int added = 0;
        while (!batches.isFull()) batches.add(attribute(++added));
        assertThat(added).isBetween(10, 100);
        assertThat(batches.isOverfull()).isFalse();
        while (!batches.isOverfull()) batches.add(attribute(++added));
        assertThat(batches.take().getSerializedSize()).isLessThan(FRAME_BYTES_MAX);
        assertThat(batches.isFull()).isFalse();
    }
}

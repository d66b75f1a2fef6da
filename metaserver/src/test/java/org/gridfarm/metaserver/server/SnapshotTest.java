package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.Outcome;
import org.gridfarm.protocol.wire.QuotaImage;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.WritingImage;
import org.gridfarm.protocol.wire.XattrImage;
import org.junit.jupiter.api.Test;

class SnapshotTest {
    private static final int FILES = 20_000;
    private static final int FRAME_BYTES_MAX = 8 << 20;

    private final FarmState state = empty();

    private static FarmState empty() {
        return new FarmState(Clock.system(), Entropy.system(), 1);
    }

    SnapshotTest() {
        Namespace.genesis(1).forEach(state::apply);
        for (int i = 2; i < FILES; i++) {
            state.apply(
                    Change.newBuilder()
                            .setInode(
                                    InodeImage.newBuilder()
                                            .setInode(i)
                                            .setType(FileType.REGULAR)
                                            .setNlink(1)
                                            .setUid(1000)
                                            .setParent(1))
                            .build());
            state.apply(
                    Change.newBuilder()
                            .setDirent(
                                    DirentImage.newBuilder()
                                            .setParent(1)
                                            .setName(ByteString.copyFromUtf8("f" + i))
                                            .setInode(i)
                                            .setType(FileType.REGULAR)
                                            .setCookie(i))
                            .build());
            state.apply(
                    Change.newBuilder()
                            .setReplica(
                                    ReplicaImage.newBuilder()
                                            .setInode(i)
                                            .setNode("n1")
                                            .setState(ReplicaState.VALID))
                            .build());
            state.outcomes().add(Outcome.newBuilder().setSession(7).setSequence(i).build(), 1);
        }
        // A farm of before there was a bound: an inode has more than a frame takes.
        for (int i = 0; i < 200; i++) {
            state.apply(
                    Change.newBuilder()
                            .setXattr(
                                    XattrImage.newBuilder()
                                            .setInode(2 + i % 2)
                                            .setName(ByteString.copyFromUtf8("user.a" + i))
                                            .setValue(ByteString.copyFrom(new byte[64 << 10])))
                            .build());
        }
        state.apply(
                Change.newBuilder()
                        .setWriting(WritingImage.newBuilder().setInode(5).addWriters(7))
                        .build());
        state.apply(
                Change.newBuilder()
                        .setQuota(QuotaImage.newBuilder().setKind("user").setId(1000))
                        .build());
    }

    @Test
    void everythingComesInPagesThatFitAFrame() {
        FarmState copy = empty();
        Snapshot snapshot = new Snapshot(state);
        int pages = 0;
        while (!snapshot.isEnd()) {
            Snapshot.Page page = snapshot.next();
            long bytes = 0;
            for (Change change : page.changes()) bytes += change.getSerializedSize();
            for (Outcome outcome : page.outcomes()) bytes += outcome.getSerializedSize();
            assertThat(bytes).isLessThan(FRAME_BYTES_MAX / 4);
            page.changes().forEach(copy::load);
            page.outcomes().forEach(outcome -> copy.outcomes().add(outcome, 0));
            assertThat(++pages).isLessThan(100);
        }
        copy.loaded();
        assertThat(copy.namespace().digest()).isEqualTo(state.namespace().digest());
        assertThat(copy.quotas().usages()).isEqualTo(state.quotas().usages());
        assertThat(copy.quotas().limits()).isEqualTo(state.quotas().limits());
        assertThat(copy.replicas().rowCount()).isEqualTo(FILES - 2);
        assertThat(copy.writing(5)).isEqualTo(state.writing(5));
        assertThat(copy.outcomes().all()).hasSize(FILES - 2);
    }
}

package org.gridfarm.storagenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.gridfarm.storagenode.TestFarm.PATIENCE;
import static org.gridfarm.storagenode.TestFarm.failure;
import static org.gridfarm.storagenode.TestFarm.get;
import static org.gridfarm.storagenode.TestFarm.object;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.wire.AppendSeen;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.StatObjectRequest;
import org.gridfarm.protocol.wire.TruncateObjectRequest;
import org.gridfarm.protocol.wire.WriteObjectRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** What comes late from a chain that its writer has left behind, or comes twice. */
class FenceTest {
    private static final long WRITER = 77;

    @TempDir Path root;

    private static byte[] filled(char with) {
        byte[] bytes = new byte[1000];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }

    private static WriteObjectRequest.Builder fenced(WriteObjectRequest.Builder write, long fence) {
        write.getChainBuilder().setWriter(WRITER).setFence(fence);
        return write;
    }

    private static TruncateObjectRequest cut(TestFarm farm, ObjectId id, long fence, String head)
            throws Exception {
        return TruncateObjectRequest.newBuilder()
                .setChain(farm.header(id, head).setWriter(WRITER).setFence(fence))
                .setSize(10)
                .build();
    }

    @Test
    void aLateDuplicateOfAnOldWriteDoesNotOverwriteANewerOne() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(20, 1);
            WriteObjectRequest.Builder old = fenced(farm.writing(id, "n1", "n2"), 1);
            get(farm.send(old, filled('a'), "n1"));
            get(farm.send(fenced(farm.writing(id, "n2"), 2), filled('b'), "n2"));
            // The head that was struck off forwards what it still had.
            ChainOutcome late = get(farm.send(old, filled('a'), "n1"));
            assertThat(late.getFailuresList())
                    .singleElement()
                    .satisfies(member -> {
                        assertThat(member.getNode()).isEqualTo("n2");
                        assertThat(member.getErrorKind())
                                .isEqualTo(ErrorKind.WRONG_GENERATION.number());
                    });
            assertThat(farm.read("n2", id, 0, 1000)).isEqualTo(filled('b'));
            assertThat(
                            failure(
                                            farm.peer("n2")
                                                    .callPlain(
                                                            StorageMethods.TRUNCATE,
                                                            cut(farm, id, 1, "n2"),
                                                            PATIENCE))
                                    .kind())
                    .isEqualTo(ErrorKind.WRONG_GENERATION);
            assertThat(farm.read("n2", id, 0, 2000)).isEqualTo(filled('b'));
        }
    }

    /** It hung, was passed over, and goes on before the chain is mended. */
    @Test
    void whatAMemberThatWasPassedOverStillForwardsIsRefused() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2", "n3")) {
            ObjectId id = object(24, 1);
            get(farm.send(fenced(farm.writing(id, "n1", "n2", "n3"), 1), filled('a'), "n1"));
            farm.stop("n2");
            ChainOutcome past =
                    get(
                            farm.send(
                                    fenced(farm.writing(id, "n1", "n2", "n3"), 1),
                                    filled('b'),
                                    "n1"));
            assertThat(past.getFailuresList()).hasSize(1);
            WriteObjectRequest.Builder late = fenced(farm.writing(id, "n3"), 1);
            assertThat(failure(farm.send(late, filled('a'), "n3")).kind())
                    .isEqualTo(ErrorKind.WRONG_GENERATION);
            assertThat(farm.read("n3", id, 0, 1000)).isEqualTo(filled('b'));
            get(farm.send(fenced(farm.writing(id, "n3"), 2), filled('c'), "n3"));
            assertThat(farm.read("n3", id, 0, 1000)).isEqualTo(filled('c'));
        }
    }

    @Test
    void anOldFenceOfOneWriterIsNothingToAnother() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(21, 1);
            get(farm.send(fenced(farm.writing(id, "n1"), 9), filled('a'), "n1"));
            WriteObjectRequest.Builder other = farm.writing(id, "n1");
            other.getChainBuilder().setWriter(WRITER + 1).setFence(1);
            get(farm.send(other, filled('b'), "n1"));
            assertThat(farm.read("n1", id, 0, 1000)).isEqualTo(filled('b'));
        }
    }

    @Test
    void aRefusedWriteDoesNotMakeTheMemberFailForOthers() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(22, 1);
            get(farm.send(fenced(farm.writing(id, "n2"), 2), filled('b'), "n2"));
            get(farm.send(fenced(farm.writing(id, "n1", "n2"), 1), filled('a'), "n1"));
            ChainOutcome newer =
                    get(farm.send(fenced(farm.writing(id, "n1", "n2"), 3), filled('c'), "n1"));
            assertThat(newer.getFailuresList()).isEmpty();
            assertThat(farm.read("n2", id, 0, 1000)).isEqualTo(filled('c'));
        }
    }

    @Test
    void anAppendThatIsSentAgainIsAnsweredAndNotDoneAgain() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(23, 1);
            get(farm.send(farm.writing(id, "n1", "n2"), filled('a'), "n1"));
            WriteObjectRequest.Builder append =
                    fenced(farm.writing(id, "n1", "n2"), 1).setAppend(true).setAppendId(4711);
            assertThat(get(farm.send(append, filled('b'), "n1")).getOffset()).isEqualTo(1000);
            ChainOutcome again = get(farm.send(append, filled('b'), "n1"));
            assertThat(again.getOffset()).isEqualTo(1000);
            assertThat(again.getSize()).isEqualTo(2000);
            // Neither at the member that becomes the head.
            ChainOutcome there =
                    get(
                            farm.send(
                                    fenced(farm.writing(id, "n2"), 2)
                                            .setAppend(true)
                                            .setAppendId(4711),
                                    filled('b'),
                                    "n2"));
            assertThat(there.getOffset()).isEqualTo(1000);
            assertThat(there.getSize()).isEqualTo(2000);
            assertThat(farm.read("n2", id, 0, 5000)).hasSize(2000);
        }
    }

    @Test
    void everyMemberTellsItsWriterWhetherAnAppendWasDone() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2")) {
            ObjectId id = object(25, 1);
            WriteObjectRequest.Builder atEnd =
                    fenced(farm.writing(id, "n1", "n2"), 1).setAppend(true).setAppendId(4711);
            get(farm.send(atEnd, filled('a'), "n1"));
            WriteObjectRequest.Builder atItsPlace =
                    fenced(farm.writing(id, "n1", "n2"), 1).setOffset(1000).setAppendId(4712);
            get(farm.send(atItsPlace, filled('b'), "n1"));
            for (String node : List.of("n1", "n2")) {
                assertThat(asked(farm, id, node, 4711).getAppendSeen())
                        .isEqualTo(AppendSeen.APPEND_DONE);
                assertThat(asked(farm, id, node, 4711).getOffset()).isZero();
                assertThat(asked(farm, id, node, 4712).getOffset()).isEqualTo(1000);
                assertThat(asked(farm, id, node, 4713).getAppendSeen())
                        .isEqualTo(AppendSeen.APPEND_NOT_DONE);
            }
        }
    }

    private static ChainOutcome asked(TestFarm farm, ObjectId id, String node, long append)
            throws Exception {
        StatObjectRequest request =
                StatObjectRequest.newBuilder()
                        .setObject(id)
                        .setTicket(farm.header(id, node).getTicket())
                        .setAppend(
                                StatObjectRequest.Append.newBuilder()
                                        .setWriter(WRITER)
                                        .setId(append)
                                        .setFence(1))
                        .build();
        return get(farm.peer(node).callPlain(StorageMethods.STAT, request, PATIENCE));
    }
}

package org.gridfarm.storagenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.storagenode.TestFarm.PATIENCE;
import static org.gridfarm.storagenode.TestFarm.binding;
import static org.gridfarm.storagenode.TestFarm.get;
import static org.gridfarm.storagenode.TestFarm.object;

import org.gridfarm.protocol.api.StorageMethods;
import org.gridfarm.protocol.auth.ticket.Rights;
import org.gridfarm.protocol.wire.AllocateObjectRequest;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.OpenLocalRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/**
 * When an object was changed last, as its nodes tell it: others take it for the time of the file.
 */
class TimesOfObjectsTest {
    @TempDir Path root;

    /** Others take what an object tells for the time of its file. */
    @Test
    void anObjectThatIsMadeAndNotWrittenTellsOfNoChange() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            long before = System.currentTimeMillis() - 1000;
            ObjectId id = object(85, 1);
            OpenLocalRequest open =
                    OpenLocalRequest.newBuilder()
                            .setObject(id)
                            .setWrite(true)
                            .setCreate(true)
                            .setTicket(
                                    farm.metaserver.ticket(
                                            "n1", id, Rights.READ_WRITE, binding(farm.alice)))
                            .build();
            get(farm.peer("n1").callPlain(StorageMethods.OPEN_LOCAL, open, PATIENCE));
            assertThat(farm.stat(id, "n1").getMtime() / 1_000_000).isLessThan(before);
            farm.write(id, 0, new byte[10], "n1");
            assertThat(farm.stat(id, "n1").getMtime() / 1_000_000).isGreaterThan(before);
        }
    }

    /** Any of them may be the first of the next writer's chain, who takes that for his write. */
    @Test
    void everyMemberTellsWhenTheFirstOneWasWritten() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1", "n2", "n3")) {
            ObjectId id = object(86, 1);
            farm.write(id, 0, new byte[1000], "n1", "n2", "n3");
            long written = farm.stat(id, "n1").getMtime();
            for (String member : List.of("n2", "n3")) {
                await().atMost(PATIENCE)
                        .until(() -> {
                            farm.write(id, 0, new byte[1000], member);
                            return farm.stat(id, member).getMtime() > written;
                        });
            }
            get(
                    farm.peer("n1")
                            .callPlain(
                                    StorageMethods.SYNC,
                                    farm.sync(id, false, "n1", "n2", "n3"),
                                    PATIENCE));
            for (String node : List.of("n1", "n2", "n3")) {
                assertThat(farm.stat(id, node).getMtime()).as(node).isEqualTo(written);
            }
        }
    }

    /** A file system dates by each of its calls, and who makes one takes the time that is told. */
    @Test
    void anAllocationThatFindsNothingToDoIsAChange() throws Exception {
        try (TestFarm farm = new TestFarm(root, "n1")) {
            ObjectId id = object(87, 1);
            farm.write(id, 0, new byte[1000], "n1");
            long written = farm.stat(id, "n1").getMtime();
            AllocateObjectRequest beyondItsEnd =
                    AllocateObjectRequest.newBuilder()
                            .setChain(farm.header(id, "n1"))
                            .setOffset(1 << 20)
                            .setLength(4096)
                            .setKeepSize(true)
                            .setPunchHole(true)
                            .build();
            await().atMost(PATIENCE)
                    .until(() -> {
                        get(
                                farm.peer("n1")
                                        .callPlain(
                                                StorageMethods.ALLOCATE, beyondItsEnd, PATIENCE));
                        return farm.stat(id, "n1").getMtime() > written;
                    });
        }
    }
}

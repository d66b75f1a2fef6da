package org.gridfarm.metaserver.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.wire.DataMode;
import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Set;

/** Who is lowered for whom, and whose commit says nothing any more. */
class OpenModesTest {
    private static final long INODE = 7;
    private static final long A = 1;
    private static final long B = 2;

    private final OpenFiles opens = new OpenFiles();
    private long handles;

    private OpenFiles.Opened open(long session) {
        OpenFiles.Handle handle =
                new OpenFiles.Handle(session, ++handles, INODE, true, true, 1000, false);
        return opens.open(handle, true);
    }

    @Test
    void aSecondOpenWaitsForWhomTheFirstHasLoweredUntilHeHasAnswered() {
        open(A);
        open(B);
        opens.lowered(INODE, Set.of(A));
        opens.close(2);
        open(A); // alone again
        assertThat(open(B).lowered()).isEqualTo(Map.of(A, DataMode.WRITE_SHARED));
        assertThat(open(B).lowered()).isEqualTo(Map.of(A, DataMode.WRITE_SHARED));
        opens.lowered(INODE, Set.of(A));
        assertThat(open(B).lowered()).as("one is not answered yet").containsKey(A);
        opens.lowered(INODE, Set.of(A));
        opens.lowered(INODE, Set.of(A));
        assertThat(open(B).lowered()).isEmpty();
    }

    @Test
    void aCommitSaysNothingAnyMoreOnceAnotherSessionHasCommitted() {
        open(A);
        open(B);
        opens.committed(INODE, A, 5);
        assertThat(opens.isOvertaken(INODE, A, 4)).as("by its own").isFalse();
        assertThat(opens.isOvertaken(INODE, B, 4)).isTrue();
        assertThat(opens.isOvertaken(INODE, B, 5)).as("it knew of that").isFalse();
        opens.committed(INODE, B, 6);
        opens.committed(INODE, B, 7);
        assertThat(opens.isOvertaken(INODE, A, 6)).isTrue();
        assertThat(opens.isOvertaken(INODE, B, 4)).as("of A's, before its own").isTrue();
        assertThat(opens.isOvertaken(INODE, B, 5)).isFalse();
    }
}

package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.checksum.Blocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;

/** What is read to keep sums follows what was changed, never the size of the replica. */
class SumCostTest {
    private static final ObjectKey KEY = new ObjectKey(7, 0, 1);
    private static final int SIZE = 64 << 20;
    private static final int SESSIONS = 12;
    private static final int CHANGES = 15;

    @TempDir Path directory;

    @Test
    void bytesReadForSumsAreAtMostTwiceThoseChanged() throws IOException {
        Random random = new Random(27);
        try (StoreFixture fixture = StoreFixture.at(directory)) {
            byte[] part = new byte[8 << 20];
            for (int at = 0; at < SIZE; at += part.length) {
                random.nextBytes(part);
                fixture.write(KEY, at, part);
            }
            fixture.restart();
            for (int session = 0; session < SESSIONS; session++) {
                long changed = 0;
                for (int i = 0; i < CHANGES; i++) {
                    byte[] bytes = new byte[1 + random.nextInt(i % 5 == 0 ? 1 << 20 : 5000)];
                    random.nextBytes(bytes);
                    long at = random.nextInt(SIZE - bytes.length);
                    fixture.write(KEY, at, bytes);
                    changed += rounded(at, bytes.length);
                    if (random.nextBoolean()) {
                        fixture.change(KEY, random.nextBoolean() ? Replica::sync : Replica::digest);
                    }
                }
                fixture.change(KEY, Replica::settle);
                assertThat(fixture.store.disks().get(0).readForSums().sum())
                        .isPositive()
                        .isLessThanOrEqualTo(2 * changed);
                fixture.restart(); // it is closed, and opened again
            }
        }
    }

    /** In whole blocks. */
    private static long rounded(long at, long length) {
        long blocks = Blocks.of(at + length - 1) - Blocks.of(at) + 1;
        return blocks * Blocks.BYTES;
    }
}

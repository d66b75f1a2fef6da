package org.gridfarm.protocol.layout;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Random;

class StripingTest {
    @Test
    void everyByteHasOnePlaceAndComesBackFromIt() {
        Random random = new Random(1);
        for (int round = 0; round < 2_000; round++) {
            Striping striping = new Striping(1 + random.nextInt(5), 1 + random.nextInt(10));
            long offset = random.nextInt(200);
            long at = offset;
            List<Striping.Piece> pieces =
                    striping.pieces(offset, random.nextInt(100), 1 + random.nextInt(20));
            for (Striping.Piece piece : pieces) {
                assertThat(piece.fileOffset()).isEqualTo(at);
                for (int i = 0; i < piece.length(); i++) {
                    assertThat(striping.fileOffset(piece.stripe(), piece.objectOffset() + i))
                            .isEqualTo(at + i);
                }
                at += piece.length();
            }
        }
    }

    @Test
    void theObjectsOfAFileAddUpToItsSizeAndGiveItBack() {
        for (int count = 1; count <= 4; count++) {
            for (long size = 0; size < 60; size++) {
                Striping striping = new Striping(count, 7);
                long sum = 0;
                long end = 0;
                for (int stripe = 0; stripe < count; stripe++) {
                    sum += striping.objectSize(stripe, size);
                    end =
                            Math.max(
                                    end,
                                    striping.fileSize(stripe, striping.objectSize(stripe, size)));
                }
                assertThat(sum).isEqualTo(size);
                assertThat(end).isEqualTo(size);
            }
        }
    }
}

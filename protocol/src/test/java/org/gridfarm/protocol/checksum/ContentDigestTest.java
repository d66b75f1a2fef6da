package org.gridfarm.protocol.checksum;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;

class ContentDigestTest {
    private static final long HUGE = 16L << 40;

    private static byte[] digest(long size, long... blocksAndSums) {
        ContentDigest digest = new ContentDigest(size);
        long block = 0;
        for (int i = 0; i < blocksAndSums.length; i += 2) {
            digest.addZeros(blocksAndSums[i] - block);
            digest.add((int) blocksAndSums[i + 1]);
            block = blocksAndSums[i] + 1;
        }
        digest.addZeros(Blocks.count(size) - block);
        return digest.value();
    }

    /** What metaservers have recorded stays true. */
    @Test
    void upToTwoTebibytesItIsTheHashOfSizeAndEverySum() throws Exception {
        ByteBuffer plain = ByteBuffer.allocate(8 + 4 * 5000);
        plain.putLong(5000L * Blocks.BYTES).putInt(8 + 4 * 7, 77).putInt(8 + 4 * 4321, 99);
        assertThat(digest(5000L * Blocks.BYTES, 7, 77, 4321, 99))
                .isEqualTo(MessageDigest.getInstance("SHA-256").digest(plain.array()));
        assertThat(HexFormat.of().formatHex(ContentDigest.of(new ByteBuffer[0])))
                .isEqualTo("af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc");
    }

    @Test
    void ofMoreItIsTheHashOfSizeAndRunsThatAreNotZeros() throws Exception {
        ByteBuffer plain = ByteBuffer.allocate(100);
        plain.putLong(HUGE).putLong(3).putInt(5).putInt(6).putInt(0);
        plain.putLong(1L << 27).putInt(7).putInt(0);
        byte[] expected =
                MessageDigest.getInstance("SHA-256")
                        .digest(Arrays.copyOf(plain.array(), plain.position()));
        assertThat(digest(HUGE, 3, 5, 4, 6, 1L << 27, 7)).isEqualTo(expected);
        ContentDigest oneByOne = new ContentDigest(HUGE);
        for (int sum : new int[] {0, 0, 0, 5, 6, 0, 0}) {
            oneByOne.add(sum);
        }
        oneByOne.addZeros((1L << 27) - 7);
        oneByOne.add(7);
        assertThat(oneByOne.value()).isEqualTo(expected);
    }

    @Test
    void anotherPlaceOrSizeIsAnotherDigest() {
        byte[] one = digest(HUGE, 3, 5, 4, 6);
        assertThat(digest(HUGE, 3, 5, 5, 6)).isNotEqualTo(one);
        assertThat(digest(HUGE, 4, 5, 5, 6)).isNotEqualTo(one);
        assertThat(digest(HUGE + 1, 3, 5, 4, 6)).isNotEqualTo(one);
        assertThat(digest(HUGE, 3, 5)).isNotEqualTo(one);
    }
}

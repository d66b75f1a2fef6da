package org.gridfarm.campaign;

import java.util.Arrays;
import java.util.Random;

/** Good bytes with something set, swapped, cut out, doubled or left off. */
public final class Changed {
    private static final int CHANGES_MAX = 4;
    private static final int PIECE_BYTES_MAX = 16;

    private Changed() {}

    public static byte[] of(byte[] good, Random random) {
        byte[] bytes = good.clone();
        for (int i = 0; i <= random.nextInt(CHANGES_MAX) && bytes.length > 1; i++) {
            int at = random.nextInt(bytes.length);
            int until = at + random.nextInt(Math.min(PIECE_BYTES_MAX, bytes.length - at) + 1);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes = joined(Arrays.copyOf(bytes, at), bytes, until);
                case 3 -> bytes = joined(Arrays.copyOf(bytes, until), bytes, at);
                default -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
            }
        }
        return bytes;
    }

    private static byte[] joined(byte[] start, byte[] rest, int from) {
        byte[] all = Arrays.copyOf(start, start.length + rest.length - from);
        System.arraycopy(rest, from, all, start.length, rest.length - from);
        return all;
    }
}

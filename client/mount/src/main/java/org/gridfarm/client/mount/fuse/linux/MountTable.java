package org.gridfarm.client.mount.fuse.linux;

import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// What `/proc/self/mountinfo` says, read without touching any mount: one that is dead or slow does
/// not hold the reader up.
final class MountTable {

    /// @param device minor number of the mount's device, which is also its number under
    ///   `/sys/fs/fuse/connections`
    record Entry(String type, int major, int device) {

        boolean fuse() {
            return type.equals("fuse") || type.startsWith("fuse.");
        }
    }

    private MountTable() {}

    /// What is mounted uppermost at `point`; null for nothing.
    static @Nullable Entry at(Path point) throws IOException {
        String wanted = LocalPath.text(point);
        Entry last = null;
        // ISO 8859-1 keeps bytes that are no UTF-8
        for (String line :
                Files.readAllLines(Path.of("/proc/self/mountinfo"), StandardCharsets.ISO_8859_1)) {
            String[] fields = line.split(" ");
            if (unescape(fields[4]).equals(wanted)) {
                int dash = 6;
                while (!fields[dash].equals("-")) {
                    dash++;
                }
                String[] device = fields[2].split(":");
                last =
                        new Entry(
                                fields[dash + 1],
                                Integer.parseInt(device[0]),
                                Integer.parseInt(device[1]));
            }
        }
        return last;
    }

    /// Blanks and backslashes stand as `\040` and the like.
    private static String unescape(String field) {
        byte[] in = field.getBytes(StandardCharsets.ISO_8859_1);
        byte[] out = new byte[in.length];
        int length = 0;
        for (int i = 0; i < in.length; i++) {
            if (in[i] == '\\' && i + 3 < in.length) {
                out[length++] =
                        (byte) ((in[i + 1] - '0') * 64 + (in[i + 2] - '0') * 8 + (in[i + 3] - '0'));
                i += 3;
            } else {
                out[length++] = in[i];
            }
        }
        return NameText.of(Arrays.copyOf(out, length));
    }
}

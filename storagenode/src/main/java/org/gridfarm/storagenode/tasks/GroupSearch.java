package org.gridfarm.storagenode.tasks;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Which processes have a group. All of a host are looked at when a task ends, so their status files
 * are searched as the bytes that they are, in one buffer. For one thread.
 */
final class GroupSearch {
    private static final Logger LOG = LoggerFactory.getLogger(GroupSearch.class);
    private static final byte[] GROUPS = word("\nGroups:\t");
    private static final byte[] ZOMBIE = word("\nState:\tZ");

    private byte[] buffer = new byte[8192];

    private static byte[] word(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** False for what has ended meanwhile, or waits only to be reaped. */
    boolean isMember(long process, long group) {
        try (FileInputStream status = new FileInputStream("/proc/" + process + "/status")) {
            int length = read(status);
            return hasGroup(buffer, length, group) && find(buffer, length, ZOMBIE) < 0;
        } catch (IOException e) {
            LOG.trace("process {}: {}", process, e.toString());
            return false;
        }
    }

    private int read(FileInputStream status) throws IOException {
        int length = 0;
        int more = status.read(buffer, 0, buffer.length);
        while (more > 0) {
            length += more;
            if (length == buffer.length) { // who is in thousands of groups
                buffer = Arrays.copyOf(buffer, 2 * buffer.length);
            }
            more = status.read(buffer, length, buffer.length - length);
        }
        return length;
    }

    /**
     * @param status of proc(5), this many bytes of it
     */
    static boolean hasGroup(byte[] status, int length, long group) {
        int at = find(status, length, GROUPS);
        if (at < 0) {
            return false;
        }
        long number = -1; // none begun
        for (int i = at + GROUPS.length; i < length; i++) {
            int digit = status[i] - '0';
            if (digit >= 0 && digit <= 9) {
                number = Math.max(number, 0) * 10 + digit;
            } else if (number == group) {
                return true;
            } else if (status[i] == '\n') {
                return false;
            } else {
                number = -1;
            }
        }
        return number == group;
    }

    private static int find(byte[] text, int length, byte[] word) {
        for (int i = 0; i <= length - word.length; i++) {
            if (text[i] == word[0]
                    && Arrays.equals(text, i, i + word.length, word, 0, word.length)) {
                return i;
            }
        }
        return -1;
    }
}

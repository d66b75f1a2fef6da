package org.gridfarm.test.cluster;

import org.jspecify.annotations.Nullable;

import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a file should be like, and what has been seen of its times. */
final class ModelledFile {
    private static final int REMEMBERED = 40;

    byte[] content;
    Set<PosixFilePermission> mode;

    /** How many copies it is to have. */
    int level;

    /** Extended attributes of programs. */
    final Map<String, byte[]> attributes = new TreeMap<>();

    private @Nullable FileTime dated; // null: nobody has set it since it was modified
    private @Nullable FileTime modifiedSeen; // null: not since it was modified
    private @Nullable FileTime changedSeen;
    private boolean isChanged; // since that was seen
    private final Deque<String> history = new ArrayDeque<>();

    ModelledFile(byte[] content, Set<PosixFilePermission> mode, int level) {
        this.content = content;
        this.mode = mode;
        this.level = level;
    }

    void happened(String what) {
        history.add(what);
        if (history.size() > REMEMBERED) {
            history.remove();
        }
    }

    String history() {
        return String.join(" | ", history);
    }

    // ---- changes

    void write(long at, byte[] more) {
        if (more.length == 0) {
            return;
        }
        grow(at + more.length);
        System.arraycopy(more, 0, content, (int) at, more.length);
        modified();
    }

    /** Zeros; it gets no longer. */
    void clear(long at, long length) {
        int end = (int) Math.min(content.length, at + length);
        if (at < end) {
            Arrays.fill(content, (int) at, end, (byte) 0);
        }
        modified();
    }

    /** At least so long. */
    void grow(long size) {
        if (size > content.length) {
            resize(size);
        }
    }

    void resize(long size) {
        content = Arrays.copyOf(content, (int) size);
        modified();
    }

    void is(byte[] now) {
        content = now;
        modified();
    }

    /** Its content is, or may be, another: both times move. */
    void modified() {
        dated = null;
        modifiedSeen = null;
        isChanged = true;
    }

    /** Not its content: the modification time stays. */
    void changed() {
        isChanged = true;
    }

    void dated(FileTime time) {
        dated = time;
        modifiedSeen = null;
        isChanged = true;
    }

    // ---- times

    /** What is wrong with them, and what is to be seen from now on. */
    List<String> timesWrong(FileTime modified, FileTime changed) {
        List<String> wrong = new ArrayList<>();
        FileTime expected = dated == null ? modifiedSeen : dated;
        if (expected != null && !modified.equals(expected)) {
            wrong.add(
                    "time %s, not %s, which was %s"
                            .formatted(modified, expected, dated == null ? "seen" : "set"));
        }
        if (changedSeen != null) {
            int moved = changed.compareTo(changedSeen);
            if (moved < 0 || moved > 0 && !isChanged) {
                wrong.add("change time %s, which was %s".formatted(changed, changedSeen));
            }
        }
        modifiedSeen = modified;
        changedSeen = changed;
        isChanged = false;
        return wrong;
    }
}

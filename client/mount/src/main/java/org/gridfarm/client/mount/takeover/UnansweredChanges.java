package org.gridfarm.client.mount.takeover;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The sequences of changes that the kernel asked for and has no answer to: a table in the {@link
 * Ledger}. A request has its line until it is answered, however many come and go meanwhile: some
 * wait for seconds, until another client has given something back or a leader was chosen. A process
 * that is killed between an answer and the end of its line leaves that line behind. Thread-safe.
 */
final class UnansweredChanges {
    private static final Logger log = LoggerFactory.getLogger(UnansweredChanges.class);

    static final int LINES = 8192; // far more than requests under way at once
    private static final int LINE_BYTES = 16; // request, 0: none; then its sequence
    static final int BYTES = LINES * LINE_BYTES;

    private static final VarHandle LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private record Left(int line, long request, long sequence) {}

    private final MappedByteBuffer table;
    private final int at;

    @GuardedBy("this")
    private final int[] free = new int[LINES]; // a stack: few lines are used again and again

    @GuardedBy("this")
    private int freeLines;

    @GuardedBy("this")
    private final Map<Long, Integer> lines = new HashMap<>(); // by request, of this process

    /** Of former processes, by request, the oldest first; these did not come again so far. */
    @GuardedBy("this")
    private final Map<Long, Left> left = new LinkedHashMap<>();

    @GuardedBy("this")
    private boolean complained;

    /**
     * @param at where the table begins
     */
    UnansweredChanges(MappedByteBuffer table, int at) {
        this.table = table;
        this.at = at;
        List<Left> found = new ArrayList<>();
        for (int line = LINES - 1; line >= 0; line--) {
            long request = (long) LONG.getVolatile(table, at(line));
            if (request == 0) {
                free[freeLines++] = line;
            } else {
                found.add(new Left(line, request, (long) LONG.getVolatile(table, at(line) + 8)));
            }
        }
        found.sort(Comparator.comparingLong(Left::sequence));
        found.forEach(one -> left.put(one.request, one));
    }

    private int at(int line) {
        return at + line * LINE_BYTES;
    }

    /** The request comes again: the sequence that a former process gave its change, or 0. */
    synchronized long again(long request) {
        Left found = left.remove(request);
        if (found == null) {
            return 0;
        }
        lines.put(request, found.line);
        return found.sequence;
    }

    /** The request asks for the change of this sequence. */
    synchronized void add(long request, long sequence) {
        Integer line = takeLine();
        if (line == null) {
            return;
        }
        LONG.setVolatile(table, at(line) + 8, sequence); // never a request with another's sequence
        LONG.setVolatile(table, at(line), request);
        lines.put(request, line);
    }

    /** The request cannot come again. */
    synchronized void answered(long request) {
        Integer line = lines.remove(request);
        if (line != null) {
            strike(line);
            free[freeLines++] = line;
        }
    }

    /** Null: all have lines that are needed. */
    @GuardedBy("this")
    private @Nullable Integer takeLine() {
        if (freeLines > 0) {
            return free[--freeLines];
        }
        Iterator<Left> eldest = left.values().iterator();
        if (!eldest.hasNext()) {
            complain();
            return null;
        }
        int line = eldest.next().line;
        eldest.remove();
        strike(line);
        return line;
    }

    private void strike(int line) {
        LONG.setVolatile(table, at(line), 0L);
    }

    @GuardedBy("this")
    private void complain() {
        if (!complained) {
            complained = true;
            log.warn(
                    "more than {} changes are under way: if this process is killed, some of them"
                            + " may be made twice",
                    LINES);
        }
    }
}

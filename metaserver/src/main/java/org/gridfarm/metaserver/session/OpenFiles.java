package org.gridfarm.metaserver.session;

import org.gridfarm.metaserver.coherence.LongMap;
import org.gridfarm.protocol.wire.DataMode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which session has which file open, and what each may therefore cache of its content.
 *
 * <pre>
 *   no writer                          everybody READ_SHARED
 *   one session only, it writes        EXCLUSIVE
 *   several sessions, one of them writes   everybody WRITE_SHARED
 * </pre>
 *
 * <p>A mode only falls for a handle while it is open; a reader is raised at its next open. Owned by
 * the event thread; what an open takes from others is returned as data.
 */
public final class OpenFiles {
    /**
     * One open file of one session; the handle was drawn by the client.
     *
     * @param uid of whoever opened it
     * @param emptied with that open
     */
    public record Handle(
            long session,
            long handle,
            long inode,
            boolean read,
            boolean write,
            int uid,
            boolean emptied) {}

    private static final class File {
        final Map<Long, Handle> handles = new LinkedHashMap<>();
        final Map<Long, DataMode> modes = new TreeMap<>(); // by session
        final Set<Long> haveWritten = new TreeSet<>(); // sessions, since anybody has it open
        final Map<Long, Integer> lowering = new TreeMap<>(); // recalls not answered, by session
        Commit last = Commit.NONE;
        Commit lastOfAnother = Commit.NONE; // than the session of the last one
    }

    /** A commit of content, and the version that it gave the inode. */
    private record Commit(long session, long version) {
        static final Commit NONE = new Commit(0, 0);
    }

    private final LongMap<File> files = new LongMap<>();
    private final Map<Long, Handle> byHandle = new LinkedHashMap<>();
    private final LongMap<Set<Long>> bySession = new LongMap<>();
    private final Tally tally;

    public OpenFiles() {
        this(Tally.unbounded());
    }

    /**
     * @param tally of the handles of each session
     */
    public OpenFiles(Tally tally) {
        this.tally = tally;
    }

    /**
     * Opened, and the sessions whose mode fell by it, with their new mode; also those who write
     * beside readers, when another writer comes: what they have not sent yet must be there before;
     * and those who have not answered for an open before this one. {@link #lowered} is to be told.
     */
    public record Opened(DataMode mode, Map<Long, DataMode> lowered) {}

    /**
     * @param wroteBefore at a former leader: nobody has to send anything before this one writes
     */
    public Opened open(Handle handle, boolean wroteBefore) {
        Handle former = byHandle.get(handle.handle());
        if (former != null && former.inode() != handle.inode()) {
            throw new IllegalStateException(
                    "handle " + Long.toHexString(handle.handle()) + " is in use");
        }
        File file = files.get(handle.inode());
        if (file == null) {
            file = new File();
            files.put(handle.inode(), file);
        }
        file.handles.put(handle.handle(), handle);
        if (handle.write() && wroteBefore) file.haveWritten.add(handle.session());
        byHandle.put(handle.handle(), handle);
        Set<Long> own = bySession.get(handle.session());
        if (own == null) {
            own = new HashSet<>();
            bySession.put(handle.session(), own);
        }
        if (own.add(handle.handle())) tally.add(handle.session(), 1);
        return judge(file, handle);
    }

    /**
     * The open has been answered, or is about to be: others have given up what they had to. Where
     * they have given up the file as a whole meanwhile, a writer is alone, and a reader reads what
     * nobody writes: they are told so.
     */
    public void answered(long handle) {
        Handle open = byHandle.get(handle);
        File file = open == null ? null : files.get(open.inode());
        if (open == null || file == null) return;
        if (open.write()) file.haveWritten.add(open.session());
        boolean alone = file.handles.values().stream().allMatch(h -> h.session() == open.session());
        boolean written = file.handles.values().stream().anyMatch(Handle::write);
        if (!written) file.modes.put(open.session(), DataMode.READ_SHARED);
        else if (open.write() && alone) file.modes.put(open.session(), DataMode.EXCLUSIVE);
    }

    private static Opened judge(File file, Handle opened) {
        long opener = opened.session();
        boolean another = opened.write() && !file.haveWritten.contains(opener);
        Set<Long> sessions = new HashSet<>();
        Set<Long> writers = new HashSet<>();
        for (Handle handle : file.handles.values()) {
            sessions.add(handle.session());
            if (handle.write()) writers.add(handle.session());
        }
        DataMode mode =
                writers.isEmpty()
                        ? DataMode.READ_SHARED
                        : sessions.size() == 1 ? DataMode.EXCLUSIVE : DataMode.WRITE_SHARED;
        Map<Long, DataMode> lowered = new TreeMap<>();
        for (long session : sessions) {
            DataMode had = file.modes.get(session);
            if (session == opener) {
                file.modes.put(session, mode);
            } else if (had != null && file.lowering.containsKey(session)) {
                lowered.put(session, had); // once more: it has not answered yet
            } else if (had != null && mode == DataMode.WRITE_SHARED && had != mode) {
                file.modes.put(session, mode);
                lowered.put(session, mode);
            } else if (another && writers.contains(session)) {
                lowered.put(session, mode);
            }
        }
        lowered.keySet().forEach(session -> file.lowering.merge(session, 1, Integer::sum));
        return new Opened(mode, lowered);
    }

    /** They have answered, or are gone: what an open has lowered them for may go on. */
    public void lowered(long inode, Set<Long> sessions) {
        File file = files.get(inode);
        if (file == null) return;
        for (long session : sessions) {
            file.lowering.computeIfPresent(session, (s, open) -> open == 1 ? null : open - 1);
        }
    }

    public @Nullable Handle find(long handle) {
        return byHandle.get(handle);
    }

    /** The handle is gone; returns it, or null if it was not open. */
    public @Nullable Handle close(long handle) {
        Handle closed = byHandle.remove(handle);
        if (closed == null) return null;
        Set<Long> own = bySession.get(closed.session());
        if (own != null) {
            if (own.remove(handle)) tally.add(closed.session(), -1);
            if (own.isEmpty()) bySession.remove(closed.session());
        }
        File file = files.get(closed.inode());
        if (file != null) {
            file.handles.remove(handle);
            if (file.handles.values().stream().noneMatch(h -> h.session() == closed.session())) {
                file.modes.remove(closed.session());
            }
            if (file.handles.isEmpty()) files.remove(closed.inode());
        }
        return closed;
    }

    /** Everything the session has open. */
    public List<Handle> of(long session) {
        Set<Long> own = bySession.get(session);
        if (own == null) return List.of();
        List<Handle> handles = new ArrayList<>();
        for (long handle : own) {
            Handle found = byHandle.get(handle);
            if (found != null) handles.add(found);
        }
        return handles;
    }

    public boolean isOpen(long inode) {
        return files.get(inode) != null;
    }

    public boolean isWritten(long inode) {
        File file = files.get(inode);
        return file != null && file.handles.values().stream().anyMatch(Handle::write);
    }

    /** Sessions that have it open for writing. */
    public Set<Long> writers(long inode) {
        Set<Long> sessions = new TreeSet<>();
        for (Handle handle : handles(inode)) {
            if (handle.write()) sessions.add(handle.session());
        }
        return sessions;
    }

    /** Another session has the file open for writing, or had while somebody had it open. */
    public boolean haveOthersWritten(long inode, long session) {
        File file = files.get(inode);
        return file != null && file.haveWritten.stream().anyMatch(writer -> writer != session);
    }

    /** The session has committed the file's content, which has that version now. */
    public void committed(long inode, long session, long version) {
        File file = files.get(inode);
        if (file == null) return;
        if (file.last.session() != session) file.lastOfAnother = file.last;
        file.last = new Commit(session, version);
    }

    /**
     * Another session has committed since the inode had that version: what was known then of the
     * size says nothing of what is there now.
     */
    public boolean isOvertaken(long inode, long session, long seen) {
        File file = files.get(inode);
        if (file == null) return false;
        Commit foreign = file.last.session() == session ? file.lastOfAnother : file.last;
        return foreign.version() > seen;
    }

    /** Somebody else than the handle's own has it open. */
    public boolean isOpenBesides(long inode, long handle) {
        File file = files.get(inode);
        return file != null && file.handles.keySet().stream().anyMatch(h -> h != handle);
    }

    public boolean isOpenBy(long session, long inode) {
        return handles(inode).stream().anyMatch(handle -> handle.session() == session);
    }

    public List<Handle> handles(long inode) {
        File file = files.get(inode);
        return file == null ? List.of() : List.copyOf(file.handles.values());
    }

    public DataMode mode(long inode, long session) {
        File file = files.get(inode);
        DataMode mode = file == null ? null : file.modes.get(session);
        return mode == null ? DataMode.READ_SHARED : mode;
    }

    public int size() {
        return byHandle.size();
    }

    public void clear() {
        files.clear();
        byHandle.values().forEach(handle -> tally.add(handle.session(), -1));
        byHandle.clear();
        bySession.clear();
    }
}

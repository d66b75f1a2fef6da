package org.gridfarm.metaserver.server.state;

import org.gridfarm.metaserver.session.Outcomes;
import org.gridfarm.metaserver.session.Tally;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.MutateRequest;
import org.jspecify.annotations.Nullable;

/**
 * What clients may take of this server's memory: asked where something is about to be kept for one,
 * never where a change is applied that was decided before. What gives memory back is never refused.
 * What a session has decided itself counts, and is taken beyond its share. Event thread.
 */
public final class Bounds {
    private final ClientLimits limits;
    private final HeapWatch heap;
    private final Tally sessions;
    private final Tally openFiles;
    private final Tally locks;
    private final Tally unsettled;

    public Bounds(ClientLimits limits, HeapWatch heap) {
        this.limits = limits;
        this.heap = heap;
        this.sessions = new Tally(1, limits.sessionsPerUser());
        this.openFiles = new Tally(limits.openFilesPerSession(), limits.openFilesPerUser());
        this.locks = new Tally(limits.locksPerSession(), limits.locksPerUser());
        this.unsettled = new Tally(limits.unsettledPerSession(), limits.unsettledPerUser());
    }

    public Tally openFiles() {
        return openFiles;
    }

    public Tally locks() {
        return locks;
    }

    /** Answers to commands that are kept until the client says that it has them. */
    public Tally unsettled() {
        return unsettled;
    }

    public int leasesPerSession() {
        return limits.leasesPerSession();
    }

    public HeapWatch heap() {
        return heap;
    }

    // ---- sessions ---------------------------------------------------------------------------

    /** OVERLOADED where the user may not have one more session; null: he may. */
    public @Nullable FarmException refusalOfSession(String user) {
        String why = hasHardlyAnyRoom() ? heap.why() : sessions.userRefusal(user);
        return why == null
                ? null
                : new FarmException(ErrorKind.OVERLOADED, "open session", user, why);
    }

    public void opened(long session, String user) {
        openFiles.opened(session, user);
        locks.opened(session, user);
        unsettled.opened(session, user);
        sessions.opened(session, user);
        if (sessions.held(session) == 0) sessions.add(session, 1);
    }

    public void ended(long session) {
        sessions.add(session, -sessions.held(session));
        sessions.ended(session);
        openFiles.ended(session);
        locks.ended(session);
        unsettled.ended(session);
    }

    // ---- what they keep ---------------------------------------------------------------------

    /**
     * Refuses with NO_SPACE or OVERLOADED a command that would need more.
     *
     * @param answers to former commands, of which this one may say that they have come
     */
    public void requireRoomFor(MutateRequest request, Outcomes answers) {
        String operation = Namespace.operation(request);
        long session = request.getSession();
        if (grows(request)) requireRoomToGrow(operation);
        boolean full = unsettled.refusal(session, 0) != null;
        String why =
                full
                        ? unsettled.refusal(
                                session, answers.settledBy(session, request.getSettled()))
                        : null;
        if (why != null) {
            throw new FarmException(
                    ErrorKind.OVERLOADED,
                    operation,
                    "",
                    "unsettled commands: " + why + "; tell which answers have come");
        }
    }

    /** Refuses with OVERLOADED what would need more, while there is hardly any memory. */
    public void requireRoomForDecided(MutateRequest request) {
        if (grows(request)) requireAnyRoom(Namespace.operation(request));
    }

    /** Whether one more change that the session asks for might be refused for want of room. */
    public boolean hasItsShare(long session) {
        return isFull()
                || unsettled.refusal(session, 0) != null
                || openFiles.refusal(session, 0) != null;
    }

    private void requireRoomToGrow(String operation) {
        HeapRoom.Room room = heap.room();
        if (room == HeapRoom.Room.AMPLE) return;
        ErrorKind kind = room == HeapRoom.Room.DOUBTFUL ? ErrorKind.OVERLOADED : ErrorKind.NO_SPACE;
        throw new FarmException(kind, operation, "", heap.why());
    }

    /** Refuses with TOO_MANY_OPEN, and with OVERLOADED while there is hardly any memory. */
    public void requireRoomToOpen(long session, String operation) {
        requireAnyRoom(operation);
        String why = openFiles.refusal(session, 0);
        if (why != null) {
            throw new FarmException(ErrorKind.TOO_MANY_OPEN, operation, "", "open files: " + why);
        }
    }

    /** Refuses with OVERLOADED while there is hardly any memory. */
    public void requireAnyRoom(String operation) {
        if (hasHardlyAnyRoom()) {
            throw new FarmException(ErrorKind.OVERLOADED, operation, "", heap.why());
        }
    }

    private boolean hasHardlyAnyRoom() {
        return heap.room() == HeapRoom.Room.LAST;
    }

    /** Whether clients may be told to keep what they read, and this server to remember it. */
    public boolean mayGrant() {
        return !isFull();
    }

    private boolean isFull() {
        HeapRoom.Room room = heap.room();
        return room == HeapRoom.Room.FULL || room == HeapRoom.Room.LAST;
    }

    /** Whether it adds something that stays. */
    static boolean grows(MutateRequest request) {
        return switch (request.getOperationCase()) {
            case CREATE, MKDIR, SYMLINK, MKNOD, TEMPORARY, LINK, SET_XATTR -> true;
            case UNLINK,
                    RMDIR,
                    RENAME,
                    SET_ATTRIBUTES,
                    REMOVE_XATTR,
                    SET_POLICY,
                    COMMIT,
                    OPERATION_NOT_SET ->
                    false;
        };
    }
}

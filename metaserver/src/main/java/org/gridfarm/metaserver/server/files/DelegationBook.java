package org.gridfarm.metaserver.server.files;

import org.gridfarm.metaserver.server.state.Caller;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * What this leader has seen of sessions that decide by themselves, for people who look. A later
 * leader begins anew. Event thread.
 */
final class DelegationBook {
    /** What one command of a session came to. */
    enum Result {
        SAME,
        DIFFERENT,
        REFUSED
    }

    /** One session, for as long as something is delegated to it. */
    private static final class Page {
        final long since;
        @Nullable Caller caller; // null: it has not come to this leader yet
        long commands;
        long wrong;

        Page(long since) {
            this.since = since;
        }
    }

    private final Map<Long, Page> pages = new HashMap<>();
    private final long begun;
    private long recalled;
    private long evicted;
    private long shipments;
    private long same;
    private long different;
    private long refused;

    /**
     * @param begun when this leader began, monotonic nanoseconds
     */
    DelegationBook(long begun) {
        this.begun = begun;
    }

    /**
     * @param first it had nothing before
     */
    void gave(Caller caller, boolean first, long now) {
        long session = caller.session();
        if (first) pages.put(session, new Page(now));
        else pages.computeIfAbsent(session, s -> new Page(begun));
        setCaller(caller);
    }

    /** The session speaks to this leader, where something is delegated to it. */
    private void setCaller(Caller caller) {
        Page page = pages.get(caller.session());
        if (page != null) page.caller = caller;
    }

    void recalls(int directories) {
        recalled += directories;
    }

    /**
     * @param has something is delegated to it
     */
    void tookShipment(Caller caller, boolean has) {
        shipments++;
        if (has) pages.computeIfAbsent(caller.session(), s -> new Page(begun));
        setCaller(caller);
    }

    void decided(Caller caller, Result result) {
        Page page = pages.get(caller.session());
        if (page != null) {
            page.commands++;
            if (result != Result.SAME) page.wrong++;
        }
        switch (result) {
            case SAME -> same++;
            case DIFFERENT -> different++;
            case REFUSED -> refused++;
        }
    }

    void evicted(int directories) {
        evicted += directories;
    }

    /** Nothing is delegated to the session any more. */
    void forget(long session) {
        pages.remove(session);
    }

    /** Since when the session has had something; of what a former leader gave, this one's begin. */
    long since(long session) {
        Page page = pages.get(session);
        return page == null ? begun : page.since;
    }

    /** Of the session, while it has something. */
    long commands(long session) {
        Page page = pages.get(session);
        return page == null ? 0 : page.commands;
    }

    /** Of these, those that were refused or came to something else. */
    long wrong(long session) {
        Page page = pages.get(session);
        return page == null ? 0 : page.wrong;
    }

    /** For a line of the log. */
    String name(long session) {
        Page page = pages.get(session);
        Caller caller = page == null ? null : page.caller;
        return "session "
                + Long.toHexString(session)
                + (caller == null
                        ? ", which has not come to this leader,"
                        : " (" + caller.client() + " of " + caller.identity().dn() + ")");
    }

    DelegationFigures figures(int directories, int overdue, long waitMillis) {
        return new DelegationFigures(
                directories,
                overdue,
                waitMillis,
                recalled,
                evicted,
                shipments,
                same,
                different,
                refused);
    }
}

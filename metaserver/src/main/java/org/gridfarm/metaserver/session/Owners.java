package org.gridfarm.metaserver.session;

import org.gridfarm.metaserver.coherence.LongMap;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.SessionImage;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Whose the sessions are that have something in the journal, by the names of their certificates:
 * who knows a session's number cannot go on with it at the next leader. Owned by the event thread.
 */
public final class Owners {
    private final LongMap<String> names = new LongMap<>();

    public void apply(SessionImage image) {
        if (image.getGone()) names.remove(image.getSession());
        else names.put(image.getSession(), image.getDn());
    }

    /** Null: nothing in the journal is under it. */
    public @Nullable String of(long session) {
        return names.get(session);
    }

    public long[] sessions() {
        return names.keys();
    }

    public void clear() {
        names.clear();
    }

    /** As changes, for a cache that starts from nothing. */
    public List<Change> images() {
        List<Change> images = new ArrayList<>();
        names.forEach((session, dn) -> images.add(begins(session, dn)));
        return images;
    }

    public static Change begins(long session, String dn) {
        return Change.newBuilder()
                .setSession(SessionImage.newBuilder().setSession(session).setDn(dn))
                .build();
    }

    public static Change ends(long session) {
        return Change.newBuilder()
                .setSession(SessionImage.newBuilder().setSession(session).setGone(true))
                .build();
    }
}

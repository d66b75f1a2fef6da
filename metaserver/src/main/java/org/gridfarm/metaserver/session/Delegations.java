package org.gridfarm.metaserver.session;

import org.gridfarm.metaserver.coherence.LongMap;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DelegationImage;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The directories that one session alone decides about, with the files in them: what it has changed
 * there the leader may not know yet. Owned by the event thread.
 */
public final class Delegations {
    private final LongMap<Long> holders = new LongMap<>();
    private final Map<Long, Set<Long>> bySession = new HashMap<>();

    public void apply(DelegationImage image) {
        remove(image.getDirectory());
        if (image.getGone()) return;
        holders.put(image.getDirectory(), image.getSession());
        bySession
                .computeIfAbsent(image.getSession(), session -> new LinkedHashSet<>())
                .add(image.getDirectory());
    }

    /** The directory is no more. */
    public void remove(long directory) {
        Long holder = holders.remove(directory);
        if (holder == null) return;
        bySession.computeIfPresent(
                holder,
                (session, its) -> {
                    its.remove(directory);
                    return its.isEmpty() ? null : its;
                });
    }

    /** The session that decides about the directory; 0: the leader does. */
    public long of(long directory) {
        Long holder = holders.get(directory);
        return holder == null ? 0 : holder;
    }

    public int size() {
        return holders.size();
    }

    public Set<Long> sessions() {
        return Set.copyOf(bySession.keySet());
    }

    public int heldCount(long session) {
        return bySession.getOrDefault(session, Set.of()).size();
    }

    /** What the session decides about, in the order of its coming. */
    public List<Long> heldBy(long session) {
        return List.copyOf(bySession.getOrDefault(session, Set.of()));
    }

    public void clear() {
        holders.clear();
        bySession.clear();
    }

    /** As changes, for a cache that starts from nothing. */
    public List<Change> images() {
        List<Change> images = new ArrayList<>();
        holders.forEach((directory, session) -> images.add(begins(directory, session)));
        return images;
    }

    public static Change begins(long directory, long session) {
        return Change.newBuilder()
                .setDelegation(
                        DelegationImage.newBuilder().setDirectory(directory).setSession(session))
                .build();
    }

    /**
     * The same of a directory that others may have known before.
     *
     * @param files in it
     */
    public static Change takesOver(long directory, Collection<Long> files, long session) {
        return Change.newBuilder()
                .setDelegation(
                        DelegationImage.newBuilder()
                                .setDirectory(directory)
                                .setSession(session)
                                .setExisted(true)
                                .addAllFiles(files))
                .build();
    }

    public static Change ends(long directory) {
        return Change.newBuilder()
                .setDelegation(DelegationImage.newBuilder().setDirectory(directory).setGone(true))
                .build();
    }
}

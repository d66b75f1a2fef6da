package org.gridfarm.metaserver.server.state;

import com.google.protobuf.ByteString;

import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Requests name inodes by number, and numbers can be counted up: so whoever is not trusted to have
 * walked the path (a mount is: its kernel did) must be able to walk it now, or have the inode open.
 * Event thread.
 */
public final class Reach {
    private static final int READ = 4;

    /** Files whose known name went while they had others: some 100 bytes each. */
    private static final int FOUND_MAX = 1 << 14;

    /** Who has what open; only the leader knows. */
    public interface Opens {
        boolean isOpenBy(long session, long inode);
    }

    private final FarmState state;
    private final @Nullable Opens opens;

    private record Sighting(long directory, ByteString name) {}

    /** Where such a file was seen last. */
    private final Map<Long, Sighting> seen =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<Long, Sighting> eldest) {
                    return size() > FOUND_MAX;
                }
            };

    /**
     * @param opens null: not known here
     */
    public Reach(FarmState state, @Nullable Opens opens) {
        this.state = state;
        this.opens = opens;
    }

    /** Refuses with ACCESS_DENIED. */
    public void require(Caller caller, Credentials who, long inode, String operation) {
        require(caller, who, inode, _ -> {}, operation);
    }

    /**
     * The same.
     *
     * @param visited told of the directories that the answer depends on
     */
    public void require(
            Caller caller, Credentials who, long inode, LongConsumer visited, String operation) {
        boolean reached =
                caller.speaksForOthers()
                        || !state.exists(inode) // which is told of as always
                        || state.namespace().isReachable(inode, who, seenIn(inode), visited)
                        || isOpenBy(caller, who, inode);
        if (!reached) throw refusal(inode, operation);
    }

    /**
     * The same of what is in the file: no cache tells that of what may be open by somebody else.
     */
    public void requireContent(Caller caller, Credentials who, long inode, String operation) {
        boolean doubtful = opens == null && !caller.speaksForOthers() && state.isOrphan(inode);
        if (doubtful && !owns(who, inode)) throw refusal(inode, operation);
    }

    /** To what has no name nobody walks. A cache tells of it whoever could have it open. */
    private boolean isOpenBy(Caller caller, Credentials who, long inode) {
        if (opens != null) return opens.isOpenBy(caller.session(), inode);
        return state.isOrphan(inode)
                && (owns(who, inode) || state.namespace().may(inode, READ, who));
    }

    private boolean owns(Credentials who, long inode) {
        return state.image(inode).getUid() == who.getUid();
    }

    private static FarmException refusal(long inode, String operation) {
        return new FarmException(
                ErrorKind.ACCESS_DENIED,
                operation,
                Long.toHexString(inode),
                "the caller may not search the way there");
    }

    /** That directory, where the file is still there and nothing else is known of it; else 0. */
    private long seenIn(long inode) {
        Namespace namespace = state.namespace();
        Sighting last = namespace.isLostFromSight(inode) ? seen.get(inode) : null;
        if (last == null || namespace.peek(last.directory, last.name) != inode) return 0;
        return last.directory;
    }

    /** The directory has that name of the inode; a caller who is trusted needs no way there. */
    public void found(Caller caller, long directory, ByteString name, long inode) {
        if (!caller.speaksForOthers() && state.namespace().isLostFromSight(inode)) {
            seen.put(inode, new Sighting(directory, name));
        }
    }
}

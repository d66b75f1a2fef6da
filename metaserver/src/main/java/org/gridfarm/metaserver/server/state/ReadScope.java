package org.gridfarm.metaserver.server.state;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.coherence.Keys;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Collects what one read looked at, to know which batch it has to wait for and what the reader may
 * keep. Owned by the event thread, used for one evaluation.
 */
public final class ReadScope {
    /** What the scope asks of the way of serving. */
    public interface Visibility {
        /** The last batch that touched the key and is not yet visible, 0 if none. */
        long pending(long key);

        /** Lets the session keep the key, if it may. */
        boolean grant(long session, long key);
    }

    /** What sessions decide about by themselves. */
    public interface Delegated {
        /** The directory by which another session decides about the inode; 0: none does. */
        long toOther(long session, long inode);
    }

    private final Visibility visibility;
    private final Delegated others;
    private final long session;
    private final long asker;
    private long blockedBy;
    private Set<Long> delegated = Set.of();

    /**
     * @param asker the session that reads
     * @param session the same where it may be granted what it reads; else 0
     */
    public ReadScope(Visibility visibility, Delegated others, long asker, long session) {
        this.others = others;
        this.visibility = visibility;
        this.asker = asker;
        this.session = session;
    }

    /**
     * Directories that others decide about, and may have changed: to be given back before this is
     * read again. What was read is not to be told.
     */
    public Set<Long> delegated() {
        return delegated;
    }

    public long session() {
        return session;
    }

    /** The batch after which what was read is visible, 0 if it is now. */
    public long blockedBy() {
        return blockedBy;
    }

    public void readsAttributes(long inode) {
        note(Keys.attributes(inode));
        noteDelegated(inode);
    }

    public void readsEntry(long directory, ByteString name) {
        note(Keys.entry(directory, name));
        noteDelegated(directory);
    }

    public void readsListing(long directory) {
        note(Keys.directory(directory));
        noteDelegated(directory);
    }

    private void noteDelegated(long inode) {
        long directory = others.toOther(asker, inode);
        if (directory == 0) return;
        if (delegated.isEmpty()) delegated = new LinkedHashSet<>();
        delegated.add(directory);
    }

    private void note(long key) {
        blockedBy = Math.max(blockedBy, visibility.pending(key));
    }

    /** Nothing is granted while anything about it is under way. */
    public boolean grantAttributes(long inode) {
        return grant(Keys.attributes(inode));
    }

    public boolean grantDirectory(long inode) {
        return grant(Keys.directory(inode));
    }

    private boolean grant(long key) {
        return session != 0
                && delegated.isEmpty()
                && blockedBy == 0
                && visibility.pending(key) == 0
                && visibility.grant(session, key);
    }
}

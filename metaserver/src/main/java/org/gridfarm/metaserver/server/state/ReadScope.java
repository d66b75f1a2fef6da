package org.gridfarm.metaserver.server.state;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.coherence.Keys;

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

    private final Visibility visibility;
    private final long session;
    private long blockedBy;

    public ReadScope(Visibility visibility, long session) {
        this.visibility = visibility;
        this.session = session;
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
    }

    public void readsEntry(long directory, ByteString name) {
        note(Keys.entry(directory, name));
    }

    public void readsListing(long directory) {
        note(Keys.directory(directory));
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
                && blockedBy == 0
                && visibility.pending(key) == 0
                && visibility.grant(session, key);
    }
}

package org.gridfarm.client.core.cache;

import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.wire.Attributes;
import org.jspecify.annotations.Nullable;

/**
 * A change by this client that is under way, and the keys it touches. It ends once, by {@link
 * #done()} after the outcome was recorded, or by {@link #failed()}. Owned by the call that made it.
 */
public final class Change {
    private final LeasedCache cache;
    private final long[] inodes;
    private final long[] directories;
    private final int[] inodeRecalls;
    private final int[] directoryRecalls;
    private final @Nullable Attributes[] outcomes;
    private final boolean[] grants;
    private final @Nullable Name[] names;
    private final @Nullable Object[] targets;
    private boolean firstHeld;
    private boolean decidedHere;

    Change(LeasedCache cache, long[] inodes, long[] directories) {
        this.cache = cache;
        this.inodes = inodes;
        this.directories = directories;
        inodeRecalls = new int[inodes.length];
        directoryRecalls = new int[directories.length];
        outcomes = new Attributes[inodes.length];
        grants = new boolean[inodes.length];
        names = new Name[directories.length];
        targets = new Object[directories.length];
        for (int i = 0; i < inodes.length; i++) {
            inodeRecalls[i] = cache.shard(inodes[i]).changeBegins(KeyStates.attributes(inodes[i]));
        }
        for (int i = 0; i < directories.length; i++) {
            directoryRecalls[i] =
                    cache.shard(directories[i]).changeBegins(KeyStates.content(directories[i]));
        }
    }

    /** Those that it is known to concern. */
    public long[] inodes() {
        return inodes.clone();
    }

    /** Those whose content it concerns. */
    public long[] directories() {
        return directories.clone();
    }

    /**
     * The attributes as the server says they are now; {@code granted}: with a lease of their own.
     * Of an inode not named at the start: ignored.
     */
    public Change attributes(Attributes now, boolean granted) {
        for (int i = 0; i < inodes.length; i++) {
            if (inodes[i] == now.getInode()) {
                outcomes[i] = now;
                grants[i] |= granted;
            }
        }
        return this;
    }

    /**
     * The name leads to the inode now; null: it is absent. {@code slot} is the directory's place in
     * what {@code begin} was given.
     */
    public Change entry(int slot, Name name, @Nullable Long inode) {
        names[slot] = name;
        targets[slot] = inode == null ? LeasedCache.Known.ABSENT : inode;
        return this;
    }

    /** What the name leads to now is not known. */
    public Change unknownEntry(int slot, Name name) {
        names[slot] = name;
        targets[slot] = null;
        return this;
    }

    /** Not by the servers, which are still to hear of it. To be called before the end. */
    public Change decidedHere() {
        decidedHere = true;
        return this;
    }

    /** Where something was made, it was not there before: else the servers decide. */
    public boolean isDecidedHere() {
        return decidedHere;
    }

    public void done() {
        end(true);
    }

    /**
     * After the end: the attributes of the first inode were held throughout. The server that
     * granted them then counts this client as a holder of all that the change made.
     */
    public boolean firstIsHeld() {
        return firstHeld;
    }

    /** Refused, or its outcome is not known: whatever was cached of its keys goes. */
    public void failed() {
        end(false);
    }

    /**
     * Contents first: keys share slots, and attributes of what was decided here count another
     * change of their slot that is under way as one of their own.
     */
    private void end(boolean known) {
        for (int i = 0; i < directories.length; i++) {
            cache.shard(directories[i])
                    .contentChanged(
                            directories[i],
                            known ? directoryRecalls[i] : -1,
                            known ? names[i] : null,
                            known ? targets[i] : null);
        }
        for (int i = 0; i < inodes.length; i++) {
            boolean held =
                    cache.shard(inodes[i])
                            .attributesChanged(
                                    inodes[i],
                                    inodeRecalls[i],
                                    known ? outcomes[i] : null,
                                    grants[i],
                                    decidedHere);
            firstHeld |= i == 0 && held;
        }
    }
}

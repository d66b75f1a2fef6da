package org.gridfarm.client.core;

import org.gridfarm.protocol.attributes.Nanos;
import org.gridfarm.protocol.wire.SetAttributes;
import org.jspecify.annotations.Nullable;

import java.time.Instant;

/**
 * What is to become of a file's attributes; null: it stays as it is. Times that the farm cannot
 * hold ({@link Nanos}) become the nearest.
 *
 * @param mode permission bits, 07777
 */
public record AttributeChange(
        @Nullable Integer mode,
        @Nullable Integer uid,
        @Nullable Integer gid,
        @Nullable Instant accessed,
        @Nullable Instant modified) {
    public static final AttributeChange NONE = new AttributeChange(null, null, null, null, null);

    public AttributeChange withMode(int newMode) {
        return new AttributeChange(newMode, uid, gid, accessed, modified);
    }

    public AttributeChange withOwner(@Nullable Integer newUid, @Nullable Integer newGid) {
        return new AttributeChange(mode, newUid, newGid, accessed, modified);
    }

    public AttributeChange withTimes(@Nullable Instant newAccessed, @Nullable Instant newModified) {
        return new AttributeChange(mode, uid, gid, newAccessed, newModified);
    }

    SetAttributes of(long inode) {
        SetAttributes.Builder change = SetAttributes.newBuilder().setInode(inode);
        if (mode != null) {
            change.setMode(mode);
        }
        if (uid != null) {
            change.setUid(uid);
        }
        if (gid != null) {
            change.setGid(gid);
        }
        if (accessed != null) {
            change.setAtime(Nanos.of(accessed));
        }
        if (modified != null) {
            change.setMtime(Nanos.of(modified));
        }
        return change.build();
    }
}

package org.gridfarm.namespace;

import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.SetAttributes;
import org.gridfarm.protocol.wire.SetXattr;
import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/**
 * What a file gives to whoever runs it, and loses when its content or owner changes: the set-user
 * and set-group bits, which the superuser's writes leave, and its capabilities, which no change
 * leaves (file_remove_privs() and notify_change() of Linux). Whoever could change the content of a
 * program and keep them would act as its owner.
 */
final class Privileges {
    static final byte[] CAPABILITY = "security.capability".getBytes(StandardCharsets.US_ASCII);

    private Privileges() {}

    static boolean hasCapability(Inode inode) {
        Extra extra = inode.extra();
        return extra != null && extra.xattr(CAPABILITY) != null;
    }

    static void dropCapability(Draft draft, Inode inode) {
        if (!inode.isDirectory() && hasCapability(inode)) {
            draft.xattrGone(inode.number, CAPABILITY);
        }
    }

    /** The content changes, by this user. */
    static int modeWhenWritten(Inode inode, Credentials who) {
        return inode.isDirectory() || Access.isSuperuser(who)
                ? inode.mode()
                : Access.withoutSetId(inode.mode(), inode.gid, who);
    }

    /** What that takes away; null where there is nothing to take. */
    static @Nullable Draft whenWritten(Inode inode, Credentials who, long now) {
        int mode = modeWhenWritten(inode, who);
        if (mode == inode.mode() && !hasCapability(inode)) {
            return null;
        }
        Draft draft = new Draft();
        InodeImage.Builder image = draft.of(inode);
        image.setMode(mode).setCtime(now);
        dropCapability(draft, inode);
        return draft;
    }

    static boolean areGivenBy(SetAttributes change) {
        return change.hasMode() && (change.getMode() & (Access.SUID | Access.SGID)) != 0;
    }

    static boolean areGivenBy(SetXattr change) {
        return isCapability(change.getName().toByteArray());
    }

    static boolean isCapability(byte[] name) {
        return java.util.Arrays.equals(name, CAPABILITY);
    }
}

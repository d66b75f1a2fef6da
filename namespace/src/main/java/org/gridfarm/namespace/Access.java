package org.gridfarm.namespace;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.jspecify.annotations.Nullable;

/**
 * Who may do what with an inode, as fs/namei.c and fs/attr.c of Linux decide it. User 0 has all
 * capabilities, nobody else has any.
 */
final class Access {
    static final int READ = 4;
    static final int WRITE = 2;
    static final int EXECUTE = 1;
    static final int SUID = 04000;
    static final int SGID = 02000;
    static final int STICKY = 01000;

    private Access() {}

    /** Whether all of {@code wanted} is allowed. */
    static boolean may(Inode inode, Credentials who, int wanted) {
        int mode = inode.mode();
        if (who.getUid() == 0) {
            return (wanted & EXECUTE) == 0 || inode.isDirectory() || (mode & 0111) != 0;
        }
        if (who.getUid() == inode.uid) {
            return (mode >> 6 & wanted) == wanted;
        }
        Acl acl = inode.acl();
        if (acl != null && (mode & 070) != 0) {
            return acl.permits(who, inode.gid, wanted);
        }
        int bits = inGroup(who, inode.gid) ? mode >> 3 : mode;
        return (bits & wanted) == wanted;
    }

    static void require(
            Inode inode, Credentials who, int wanted, String operation, String subject) {
        if (!may(inode, who, wanted)) {
            throw new FarmException(ErrorKind.ACCESS_DENIED, operation, subject);
        }
    }

    static boolean inGroup(Credentials who, int gid) {
        if (who.getGid() == gid) {
            return true;
        }
        for (int i = 0; i < who.getGroupsCount(); i++) {
            if (who.getGroups(i) == gid) {
                return true;
            }
        }
        return false;
    }

    static boolean isSuperuser(Credentials who) {
        return who.getUid() == 0;
    }

    static boolean owns(Inode inode, Credentials who) {
        return isSuperuser(who) || who.getUid() == inode.uid;
    }

    /**
     * In a sticky directory names are removed only by the owner of the file, of the directory, or
     * user 0.
     */
    static boolean stuck(Inode directory, Inode victim, Credentials who) {
        return (directory.mode() & STICKY) != 0 && !owns(victim, who) && !owns(directory, who);
    }

    /**
     * The mode after somebody changed owner or content: set-id bits fall
     * (setattr_should_drop_suidgid).
     */
    static int withoutSetId(int mode, int gid, @Nullable Credentials who) {
        int kept = mode & ~SUID;
        boolean dropsGroup =
                (mode & 010) != 0 || (who != null && !isSuperuser(who) && !inGroup(who, gid));
        return dropsGroup ? kept & ~SGID : kept;
    }
}

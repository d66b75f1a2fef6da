package org.gridfarm.namespace;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.SetAttributes;

/**
 * chmod, chown, truncate and utimensat, alone or together, by the rules of setattr_prepare() and
 * notify_change() of Linux.
 */
final class AttributeChanges {
    private final Command c;
    private final SetAttributes wish;
    private final Inode inode;
    private final boolean handlePermits;

    private AttributeChanges(Command c, SetAttributes wish) {
        this.c = c;
        this.wish = wish;
        this.inode = c.inode(wish.getInode());
        this.handlePermits =
                wish.getHandle() != 0
                        && c.context.mayWrite(c.session, wish.getHandle(), inode.number);
    }

    static Decision.Accepted set(Command c, SetAttributes wish) {
        AttributeChanges changes = new AttributeChanges(c, wish);
        changes.requireRights();
        if (!changes.isInVain()) {
            changes.draft();
        }
        return c.accept(wish.getInode(), 0);
    }

    private void requireRights() {
        boolean owns = Access.owns(inode, c.who);
        if (wish.hasMode()) {
            if (inode.type() == FileType.SYMLINK) {
                throw c.refusal(ErrorKind.UNSUPPORTED, inode.number);
            }
            if (!owns) {
                throw c.refusal(ErrorKind.NOT_PERMITTED, inode.number);
            }
        }
        if (wish.hasUid() && !Access.isSuperuser(c.who) && !(owns && wish.getUid() == inode.uid)) {
            throw c.refusal(ErrorKind.NOT_PERMITTED, inode.number);
        }
        if (wish.hasGid()
                && !Access.isSuperuser(c.who)
                && !(owns
                        && (wish.getGid() == inode.gid || Access.inGroup(c.who, wish.getGid())))) {
            throw c.refusal(ErrorKind.NOT_PERMITTED, inode.number);
        }
        if (wish.hasSize()) {
            requireSizeRights();
        }
        requireTimeRights(owns);
        if (takesPrivileges() && hasPrivileges() && !owns && !isWriter()) {
            throw c.refusal(ErrorKind.NOT_PERMITTED, inode.number);
        }
    }

    /** Of the kernel's own writes only the session is known. */
    private boolean isWriter() {
        return handlePermits || c.context.isWriting(c.session, inode.number);
    }

    private boolean takesPrivileges() {
        return wish.getClearSuidSgid() || wish.getClearCapability();
    }

    private boolean hasPrivileges() {
        return mode(inode.gid) != inode.mode() || Privileges.hasCapability(inode);
    }

    private void requireSizeRights() {
        if (inode.isDirectory()) {
            throw c.refusal(ErrorKind.IS_A_DIRECTORY, inode.number);
        }
        if (!inode.isRegular()) {
            throw c.refusal(ErrorKind.INVALID, inode.number);
        }
        if (wish.getSize() < 0) {
            throw c.refusal(ErrorKind.FILE_TOO_LARGE, inode.number);
        }
        if (!handlePermits) {
            Access.require(inode, c.who, Access.WRITE, c.operation, Names.text(inode.number));
        }
    }

    /**
     * "Now" for both may be set by who may write; anything else only by the owner. Times that go
     * with written content need no more right.
     */
    private void requireTimeRights(boolean owns) {
        boolean atime = wish.getAtimeNow() || wish.hasAtime();
        boolean mtime = wish.getMtimeNow() || wish.hasMtime();
        if (owns || handlePermits || !(atime || mtime)) {
            return;
        }
        if (wish.getAtimeNow() && wish.getMtimeNow()) {
            Access.require(inode, c.who, Access.WRITE, c.operation, Names.text(inode.number));
        } else if (!(wish.hasSize() && wish.getMtimeNow() && !atime)) {
            throw c.refusal(ErrorKind.NOT_PERMITTED, inode.number);
        }
    }

    /**
     * A writer asks that privileges go with what it is about to write, and there are none. The
     * inode has not changed then; the kernel's own question comes without a handle, and is a
     * chown(2) that names nobody.
     */
    private boolean isInVain() {
        SetAttributes question =
                SetAttributes.newBuilder()
                        .setInode(wish.getInode())
                        .setHandle(wish.getHandle())
                        .setClearSuidSgid(wish.getClearSuidSgid())
                        .setClearCapability(wish.getClearCapability())
                        .build();
        return handlePermits && wish.equals(question) && !hasPrivileges();
    }

    private void draft() {
        InodeImage.Builder image = c.changed(inode);
        int gid = wish.hasGid() ? wish.getGid() : inode.gid;
        if (wish.hasUid()) {
            image.setUid(wish.getUid());
        }
        image.setGid(gid);
        image.setMode(mode(gid));
        if (wish.hasMode()) {
            alignAcl(image.getMode());
        }
        if (wish.hasSize() || wish.hasUid() || wish.hasGid() || takesPrivileges()) {
            Privileges.dropCapability(c.draft, inode);
        }
        if (wish.hasSize()) {
            if (wish.getSize() != inode.size) {
                image.clearDigest();
            }
            image.setSize(wish.getSize()).setMtime(c.now());
            image.clearAllocated();
        }
        if (wish.getAtimeNow()) {
            image.setAtime(c.now());
        } else if (wish.hasAtime()) {
            image.setAtime(wish.getAtime());
        }
        if (wish.getMtimeNow()) {
            image.setMtime(c.now());
        } else if (wish.hasMtime()) {
            image.setMtime(wish.getMtime());
        }
    }

    private int mode(int gid) {
        if (wish.hasMode()) {
            int mode = wish.getMode() & 07777;
            boolean keepsGroup = Access.isSuperuser(c.who) || Access.inGroup(c.who, gid);
            return keepsGroup ? mode : mode & ~Access.SGID;
        }
        boolean chowned = (wish.hasUid() || wish.hasGid()) && !inode.isDirectory();
        boolean truncated = wish.hasSize() && !Access.isSuperuser(c.who);
        return chowned || truncated || (wish.getClearSuidSgid() && !inode.isDirectory())
                ? Access.withoutSetId(inode.mode(), inode.gid, c.who)
                : inode.mode();
    }

    private void alignAcl(int mode) {
        Acl acl = inode.acl();
        if (acl != null) {
            c.draft.xattr(inode.number, Acl.ACCESS, acl.withMode(mode).bytes());
        }
    }
}

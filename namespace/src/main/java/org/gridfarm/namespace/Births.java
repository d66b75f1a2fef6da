package org.gridfarm.namespace;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MakeLink;
import org.gridfarm.protocol.wire.MakeNode;
import org.gridfarm.protocol.wire.MakeSymlink;
import org.gridfarm.protocol.wire.MakeTemporary;
import org.gridfarm.protocol.wire.OpenRequest;

/** What gives something a name: create, mkdir, symlink, mknod, link; and files without a name. */
final class Births {
    private Births() {}

    static Decision.Accepted create(Command c, CreateFile create) {
        Inode directory = c.searchable(create.getParent());
        byte[] name = Names.searched(create.getName(), c.operation);
        Inode found = c.state.entryOf(directory, name);
        if (found == null) {
            return make(
                    c,
                    directory,
                    name,
                    FileType.REGULAR,
                    create.getMode(),
                    create.getUmask(),
                    0,
                    ByteString.EMPTY);
        }
        if (create.getExclusive()) {
            throw c.refusal(ErrorKind.ALREADY_EXISTS, name);
        }
        if (found.type() == FileType.SYMLINK) {
            throw c.refusal(
                    ErrorKind.LINK_LOOP, name); // as O_NOFOLLOW: the asker resolves links first
        }
        if (create.hasOpen()) {
            requireOpenable(c, found, create.getOpen());
        }
        return c.accept(found.number, directory.number);
    }

    /** As open(2) asks: refuses with IS_A_DIRECTORY, ACCESS_DENIED. */
    static void requireOpenable(Command c, Inode inode, OpenRequest open) {
        boolean writes = open.getWrite() || open.getTruncate();
        if (writes && inode.isDirectory()) {
            throw c.refusal(ErrorKind.IS_A_DIRECTORY, inode.number);
        }
        int wanted =
                (open.getRead() ? Access.READ : 0)
                        | (writes ? Access.WRITE : 0)
                        | (open.getExecute() ? Access.EXECUTE : 0);
        Access.require(inode, c.who, wanted, c.operation, Names.text(inode.number));
    }

    static Decision.Accepted makeDirectory(Command c, MakeDirectory mkdir) {
        Inode directory = c.searchable(mkdir.getParent());
        byte[] name = unusedName(c, directory, mkdir.getName());
        return make(
                c,
                directory,
                name,
                FileType.DIRECTORY,
                mkdir.getMode(),
                mkdir.getUmask(),
                0,
                ByteString.EMPTY);
    }

    static Decision.Accepted makeSymlink(Command c, MakeSymlink symlink) {
        Inode directory = c.searchable(symlink.getParent());
        byte[] name = unusedName(c, directory, symlink.getName());
        if (symlink.getTarget().isEmpty()) {
            throw c.refusal(ErrorKind.NOT_FOUND, name);
        }
        if (symlink.getTarget().size() > Limits.PATH_BYTES_MAX) {
            throw c.refusal(ErrorKind.NAME_TOO_LONG, name);
        }
        return make(c, directory, name, FileType.SYMLINK, 0777, 0, 0, symlink.getTarget());
    }

    static Decision.Accepted makeNode(Command c, MakeNode mknod) {
        Inode directory = c.searchable(mknod.getParent());
        byte[] name = unusedName(c, directory, mknod.getName());
        switch (mknod.getType()) {
            case REGULAR, FIFO, SOCKET -> {}
            case CHARACTER_DEVICE, BLOCK_DEVICE -> {
                c.requireWritable(directory, name);
                if (!Access.isSuperuser(c.who)) {
                    throw c.refusal(ErrorKind.NOT_PERMITTED, name);
                }
            }
            default -> throw c.refusal(ErrorKind.INVALID, name);
        }
        return make(
                c,
                directory,
                name,
                mknod.getType(),
                mknod.getMode(),
                mknod.getUmask(),
                mknod.getRdev(),
                ByteString.EMPTY);
    }

    static Decision.Accepted makeTemporary(Command c, MakeTemporary temporary) {
        Inode directory = c.searchable(temporary.getDirectory());
        c.requireWritable(directory, new byte[0]);
        InodeImage.Builder image =
                newborn(c, directory, FileType.REGULAR, temporary.getMode(), temporary.getUmask())
                        .setNlink(0);
        c.draft.orphan(image.getInode()); // with a parent: it may still be given a name
        return new Decision.Accepted(c.draft.changes(), image.getInode(), 0, 0, true);
    }

    static Decision.Accepted link(Command c, MakeLink link) {
        Inode directory = c.searchable(link.getParent());
        Inode inode = c.inode(link.getInode());
        byte[] name = unusedName(c, directory, link.getName());
        c.requireWritable(directory, name);
        if (inode.isDirectory()) {
            throw c.refusal(ErrorKind.NOT_PERMITTED, name);
        }
        if (inode.nlink == 0 && inode.parent == 0) {
            throw c.refusal(ErrorKind.NOT_FOUND, name); // it had names and lost them
        }
        if (inode.nlink >= Limits.HARD_LINKS_MAX) {
            throw c.refusal(ErrorKind.TOO_MANY_LINKS, name);
        }
        c.changed(inode).setNlink(inode.nlink + 1).setParent(directory.number);
        if (inode.isOrphan()) {
            c.draft.orphanGone(inode.number);
        }
        c.modified(directory);
        c.draft.entry(
                directory.number,
                name,
                inode.number,
                inode.type(),
                directory.entries().nextCookie());
        return c.accept(inode.number, directory.number);
    }

    /** What hides a name of a layer below, see overlayfs: anybody may make one by renaming. */
    static long whiteout(Command c, Inode directory) {
        return newborn(c, directory, FileType.CHARACTER_DEVICE, 0, 0).getInode();
    }

    private static byte[] unusedName(Command c, Inode directory, ByteString wanted) {
        byte[] name = Names.fresh(wanted, c.operation);
        if (c.state.entryOf(directory, name) != null) {
            throw c.refusal(ErrorKind.ALREADY_EXISTS, name);
        }
        return name;
    }

    private static Decision.Accepted make(
            Command c,
            Inode directory,
            byte[] name,
            FileType type,
            int mode,
            int umask,
            int rdev,
            ByteString target) {
        c.requireWritable(directory, name);
        InodeImage.Builder image =
                newborn(c, directory, type, mode, umask)
                        .setRdev(rdev)
                        .setTarget(target)
                        .setSize(target.size());
        InodeImage.Builder parent = c.modified(directory);
        if (type == FileType.DIRECTORY) {
            image.setNlink(2);
            parent.setNlink(directory.nlink + 1);
        }
        c.draft.entry(
                directory.number, name, image.getInode(), type, directory.entries().nextCookie());
        return new Decision.Accepted(
                c.draft.changes(), image.getInode(), directory.number, 0, true);
    }

    /**
     * Owner, group, mode, ACLs and policy as inode_init_owner() and posix_acl_create() of Linux
     * give them.
     */
    private static InodeImage.Builder newborn(
            Command c, Inode directory, FileType type, int wantedMode, int umask) {
        long number = c.context.nextInode();
        int mode = wantedMode & 07777;
        int gid = c.who.getGid();
        if ((directory.mode() & Access.SGID) != 0) {
            gid = directory.gid;
            if (type == FileType.DIRECTORY) {
                mode |= Access.SGID;
            }
        }
        if (type != FileType.DIRECTORY
                && (mode & (Access.SGID | 010)) == (Access.SGID | 010)
                && !Access.isSuperuser(c.who)
                && !Access.inGroup(c.who, gid)) {
            mode &= ~Access.SGID;
        }
        Acl inherited = type == FileType.SYMLINK ? null : directory.defaultAcl();
        if (inherited == null) {
            mode &= ~(umask & 0777);
        } else {
            Acl access = inherited.forNew(mode);
            mode = (mode & ~0777) | access.mode();
            if (!access.isMinimal()) {
                c.draft.xattr(number, Acl.ACCESS, access.bytes());
            }
            if (type == FileType.DIRECTORY) {
                c.draft.xattr(number, Acl.DEFAULT, inherited.bytes());
            }
        }
        InodeImage.Builder image =
                InodeImage.newBuilder()
                        .setInode(number)
                        .setType(type)
                        .setMode(mode)
                        .setUid(c.who.getUid())
                        .setGid(gid)
                        .setNlink(1)
                        .setAtime(c.now())
                        .setMtime(c.now())
                        .setCtime(c.now())
                        .setBtime(c.now())
                        .setParent(directory.number)
                        .setGeneration(1)
                        .setVersion(1);
        if (type == FileType.REGULAR || type == FileType.DIRECTORY) {
            Policy policy = directory.policy();
            image.setReplicas(policy.replicas())
                    .setGroups(policy.groups())
                    .setStripeCount(policy.stripeCount())
                    .setStripeUnit(policy.stripeUnit());
        }
        c.draft.born(image);
        return image;
    }
}

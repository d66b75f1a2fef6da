package org.gridfarm.namespace;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.Remove;

import java.util.Arrays;

/** What takes a name away: unlink and rmdir, and the target that a rename replaces. */
final class Removals {
    private Removals() {}

    static Decision.Accepted unlink(Command c, Remove remove) {
        Inode directory = c.searchable(remove.getParent());
        byte[] name = removable(c, remove.getName());
        Inode victim = found(c, directory, name);
        requireRemovable(c, directory, name, victim);
        if (victim.isDirectory()) {
            throw c.refusal(ErrorKind.IS_A_DIRECTORY, name);
        }
        c.modified(directory);
        c.draft.entryGone(directory.number, name);
        loseName(c, victim, directory, name);
        return c.accept(victim.number, directory.number);
    }

    static Decision.Accepted removeDirectory(Command c, Remove remove) {
        Inode directory = c.searchable(remove.getParent());
        byte[] name = Names.searched(remove.getName(), c.operation);
        if (Names.isDot(name)) {
            throw c.refusal(ErrorKind.INVALID, name);
        }
        if (Names.isDotDot(name)) {
            throw c.refusal(ErrorKind.NOT_EMPTY, name);
        }
        Inode victim = found(c, directory, name);
        requireRemovable(c, directory, name, victim);
        if (!victim.isDirectory()) {
            throw c.refusal(ErrorKind.NOT_A_DIRECTORY, name);
        }
        if (!victim.entries().isEmpty()) {
            throw c.refusal(ErrorKind.NOT_EMPTY, name);
        }
        c.modified(directory).setNlink(directory.nlink - 1);
        c.draft.entryGone(directory.number, name);
        c.draft.gone(victim.number);
        return c.accept(victim.number, directory.number);
    }

    static Inode found(Command c, Inode directory, byte[] name) {
        Inode found = c.state.entryOf(directory, name);
        if (found == null) {
            throw c.refusal(ErrorKind.NOT_FOUND, name);
        }
        return found;
    }

    /** The rights part of may_delete(). */
    static void requireRemovable(Command c, Inode directory, byte[] name, Inode victim) {
        c.requireWritable(directory, name);
        if (Access.stuck(directory, victim, c.who)) {
            throw c.refusal(ErrorKind.NOT_PERMITTED, name);
        }
    }

    /** One name less; without any, the inode goes, or stays while it is open. */
    static void loseName(Command c, Inode inode, Inode directory, byte[] name) {
        if (inode.nlink > 1) {
            InodeImage.Builder image = c.changed(inode).setNlink(inode.nlink - 1);
            if (inode.parent == directory.number && !hasOtherName(directory, inode, name)) {
                image.setParent(
                        0); // its other names are somewhere; the next link or rename tells where
            }
        } else if (c.context.isOpen(inode.number)) {
            InodeImage.Builder image = c.changed(inode).setNlink(0).setParent(0);
            c.draft.orphan(image.getInode());
        } else {
            c.draft.gone(inode.number);
        }
    }

    /** Walks the directory only where its names were never counted. */
    private static boolean hasOtherName(Inode directory, Inode inode, byte[] name) {
        int names = inode.namesIn(directory.number);
        if (names >= 0) {
            return names > 1;
        }
        Entries entries = directory.entries();
        for (int i = 0; i < entries.end(); i++) {
            Entry entry = entries.at(i);
            if (entry != null && entry.inode == inode && !Arrays.equals(entry.name, name)) {
                return true;
            }
        }
        return false;
    }

    private static byte[] removable(Command c, ByteString wanted) {
        byte[] name = Names.searched(wanted, c.operation);
        if (Names.isDot(name) || Names.isDotDot(name)) {
            throw c.refusal(ErrorKind.IS_A_DIRECTORY, name);
        }
        return name;
    }
}

package org.gridfarm.namespace;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.Rename;
import org.jspecify.annotations.Nullable;

/**
 * rename(2) and renameat2(2), in the order of checks of do_renameat2() and vfs_rename() of Linux.
 */
final class Renames {
    private Renames() {}

    static Decision.Accepted rename(Command c, Rename rename) {
        if (rename.getExchange() && (rename.getNoReplace() || rename.getWhiteout())) {
            throw new FarmException(
                    ErrorKind.INVALID, c.operation, "", "exchange together with another flag");
        }
        Inode from = c.searchable(rename.getParent());
        Inode to = c.searchable(rename.getToParent());
        byte[] name = ordinary(c, rename.getName());
        byte[] toName = ordinary(c, rename.getToName());
        Inode source = Removals.found(c, from, name);
        Inode target = c.state.entryOf(to, toName);
        requireTarget(c, rename, target, toName);
        requireNoLoop(c, rename, source, target, from, to, toName);
        if (source == target) {
            return accepted(
                    c, source, from, to); // two names of one file: POSIX asks that nothing happens
        }
        requireRights(c, rename, source, target, from, to, name, toName);
        if (rename.getExchange() && target != null) {
            exchange(c, source, target, from, to, name, toName);
        } else {
            move(c, source, target, from, to, name, toName);
            if (rename.getWhiteout()) {
                long whiteout = Births.whiteout(c, from);
                // The name stays where it is in its listing; only what it means changes.
                c.draft.entry(
                        from.number,
                        name,
                        whiteout,
                        FileType.CHARACTER_DEVICE,
                        cookieOf(from, name));
            }
        }
        return accepted(c, source, from, to);
    }

    private static Decision.Accepted accepted(Command c, Inode source, Inode from, Inode to) {
        return new Decision.Accepted(
                c.draft.changes(), source.number, from.number, from == to ? 0 : to.number, false);
    }

    private static byte[] ordinary(Command c, ByteString wanted) {
        byte[] name = Names.searched(wanted, c.operation);
        if (Names.isDot(name) || Names.isDotDot(name)) {
            throw c.refusal(ErrorKind.BUSY, name);
        }
        return name;
    }

    private static void requireTarget(
            Command c, Rename rename, @Nullable Inode target, byte[] toName) {
        if (rename.getNoReplace() && target != null) {
            throw c.refusal(ErrorKind.ALREADY_EXISTS, toName);
        }
        if (rename.getExchange() && target == null) {
            throw c.refusal(ErrorKind.NOT_FOUND, toName);
        }
    }

    /**
     * No directory may come to lie in itself, and none that holds the source can be replaced by it.
     */
    private static void requireNoLoop(
            Command c,
            Rename rename,
            Inode source,
            @Nullable Inode target,
            Inode from,
            Inode to,
            byte[] toName) {
        if (source.isDirectory() && c.state.isWithin(to, source)) {
            throw c.refusal(ErrorKind.INVALID, toName);
        }
        if (target != null && target.isDirectory() && c.state.isWithin(from, target)) {
            throw c.refusal(rename.getExchange() ? ErrorKind.INVALID : ErrorKind.NOT_EMPTY, toName);
        }
    }

    private static void requireRights(
            Command c,
            Rename rename,
            Inode source,
            @Nullable Inode target,
            Inode from,
            Inode to,
            byte[] name,
            byte[] toName) {
        Removals.requireRemovable(c, from, name, source);
        c.requireWritable(to, toName);
        if (target != null) {
            Removals.requireRemovable(c, to, toName, target);
            if (!rename.getExchange()) {
                requireSameKind(c, source, target, toName);
            }
        }
        if (from != to) {
            // ".." of a directory that moves is changed, too
            requireDirectoryWritable(c, source, name);
            if (rename.getExchange() && target != null) {
                requireDirectoryWritable(c, target, toName);
            }
        }
        if (!rename.getExchange()
                && target != null
                && target.isDirectory()
                && !target.entries().isEmpty()) {
            throw c.refusal(ErrorKind.NOT_EMPTY, toName);
        }
    }

    private static void requireSameKind(Command c, Inode source, Inode target, byte[] toName) {
        if (source.isDirectory() && !target.isDirectory()) {
            throw c.refusal(ErrorKind.NOT_A_DIRECTORY, toName);
        }
        if (!source.isDirectory() && target.isDirectory()) {
            throw c.refusal(ErrorKind.IS_A_DIRECTORY, toName);
        }
    }

    private static void requireDirectoryWritable(Command c, Inode inode, byte[] name) {
        if (inode.isDirectory()) {
            Access.require(inode, c.who, Access.WRITE, c.operation, Names.text(name));
        }
    }

    private static void move(
            Command c,
            Inode source,
            @Nullable Inode target,
            Inode from,
            Inode to,
            byte[] name,
            byte[] toName) {
        InodeImage.Builder left = c.modified(from);
        InodeImage.Builder entered = c.modified(to);
        c.changed(source).setParent(to.number);
        if (source.isDirectory()) {
            left.setNlink(left.getNlink() - 1);
            entered.setNlink(entered.getNlink() + 1);
        }
        c.draft.entryGone(from.number, name);
        long cookie = to.entries().nextCookie();
        if (target != null) {
            Entry replaced = to.entries().get(toName);
            cookie = replaced == null ? cookie : replaced.cookie;
            if (target.isDirectory()) {
                entered.setNlink(entered.getNlink() - 1);
                c.draft.gone(target.number);
            } else {
                Removals.loseName(c, target, to, toName);
            }
        }
        c.draft.entry(to.number, toName, source.number, source.type(), cookie);
    }

    private static void exchange(
            Command c,
            Inode source,
            Inode target,
            Inode from,
            Inode to,
            byte[] name,
            byte[] toName) {
        InodeImage.Builder left = c.modified(from);
        InodeImage.Builder entered = c.modified(to);
        c.changed(source).setParent(to.number);
        c.changed(target).setParent(from.number);
        if (from != to && source.isDirectory() != target.isDirectory()) {
            int moved = source.isDirectory() ? 1 : -1;
            left.setNlink(left.getNlink() - moved);
            entered.setNlink(entered.getNlink() + moved);
        }
        // The names stay where they are in their listings; only what they mean changes.
        c.draft.entry(from.number, name, target.number, target.type(), cookieOf(from, name));
        c.draft.entry(to.number, toName, source.number, source.type(), cookieOf(to, toName));
    }

    private static long cookieOf(Inode directory, byte[] name) {
        Entry entry = directory.entries().get(name);
        if (entry == null) {
            throw new IllegalStateException("the name was found before");
        }
        return entry.cookie;
    }
}

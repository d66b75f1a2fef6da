package org.gridfarm.namespace;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.wire.Credentials;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * What a namespace should do, written as plainly as possible and apart from it: maps of maps, mode
 * bits without ACLs. Methods return the refusal, or null.
 */
final class NaiveTree {
    static final class Node {
        long inode;
        char type; // d, f or l
        int mode;
        int uid;
        int gid;
        int nlink;
        long size;
        long atime;
        long mtime;
        long ctime;
        final TreeMap<String, Node> children = new TreeMap<>();
        @Nullable Node up;
    }

    final Map<Long, Node> nodes = new HashMap<>();

    NaiveTree(long now) {
        Node root = make(Namespace.ROOT, 'd', 0755, Farm.ROOT, now);
        root.nlink = 2;
        root.up = root;
    }

    private Node make(long inode, char type, int mode, Credentials who, long now) {
        Node node = new Node();
        node.inode = inode;
        node.type = type;
        node.mode = mode;
        node.uid = who.getUid();
        node.gid = who.getGid();
        node.nlink = 1;
        node.atime = now;
        node.mtime = now;
        node.ctime = now;
        nodes.put(inode, node);
        return node;
    }

    static boolean may(Node node, Credentials who, int want) {
        if (who.getUid() == 0) {
            return want != 1 || node.type == 'd' || (node.mode & 0111) != 0;
        }
        int shift = who.getUid() == node.uid ? 6 : member(who, node.gid) ? 3 : 0;
        return ((node.mode >> shift) & want) == want;
    }

    static boolean member(Credentials who, int gid) {
        return who.getGid() == gid || who.getGroupsList().contains(gid);
    }

    private static boolean owner(Node node, Credentials who) {
        return who.getUid() == 0 || who.getUid() == node.uid;
    }

    @Nullable ErrorKind add(
            Node dir,
            String name,
            char type,
            int mode,
            int umask,
            long inode,
            Credentials who,
            long now) {
        if (dir.type != 'd') {
            return ErrorKind.NOT_A_DIRECTORY;
        }
        if (!may(dir, who, 1)) {
            return ErrorKind.ACCESS_DENIED;
        }
        if (dir.children.containsKey(name)) {
            return ErrorKind.ALREADY_EXISTS;
        }
        if (!may(dir, who, 2)) {
            return ErrorKind.ACCESS_DENIED;
        }
        Node node = make(inode, type, type == 'l' ? 0777 : mode & ~umask, who, now);
        if ((dir.mode & 02000) != 0) {
            node.gid = dir.gid;
            if (type == 'd') {
                node.mode |= 02000;
            }
        }
        if (type == 'f'
                && (node.mode & 02010) == 02010
                && who.getUid() != 0
                && !member(who, node.gid)) {
            node.mode &= ~02000;
        }
        if (type == 'd') {
            node.nlink = 2;
            node.up = dir;
            dir.nlink++;
        }
        dir.children.put(name, node);
        touch(dir, now);
        return null;
    }

    private static void touch(Node dir, long now) {
        dir.mtime = now;
        dir.ctime = now;
    }

    @Nullable ErrorKind link(Node node, Node dir, String name, Credentials who, long now) {
        if (dir.type != 'd') {
            return ErrorKind.NOT_A_DIRECTORY;
        }
        if (!may(dir, who, 1)) {
            return ErrorKind.ACCESS_DENIED;
        }
        if (dir.children.containsKey(name)) {
            return ErrorKind.ALREADY_EXISTS;
        }
        if (!may(dir, who, 2)) {
            return ErrorKind.ACCESS_DENIED;
        }
        if (node.type == 'd') {
            return ErrorKind.NOT_PERMITTED;
        }
        node.nlink++;
        node.ctime = now;
        dir.children.put(name, node);
        touch(dir, now);
        return null;
    }

    private static @Nullable ErrorKind removable(Node dir, Node victim, Credentials who) {
        if (!may(dir, who, 2)) {
            return ErrorKind.ACCESS_DENIED;
        }
        return (dir.mode & 01000) != 0 && !owner(dir, who) && !owner(victim, who)
                ? ErrorKind.NOT_PERMITTED
                : null;
    }

    @Nullable ErrorKind remove(
            Node dir, String name, boolean directory, Credentials who, long now) {
        if (dir.type != 'd') {
            return ErrorKind.NOT_A_DIRECTORY;
        }
        if (!may(dir, who, 1)) {
            return ErrorKind.ACCESS_DENIED;
        }
        Node victim = dir.children.get(name);
        if (victim == null) {
            return ErrorKind.NOT_FOUND;
        }
        ErrorKind refused = removable(dir, victim, who);
        if (refused != null) {
            return refused;
        }
        if (directory && victim.type != 'd') {
            return ErrorKind.NOT_A_DIRECTORY;
        }
        if (!directory && victim.type == 'd') {
            return ErrorKind.IS_A_DIRECTORY;
        }
        if (!victim.children.isEmpty()) {
            return ErrorKind.NOT_EMPTY;
        }
        drop(dir, name, victim, now);
        touch(dir, now);
        return null;
    }

    private void drop(Node dir, String name, Node victim, long now) {
        dir.children.remove(name);
        if (victim.type == 'd') {
            dir.nlink--;
            nodes.remove(victim.inode);
        } else {
            victim.nlink--;
            victim.ctime = now;
            if (victim.nlink == 0) {
                nodes.remove(victim.inode);
            }
        }
    }

    private static boolean below(Node dir, Node above) {
        for (Node at = dir; at != null; at = at.up == at ? null : at.up) {
            if (at == above) {
                return true;
            }
        }
        return false;
    }

    @Nullable ErrorKind rename(
            Node from,
            String name,
            Node to,
            String toName,
            boolean noReplace,
            boolean exchange,
            @Nullable LongSupplier whiteout,
            Credentials who,
            long now) {
        if (from.type != 'd') {
            return ErrorKind.NOT_A_DIRECTORY;
        }
        if (!may(from, who, 1)) {
            return ErrorKind.ACCESS_DENIED;
        }
        if (to.type != 'd') {
            return ErrorKind.NOT_A_DIRECTORY;
        }
        if (!may(to, who, 1)) {
            return ErrorKind.ACCESS_DENIED;
        }
        Node source = from.children.get(name);
        Node target = to.children.get(toName);
        if (source == null) {
            return ErrorKind.NOT_FOUND;
        }
        if (noReplace && target != null) {
            return ErrorKind.ALREADY_EXISTS;
        }
        if (exchange && target == null) {
            return ErrorKind.NOT_FOUND;
        }
        if (source.type == 'd' && below(to, source)) {
            return ErrorKind.INVALID;
        }
        if (target != null && target.type == 'd' && below(from, target)) {
            return exchange ? ErrorKind.INVALID : ErrorKind.NOT_EMPTY;
        }
        if (source == target) {
            return null;
        }
        ErrorKind refused = removable(from, source, who);
        if (refused == null) {
            refused =
                    target == null
                            ? (may(to, who, 2) ? null : ErrorKind.ACCESS_DENIED)
                            : removable(to, target, who);
        }
        if (refused == null
                && target != null
                && !exchange
                && (source.type == 'd') != (target.type == 'd')) {
            refused = source.type == 'd' ? ErrorKind.NOT_A_DIRECTORY : ErrorKind.IS_A_DIRECTORY;
        }
        if (refused == null && from != to && source.type == 'd' && !may(source, who, 2)) {
            refused = ErrorKind.ACCESS_DENIED;
        }
        if (refused == null
                && from != to
                && exchange
                && target != null
                && target.type == 'd'
                && !may(target, who, 2)) {
            refused = ErrorKind.ACCESS_DENIED;
        }
        if (refused == null && target != null && !exchange && !target.children.isEmpty()) {
            refused = ErrorKind.NOT_EMPTY;
        }
        if (refused != null) {
            return refused;
        }
        if (target != null && !exchange) {
            drop(to, toName, target, now);
        }
        place(from, name, exchange ? target : null, source, now);
        place(to, toName, source, exchange ? target : null, now);
        if (whiteout != null) {
            Node made = make(whiteout.getAsLong(), 'c', 0, who, now);
            made.gid = (from.mode & 02000) != 0 ? from.gid : made.gid;
            from.children.put(name, made);
        }
        touch(from, now);
        touch(to, now);
        return null;
    }

    /** The name now means {@code in}, no longer {@code out}. */
    private static void place(
            Node dir, String name, @Nullable Node in, @Nullable Node out, long now) {
        if (out != null && out.type == 'd') {
            dir.nlink--;
        }
        if (in == null) {
            dir.children.remove(name);
            return;
        }
        dir.children.put(name, in);
        in.ctime = now;
        if (in.type == 'd') {
            dir.nlink++;
            in.up = dir;
        }
    }

    @Nullable ErrorKind chmod(Node node, int mode, Credentials who, long now) {
        if (node.type == 'l') {
            return ErrorKind.UNSUPPORTED;
        }
        if (!owner(node, who)) {
            return ErrorKind.NOT_PERMITTED;
        }
        node.mode = who.getUid() == 0 || member(who, node.gid) ? mode : mode & ~02000;
        node.ctime = now;
        return null;
    }

    @Nullable ErrorKind chown(Node node, int uid, int gid, Credentials who, long now) {
        boolean root = who.getUid() == 0;
        if (!root && (uid != node.uid || who.getUid() != node.uid)) {
            return ErrorKind.NOT_PERMITTED;
        }
        if (!root && gid != node.gid && !member(who, gid)) {
            return ErrorKind.NOT_PERMITTED;
        }
        if (node.type != 'd') {
            boolean dropsGroup = (node.mode & 010) != 0 || (!root && !member(who, node.gid));
            node.mode &= dropsGroup ? ~06000 : ~04000;
        }
        node.uid = uid;
        node.gid = gid;
        node.ctime = now;
        return null;
    }

    @Nullable ErrorKind touchNow(Node node, Credentials who, long now) {
        if (!owner(node, who) && !may(node, who, 2)) {
            return ErrorKind.ACCESS_DENIED;
        }
        node.atime = now;
        node.mtime = now;
        node.ctime = now;
        return null;
    }

    @Nullable ErrorKind truncate(Node node, long size, Credentials who, long now) {
        if (node.type == 'd') {
            return ErrorKind.IS_A_DIRECTORY;
        }
        if (node.type == 'l') {
            return ErrorKind.INVALID;
        }
        if (!may(node, who, 2)) {
            return ErrorKind.ACCESS_DENIED;
        }
        if (who.getUid() != 0) {
            boolean dropsGroup = (node.mode & 010) != 0 || !member(who, node.gid);
            node.mode &= dropsGroup ? ~06000 : ~04000;
        }
        node.size = size;
        node.mtime = now;
        node.ctime = now;
        return null;
    }
}

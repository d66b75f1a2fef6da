package org.gridfarm.client.mount.fuse.memory;

import org.gridfarm.client.mount.fuse.Attributes;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.RawName;
import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// One inode. Guarded by the lock of the file system.
final class MemoryNode {

    /// @param position of the entry for readdir: grows, is never used again
    record Entry(long position, RawName name, MemoryNode node) {}

    final long number;
    int mode;
    int uid;
    int gid;
    int links;
    int device;
    long atime; // nanoseconds
    long mtime;
    long ctime;
    byte[] target = {};
    final Content content = new Content();
    final Map<RawName, byte[]> xattrs =
            new TreeMap<>((a, b) -> Arrays.compare(a.bytes(), b.bytes()));
    final Locks records = new Locks();
    final Locks flocks = new Locks();

    @Nullable MemoryNode parent; // of a directory
    final Map<RawName, Entry> children = new HashMap<>();
    final TreeMap<Long, Entry> positions = new TreeMap<>();
    private long nextPosition = 3; // 1 and 2 are "." and ".."

    MemoryNode(long number, int mode, int uid, int gid, long now) {
        this.number = number;
        this.mode = mode;
        this.uid = uid;
        this.gid = gid;
        this.atime = now;
        this.mtime = now;
        this.ctime = now;
        this.links = directory() ? 2 : 1;
    }

    boolean directory() {
        return (mode & Flags.FORMAT_MASK) == Flags.DIRECTORY;
    }

    boolean regular() {
        return (mode & Flags.FORMAT_MASK) == Flags.REGULAR;
    }

    @Nullable MemoryNode child(RawName name) {
        Entry entry = children.get(name);
        return entry == null ? null : entry.node;
    }

    void add(RawName name, MemoryNode child) {
        Entry entry = new Entry(nextPosition++, name, child);
        children.put(name, entry);
        positions.put(entry.position, entry);
        if (child.directory()) {
            child.parent = this;
            links++;
        }
    }

    void remove(RawName name) {
        Entry entry = children.remove(name);
        if (entry != null) {
            positions.remove(entry.position);
            if (entry.node.directory()) {
                links--;
            }
        }
    }

    void touch(long now) {
        mtime = now;
        ctime = now;
    }

    /// Drops set-user, and set-group where it is no mandatory-locking mark.
    void killSuidGid() {
        if (!directory()) {
            mode &= ~Flags.SET_UID;
            if ((mode & Flags.GROUP_EXECUTE) != 0) {
                mode &= ~Flags.SET_GID;
            }
        }
        xattrs.remove(MemoryOperations.CAPABILITY);
    }

    void describe(Attributes to) {
        to.inode = number;
        to.size = directory() ? 4096 : target.length > 0 ? target.length : content.size;
        to.blocks = (content.allocated() + 511) / 512;
        to.atime = Math.floorDiv(atime, 1_000_000_000L);
        to.mtime = Math.floorDiv(mtime, 1_000_000_000L);
        to.ctime = Math.floorDiv(ctime, 1_000_000_000L);
        to.atimeNanos = (int) Math.floorMod(atime, 1_000_000_000L);
        to.mtimeNanos = (int) Math.floorMod(mtime, 1_000_000_000L);
        to.ctimeNanos = (int) Math.floorMod(ctime, 1_000_000_000L);
        to.mode = mode;
        to.links = links;
        to.uid = uid;
        to.gid = gid;
        to.device = device;
        to.blockBytes = 4096;
    }
}

package org.gridfarm.client.mount;

import org.gridfarm.client.mount.fuse.Attributes;
import org.gridfarm.client.mount.fuse.AttributesReply;
import org.gridfarm.client.mount.fuse.DirectoryReply;
import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.OffsetReply;
import org.gridfarm.client.mount.fuse.OpenMode;
import org.gridfarm.client.mount.fuse.OpenReply;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.ReadReply;
import org.gridfarm.client.mount.fuse.Request;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The directory {@code .gf} in the root: what the mount tells about itself, as files that can be
 * read and nothing else. It answers to its name and is listed nowhere. Their node numbers are of a
 * range that no inode of the farm has.
 */
final class ControlFiles {
    private static final RawName NAME = RawName.of(".gf");
    private static final long DIRECTORY = 0xFFFF_FFFF_FFFF_0000L;
    private static final long RANGE = 0xFFFFL;
    private static final int NO_GENERATION = 0;
    private static final int BLOCK = 512;

    /** Each holds its text, which may be 200 KB. */
    private static final int OPEN_MAX = 64;

    private static final byte[] DOT = {'.'};
    private static final byte[] DOT_DOT = {'.', '.'};

    /** One file: its text is made when it is opened. */
    record Page(String name, Supplier<String> text) {}

    private final List<Page> pages;
    private final ConcurrentHashMap<Long, byte[]> open = new ConcurrentHashMap<>();
    private final java.util.concurrent.atomic.AtomicLong next;

    ControlFiles(List<Page> pages, long firstHandle) {
        this.pages = List.copyOf(pages);
        this.next = new java.util.concurrent.atomic.AtomicLong(firstHandle);
    }

    static boolean holds(long node) {
        return (node & ~RANGE) == DIRECTORY;
    }

    static boolean isName(RawName name) {
        return name.length() == NAME.length() && name.equals(NAME);
    }

    /** True when it was refused: nothing is changed here. */
    static boolean refuses(Request reply, long node) {
        if (holds(node)) {
            reply.fail(Errno.EROFS);
            return true;
        }
        return false;
    }

    /** The directory by its name, or a file in it. */
    void lookup(EntryReply reply, long parent, RawName name) {
        long node = holds(parent) ? node(name.toString()) : DIRECTORY;
        if (node == 0) {
            reply.fail(Errno.ENOENT);
            return;
        }
        fill(reply.attributes(), node, text(node).length);
        reply.entry(node, NO_GENERATION, 0, 0);
    }

    private long node(String name) {
        for (int i = 0; i < pages.size(); i++) {
            if (pages.get(i).name().equals(name)) {
                return DIRECTORY + 1 + i;
            }
        }
        return 0;
    }

    /** Of an open file the size of the text it shows, whatever has changed since. */
    void attributes(AttributesReply reply, long node, long number) {
        byte[] shown = open.get(number);
        fill(reply.attributes(), node, (shown == null ? text(node) : shown).length);
        reply.send(0);
    }

    private static void fill(Attributes to, long node, int size) {
        boolean directory = node == DIRECTORY;
        to.inode = node;
        to.size = directory ? 0 : size;
        to.blocks = (to.size + BLOCK - 1) / BLOCK; // with fewer cp looks for holes
        long now = System.currentTimeMillis() / 1000;
        to.atime = now;
        to.mtime = now;
        to.ctime = now;
        to.atimeNanos = 0;
        to.mtimeNanos = 0;
        to.ctimeNanos = 0;
        to.btime = 0;
        to.btimeNanos = 0;
        to.mode = directory ? Flags.DIRECTORY | 0555 : Flags.REGULAR | 0444;
        to.links = directory ? 2 : 1;
        to.uid = 0;
        to.gid = 0;
        to.device = 0;
        to.blockBytes = 4096;
    }

    private byte[] text(long node) {
        int page = (int) (node - DIRECTORY) - 1;
        return page >= 0 && page < pages.size()
                ? pages.get(page).text().get().getBytes(StandardCharsets.UTF_8)
                : new byte[0];
    }

    void open(OpenReply reply, long node, int flags) {
        if ((flags & Flags.O_ACCMODE) != Flags.O_RDONLY) {
            reply.fail(Errno.EROFS);
            return;
        }
        if (open.size() >= OPEN_MAX) {
            reply.fail(Errno.ENFILE);
            return;
        }
        long number = next.getAndIncrement();
        open.put(number, text(node));
        if (!reply.opened(number, OpenMode.DIRECT_IO, 0)) {
            open.remove(number);
        }
    }

    void read(ReadReply reply, long node, long number, long offset, int size) {
        byte[] text = open.computeIfAbsent(number, _ -> text(node));
        int from = (int) Math.min(offset, text.length);
        int length = Math.min(size, text.length - from);
        ByteBuffer out = reply.buffer();
        out.put(text, from, length);
        reply.data(length);
    }

    /** The text has no holes but the one that begins at its end. */
    void seek(OffsetReply reply, long node, long number, long offset, int whence) {
        int length = open.computeIfAbsent(number, _ -> text(node)).length;
        if (offset < 0 || offset >= length) {
            reply.fail(Errno.ENXIO);
            return;
        }
        reply.offset(whence == Flags.SEEK_HOLE ? length : offset);
    }

    void release(long number) {
        open.remove(number);
    }

    void list(DirectoryReply reply, long offset) {
        long position = offset;
        while (position < pages.size() + 2 && add(reply, position)) {
            position++;
        }
        reply.done();
    }

    private boolean add(DirectoryReply reply, long position) {
        if (position < 2) {
            byte[] name = position == 0 ? DOT : DOT_DOT;
            return reply.addName(name, DIRECTORY, Flags.DIRECTORY, position + 1);
        }
        int page = (int) position - 2;
        return reply.addName(
                pages.get(page).name().getBytes(StandardCharsets.UTF_8),
                DIRECTORY + 1 + page,
                Flags.REGULAR,
                position + 1);
    }
}

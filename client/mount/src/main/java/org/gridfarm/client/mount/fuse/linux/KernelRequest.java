package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.gridfarm.client.mount.fuse.Attributes;
import org.gridfarm.client.mount.fuse.AttributesReply;
import org.gridfarm.client.mount.fuse.BytesReply;
import org.gridfarm.client.mount.fuse.CountReply;
import org.gridfarm.client.mount.fuse.CreateReply;
import org.gridfarm.client.mount.fuse.DirectoryReply;
import org.gridfarm.client.mount.fuse.EmptyReply;
import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.LockRange;
import org.gridfarm.client.mount.fuse.LockReply;
import org.gridfarm.client.mount.fuse.OffsetReply;
import org.gridfarm.client.mount.fuse.OpenMode;
import org.gridfarm.client.mount.fuse.OpenReply;
import org.gridfarm.client.mount.fuse.ReadReply;
import org.gridfarm.client.mount.fuse.StatfsReply;
import org.gridfarm.client.mount.fuse.XattrReply;
import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/// All forms of the answer to a request; the types the operations see let each give only the
/// fitting one.
final class KernelRequest extends RequestLife
        implements EntryReply,
                AttributesReply,
                EmptyReply,
                BytesReply,
                XattrReply,
                OpenReply,
                CreateReply,
                ReadReply,
                CountReply,
                OffsetReply,
                LockReply,
                StatfsReply,
                DirectoryReply {

    private final Attributes attributes = new Attributes();

    KernelRequest(Session session) {
        super(session);
    }

    // ---- answers

    @Override
    public Attributes attributes() {
        return attributes;
    }

    @Override
    public boolean entry(long child, long generation, long entryNanos, long attributesNanos) {
        if (!claim()) {
            return false;
        }
        MemorySegment body = body();
        boolean believed = believed(child, entryNanos, attributesNanos);
        Layout.entry(
                body,
                Abi.OUT_BYTES,
                child,
                generation,
                believed ? entryNanos : 0,
                believed ? attributesNanos : 0,
                attributes);
        return send(0, Abi.OUT_BYTES + Abi.ENTRY_BYTES);
    }

    @Override
    public boolean absent(long entryNanos) {
        if (!claim()) {
            return false;
        }
        MemorySegment body = body();
        body.asSlice(Abi.OUT_BYTES, Abi.ENTRY_BYTES).fill((byte) 0);
        Layout.time(
                body,
                Abi.OUT_BYTES + Abi.ENTRY_VALID,
                Abi.OUT_BYTES + Abi.ENTRY_VALID_NSEC,
                believed(node, entryNanos, 0) ? entryNanos : 0);
        return send(0, Abi.OUT_BYTES + Abi.ENTRY_BYTES);
    }

    @Override
    public boolean send(long nanos) {
        if (!claim()) {
            return false;
        }
        long valid = believed(node, 0, nanos) ? nanos : 0;
        return send(
                0,
                Abi.OUT_BYTES
                        + (opcode == Abi.STATX
                                ? Layout.statx(body(), Abi.OUT_BYTES, valid, attributes)
                                : Layout.attributes(body(), Abi.OUT_BYTES, valid, attributes)));
    }

    @Override
    public boolean done() {
        if (atStandIn && (opcode == Abi.RENAME || opcode == Abi.RENAME2)) {
            return doneUnbelieved(); // no recall names a stand-in
        }
        return answerDone();
    }

    @Override
    public boolean doneUnbelieved() {
        session.notices.forgetAllEntriesNow(errno -> answerDone());
        return true;
    }

    private boolean answerDone() {
        if (!claim()) {
            return false;
        }
        if (opcode == Abi.READDIR || opcode == Abi.READDIRPLUS) {
            if (opcode == Abi.READDIRPLUS) {
                believeEntries();
            }
            if (listingIsKept) {
                session.tells.name(pid(), node);
            }
            boolean stale = session.recalls.recalledSince(recallMark, node);
            boolean received = send(0, outLength);
            if (stale) {
                session.notices.forgetListing(node, errno -> {});
            }
            return received;
        }
        return send(0, Abi.OUT_BYTES);
    }

    @Override
    public boolean bytes(byte[] content) {
        if (!claim()) {
            return false;
        }
        int before = opcode == Abi.IOCTL ? Abi.IOCTL_OUT_BYTES : 0;
        MemorySegment body = body(before + content.length);
        body.asSlice(Abi.OUT_BYTES, before).fill((byte) 0);
        MemorySegment.copy(content, 0, body, JAVA_BYTE, Abi.OUT_BYTES + before, content.length);
        return send(0, Abi.OUT_BYTES + before + content.length);
    }

    @Override
    public boolean value(byte[] content) {
        if (room == 0) {
            if (!claim()) {
                return false;
            }
            body().set(JAVA_LONG, Abi.OUT_BYTES, content.length);
            return send(0, Abi.OUT_BYTES + Abi.GETXATTR_OUT_BYTES);
        }
        return content.length > room ? fail(Errno.ERANGE) : bytes(content);
    }

    @Override
    public boolean opened(long handle, int mode, int backing) {
        if (!claim()) {
            return false;
        }
        int believedMode = mode;
        if (opcode == Abi.OPENDIR && !believed(node, 0, 0)) {
            believedMode &= ~OpenMode.KEEP_CACHE;
        }
        Layout.open(body(), Abi.OUT_BYTES, handle, believedMode, backing);
        return send(0, Abi.OUT_BYTES + Abi.OPEN_BYTES);
    }

    @Override
    public boolean created(
            long child,
            long generation,
            long entryNanos,
            long attributesNanos,
            long handle,
            int mode,
            int backing) {
        if (!claim()) {
            return false;
        }
        MemorySegment body = body();
        boolean believed = believed(child, entryNanos, attributesNanos);
        Layout.entry(
                body,
                Abi.OUT_BYTES,
                child,
                generation,
                believed ? entryNanos : 0,
                believed ? attributesNanos : 0,
                attributes);
        Layout.open(body, Abi.OUT_BYTES + Abi.ENTRY_BYTES, handle, mode, backing);
        return send(0, Abi.OUT_BYTES + Abi.ENTRY_BYTES + Abi.OPEN_BYTES);
    }

    @Override
    public ByteBuffer buffer() {
        Buffer buffer = out;
        if (buffer == null) {
            buffer = session.buffer(Abi.OUT_BYTES + room);
            out = buffer;
        }
        return buffer.reply.clear().limit(room);
    }

    @Override
    public boolean data(int length) {
        if (length < 0 || length > room) {
            throw new IllegalArgumentException(length + " bytes of " + room);
        }
        if (!claim()) {
            return false;
        }
        body(length);
        return send(0, Abi.OUT_BYTES + length);
    }

    @Override
    public boolean data(ByteBuffer content) {
        int length = content.remaining();
        if (length > room) {
            throw new IllegalArgumentException(length + " bytes of " + room);
        }
        if (!claim()) {
            return false;
        }
        if (content.isDirect()) {
            return sendWith(content, length);
        }
        body(length);
        Buffer buffer = out;
        if (buffer != null) {
            buffer.reply.clear().put(0, content, content.position(), length);
        }
        return send(0, Abi.OUT_BYTES + length);
    }

    @Override
    public boolean count(long bytes) {
        if (!claim()) {
            return false;
        }
        // struct fuse_write_out is 32 bits and padding: the same bytes, as long as the count fits
        body().set(JAVA_LONG, Abi.OUT_BYTES, bytes);
        return send(0, Abi.OUT_BYTES + Abi.WRITE_OUT_BYTES);
    }

    @Override
    public boolean offset(long position) {
        if (!claim()) {
            return false;
        }
        body().set(JAVA_LONG, Abi.OUT_BYTES, position);
        return send(0, Abi.OUT_BYTES + 8);
    }

    @Override
    public boolean lock(LockRange conflict) {
        if (!claim()) {
            return false;
        }
        MemorySegment body = body();
        body.set(JAVA_LONG, Abi.OUT_BYTES, conflict.start());
        body.set(JAVA_LONG, Abi.OUT_BYTES + 8, conflict.end());
        body.set(JAVA_INT, Abi.OUT_BYTES + 16, conflict.type());
        body.set(JAVA_INT, Abi.OUT_BYTES + 20, conflict.pid());
        return send(0, Abi.OUT_BYTES + Abi.LK_OUT_BYTES);
    }

    @Override
    public boolean statfs(
            long blocks,
            long free,
            long available,
            long files,
            long filesFree,
            int blockBytes,
            int nameBytesMax) {
        if (!claim()) {
            return false;
        }
        MemorySegment body = body().asSlice(Abi.OUT_BYTES, Abi.STATFS_BYTES).fill((byte) 0);
        body.set(JAVA_LONG, Abi.STATFS_BLOCKS, blocks);
        body.set(JAVA_LONG, Abi.STATFS_BFREE, free);
        body.set(JAVA_LONG, Abi.STATFS_BAVAIL, available);
        body.set(JAVA_LONG, Abi.STATFS_FILES, files);
        body.set(JAVA_LONG, Abi.STATFS_FFREE, filesFree);
        body.set(JAVA_INT, Abi.STATFS_BSIZE, blockBytes);
        body.set(JAVA_INT, Abi.STATFS_NAMELEN, nameBytesMax);
        body.set(JAVA_INT, Abi.STATFS_FRSIZE, blockBytes);
        return send(0, Abi.OUT_BYTES + Abi.STATFS_BYTES);
    }

    // ---- directory entries

    @Override
    public boolean plus() {
        return opcode == Abi.READDIRPLUS;
    }

    @Override
    public void keeps() {
        listingIsKept = true;
    }

    @Override
    public boolean addName(byte[] name, long inode, int type, long next) {
        int head = plus() ? Abi.ENTRY_BYTES : 0;
        MemorySegment body = roomFor(head, name);
        if (body == null) {
            return false;
        }
        if (head > 0) {
            body.asSlice(outLength, head).fill((byte) 0);
        }
        outLength = Layout.name(body, outLength + head, name, inode, type, next);
        return true;
    }

    @Override
    public boolean addEntry(
            byte[] name,
            long next,
            long child,
            long generation,
            long entryNanos,
            long attributesNanos) {
        MemorySegment body = roomFor(Abi.ENTRY_BYTES, name);
        if (body == null) {
            return false;
        }
        Layout.entry(body, outLength, child, generation, entryNanos, attributesNanos, attributes);
        outLength =
                Layout.name(
                        body,
                        outLength + Abi.ENTRY_BYTES,
                        name,
                        attributes.inode,
                        attributes.mode,
                        next);
        return true;
    }

    /// What was recalled while the entries were put together is not to be believed. Last of all: a
    /// recall after this sees what is told.
    private void believeEntries() {
        MemorySegment body = body();
        int at = Abi.OUT_BYTES;
        while (at < outLength) {
            long entryNanos = Layout.nanos(body, at + Abi.ENTRY_VALID, at + Abi.ENTRY_VALID_NSEC);
            long attributesNanos =
                    Layout.nanos(body, at + Abi.ENTRY_ATTR_VALID, at + Abi.ENTRY_ATTR_VALID_NSEC);
            long child = body.get(JAVA_LONG, at + Abi.ENTRY_NODEID);
            if (!believed(child, entryNanos, attributesNanos)) {
                Layout.time(body, at + Abi.ENTRY_VALID, at + Abi.ENTRY_VALID_NSEC, 0);
                Layout.time(body, at + Abi.ENTRY_ATTR_VALID, at + Abi.ENTRY_ATTR_VALID_NSEC, 0);
            }
            int name = at + Abi.ENTRY_BYTES;
            at = name + Abi.align(Abi.DIRENT_NAME + body.get(JAVA_INT, name + Abi.DIRENT_NAMELEN));
        }
    }

    private @Nullable MemorySegment roomFor(int head, byte[] name) {
        int bytes = head + Abi.align(Abi.DIRENT_NAME + name.length);
        if (outLength - Abi.OUT_BYTES + bytes > room) {
            return null;
        }
        return body(room);
    }

    /// False when this request's node, or `other`, was recalled since it began: then time-outs are
    /// 0. So they are where the request's node is a stand-in, which no recall names. What would be
    /// told is noted first (see the session's `tells`).
    ///
    /// @param other whose attributes are told
    private boolean believed(long other, long entryNanos, long attributesNanos) {
        if (atStandIn) {
            return false;
        }
        long mark = recallMark;
        if (entryNanos != 0) {
            session.tells.name(pid(), node);
        }
        if (attributesNanos != 0) {
            session.tells.attributes(pid(), other);
            session.unbelieved.told(other);
        }
        return mark == session.recalls.now()
                || !(session.recalls.recalledSince(mark, node)
                        || session.recalls.recalledSince(mark, other));
    }
}

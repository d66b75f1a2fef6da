package org.gridfarm.client.mount.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.gridfarm.client.mount.fuse.RawName;

import java.lang.foreign.MemorySegment;

/// Writes notifications into the device; each returns 0 or a positive errno. Owned by one lane.
final class Notice {

    private static final int BODY = Abi.OUT_BYTES;
    private static final int BYTES = 4096;

    private final Session session;
    private final Buffer buffer = new Buffer(BYTES);
    private final MemorySegment segment = buffer.segment;

    Notice(Session session) {
        this.session = session;
    }

    int entry(long parent, RawName name, boolean expireOnly) {
        if (name.length() > Abi.NAME_BYTES_MAX) {
            return 0; // the kernel refused such a name itself and keeps nothing of it
        }
        boolean expire = expireOnly && session.negotiation.has(Abi.HAS_EXPIRE_ONLY);
        segment.set(JAVA_LONG, BODY + Abi.INVAL_ENTRY_PARENT, parent);
        segment.set(JAVA_INT, BODY + Abi.INVAL_ENTRY_NAMELEN, name.length());
        segment.set(JAVA_INT, BODY + Abi.INVAL_ENTRY_FLAGS, expire ? Abi.EXPIRE_ONLY : 0);
        return send(Abi.NOTIFY_INVAL_ENTRY, name(BODY + Abi.INVAL_ENTRY_BYTES, name));
    }

    int deleted(long parent, long child, RawName name) {
        if (name.length() > Abi.NAME_BYTES_MAX) {
            return 0;
        }
        segment.set(JAVA_LONG, BODY + Abi.DELETE_PARENT, parent);
        segment.set(JAVA_LONG, BODY + Abi.DELETE_CHILD, child);
        segment.set(JAVA_LONG, BODY + Abi.DELETE_NAMELEN, name.length());
        return send(Abi.NOTIFY_DELETE, name(BODY + Abi.DELETE_BYTES, name));
    }

    /// @param offset -1 for attributes alone
    int inode(long node, long offset, long length) {
        segment.set(JAVA_LONG, BODY + Abi.INVAL_INODE_INO, node);
        segment.set(JAVA_LONG, BODY + Abi.INVAL_INODE_OFF, offset);
        segment.set(JAVA_LONG, BODY + Abi.INVAL_INODE_LEN, length);
        return send(Abi.NOTIFY_INVAL_INODE, BODY + Abi.INVAL_INODE_BYTES);
    }

    int epoch() {
        return send(Abi.NOTIFY_INC_EPOCH, BODY);
    }

    int resend() {
        return send(Abi.NOTIFY_RESEND, BODY);
    }

    private int name(int at, RawName name) {
        MemorySegment.copy(name.bytes(), 0, segment, JAVA_BYTE, at, name.length());
        segment.set(JAVA_BYTE, at + name.length(), (byte) 0);
        return at + name.length() + 1;
    }

    /// A notification is an answer to no request, with its code where the error would be.
    private int send(int code, int length) {
        segment.set(JAVA_INT, Abi.OUT_LEN, length);
        segment.set(JAVA_INT, Abi.OUT_ERROR, code);
        segment.set(JAVA_LONG, Abi.OUT_UNIQUE, 0);
        long result = Libc.write(session.fd, buffer.address, length, buffer.errno);
        return result < 0 ? (int) -result : 0;
    }
}

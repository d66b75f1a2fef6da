package org.gridfarm.client.mount.fuse;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The flags of chattr(1) and what else `struct fsxattr` of `linux/fs.h` holds, in a file system
/// that keeps none of them: they are told as unset, and can be set to nothing else.
final class InodeFlags {

    // linux/fs.h; the kernel has the numbers of 32-bit programs translated
    private static final int GET_FLAGS = 0x80086601; // FS_IOC_GETFLAGS
    private static final int SET_FLAGS = 0x40086602; // FS_IOC_SETFLAGS
    private static final int GET_EXTENDED = 0x801c581f; // FS_IOC_FSGETXATTR
    private static final int SET_EXTENDED = 0x401c5820; // FS_IOC_FSSETXATTR

    private static final int FLAGS_BYTES = 4;
    private static final int EXTENDED_BYTES = 28; // sizeof(struct fsxattr)

    // struct fsxattr
    private static final int XFLAGS = 0;
    private static final int EXTENT_SIZE = 4;
    private static final int PROJECT = 12;
    private static final int COPY_EXTENT_SIZE = 16;

    private InodeFlags() {}

    static void none(BytesReply reply, int command, byte[] input, int room) {
        switch (command) {
            case GET_FLAGS -> get(reply, FLAGS_BYTES, room);
            case GET_EXTENDED -> get(reply, EXTENDED_BYTES, room);
            case SET_FLAGS -> set(reply, input, FLAGS_BYTES, 0);
            case SET_EXTENDED ->
                    set(
                            reply,
                            input,
                            EXTENDED_BYTES,
                            XFLAGS,
                            EXTENT_SIZE,
                            PROJECT,
                            COPY_EXTENT_SIZE);
            default -> reply.fail(Errno.ENOTTY);
        }
    }

    private static void get(BytesReply reply, int bytes, int room) {
        if (room == bytes) {
            reply.bytes(new byte[bytes]);
        } else {
            reply.fail(Errno.EINVAL);
        }
    }

    private static void set(BytesReply reply, byte[] input, int bytes, int... fields) {
        if (input.length != bytes) {
            reply.fail(Errno.EINVAL);
            return;
        }
        ByteBuffer wanted = ByteBuffer.wrap(input).order(ByteOrder.nativeOrder());
        for (int field : fields) {
            if (wanted.getInt(field) != 0) {
                reply.fail(Errno.EOPNOTSUPP);
                return;
            }
        }
        reply.bytes(new byte[0]);
    }
}

package org.gridfarm.storagenode.checksum;

import org.gridfarm.protocol.checksum.Blocks;
import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;

/**
 * The first 60 of the 64 bytes before the sums of page 0; the last four hold their CRC32C. All
 * numbers big-endian.
 *
 * <pre>
 *  0 u32 magic "GFSM"    4 u16 format    6 u16 flags    8 u64 inode   16 u32 stripe   20 u32 generation
 * 24 u64 size           32 u64 boot     40 u64 verified (s since 1970)  48 u32 block bytes  52 u32 reserved  56 u32 CRC of page 0's sums
 * </pre>
 *
 * @param size of the data; true only while {@link #OPEN} is not set
 * @param boot names the boot of the machine in which the flags were last written
 * @param verified when all blocks were last compared with their sums, seconds since 1970
 */
public record SumHeader(
        long inode, int stripe, int generation, int flags, long size, long boot, long verified) {
    public static final int BYTES = 64;

    /** Set: data or sums may not be on stable storage. */
    public static final int DIRTY = 1;

    /** Set: the data may have changed since the sums were written. */
    public static final int OPEN = 2;

    /** Set with OPEN: somebody writes into the file itself. */
    public static final int LOCAL = 4;

    static final int MAGIC = 0x4746534D;
    static final int FORMAT = 1;
    private static final int CRC_AT = 60;

    public boolean isDirty() {
        return (flags & DIRTY) != 0;
    }

    public boolean isOpen() {
        return (flags & OPEN) != 0;
    }

    public boolean isLocal() {
        return (flags & LOCAL) != 0;
    }

    public SumHeader withFlags(int others) {
        return new SumHeader(inode, stripe, generation, others, size, boot, verified);
    }

    /** Encodes at the buffer's position. */
    void put(ByteBuffer out, int pageCrc) {
        int start = out.position();
        out.putInt(MAGIC).putShort((short) FORMAT).putShort((short) flags);
        out.putLong(inode)
                .putInt(stripe)
                .putInt(generation)
                .putLong(size)
                .putLong(boot)
                .putLong(verified);
        out.putInt(Blocks.BYTES).putInt(0).putInt(pageCrc);
        out.putInt(Blocks.crc(out.slice(start, CRC_AT)));
    }

    /** Null when the bytes are no header that this program wrote. */
    static @Nullable SumHeader get(ByteBuffer in) {
        int start = in.position();
        if (in.remaining() < BYTES
                || Blocks.crc(in.slice(start, CRC_AT)) != in.getInt(start + CRC_AT)
                || in.getInt() != MAGIC
                || in.getShort() != FORMAT) {
            return null;
        }
        int flags = in.getShort();
        long inode = in.getLong();
        int stripe = in.getInt();
        int generation = in.getInt();
        long size = in.getLong();
        long boot = in.getLong();
        long verified = in.getLong();
        return in.getInt() == Blocks.BYTES
                ? new SumHeader(inode, stripe, generation, flags, size, boot, verified)
                : null;
    }

    public boolean isOf(long ofInode, int ofStripe, int ofGeneration) {
        return inode == ofInode && stripe == ofStripe && generation == ofGeneration;
    }
}

package org.gridfarm.storagenode.checksum;

import org.gridfarm.protocol.checksum.Blocks;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/**
 * A {@code .sum} file: pages of 4 KiB, each with 64 bytes of front matter and {@link #ENTRIES}
 * sums. The front matter of page 0 is the {@link SumHeader}; of later pages only its CRC fields are
 * used. A page's CRC also covers the object and the page's number, so that neither a page nor a
 * file in another's place goes unnoticed. A page that was never written reads as zeros and stands
 * for blocks of zeros.
 *
 * <p>For one thread at a time.
 */
public final class SumFile implements AutoCloseable {
    public static final int PAGE_BYTES = 4096;
    public static final int ENTRIES = (PAGE_BYTES - SumHeader.BYTES) / 4;
    private static final int PAGE_CRC_AT = 56;
    private static final byte[] ZEROS = new byte[PAGE_BYTES];

    /** Of use within one call only: most files are short, and many are open. */
    private static final ThreadLocal<ByteBuffer> SCRATCH =
            ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(PAGE_BYTES));

    /** The first byte at or after the offset that may hold data, or -1; of the same file. */
    @FunctionalInterface
    public interface NextData {
        long at(long offset) throws IOException;
    }

    private final FileChannel channel;
    private final NextData nextData;
    private int pageZeroCrc;

    public SumFile(FileChannel channel, NextData nextData) {
        this.channel = channel;
        this.nextData = nextData;
    }

    /** Where its holes lie nobody knows: each page is read. */
    public SumFile(FileChannel channel) {
        this(channel, offset -> offset);
    }

    public FileChannel channel() {
        return channel;
    }

    /** Null when it is damaged or absent. */
    public @Nullable SumHeader readHeader() throws IOException {
        ByteBuffer page = page().limit(SumHeader.BYTES);
        fill(page, 0);
        page.flip();
        SumHeader header = SumHeader.get(page);
        if (header != null) {
            pageZeroCrc = page.getInt(PAGE_CRC_AT);
        }
        return header;
    }

    public void writeHeader(SumHeader header) throws IOException {
        ByteBuffer page = page();
        header.put(page, pageZeroCrc);
        drain(page.flip(), 0);
    }

    /** False: the page was never written, and stands for blocks of zeros. */
    public boolean holds(int number) throws IOException {
        return channel.size() > (long) number * PAGE_BYTES;
    }

    /** The first page from this one on that may have been written, or the end. */
    public int nextPage(int number, int end) throws IOException {
        if (number >= end || !holds(number)) {
            return end;
        }
        if (number == 0) {
            return 0; // the header's
        }
        long data = nextData.at((long) number * PAGE_BYTES);
        return data < 0 ? end : (int) Math.min(end, data / PAGE_BYTES);
    }

    /** The sums of a page, or null when it is damaged. */
    public int @Nullable [] readPage(long inode, int stripe, int generation, int number)
            throws IOException {
        ByteBuffer page = page();
        fill(page, (long) number * PAGE_BYTES);
        int stored = page.position() >= PAGE_CRC_AT + 4 ? page.getInt(PAGE_CRC_AT) : 0;
        page.put(ZEROS, 0, page.remaining());
        int[] sums = new int[ENTRIES];
        page.flip().position(SumHeader.BYTES);
        page.slice().asIntBuffer().get(sums);
        return stored == crc(inode, stripe, generation, number, sums) ? sums : null;
    }

    /**
     * Writes a page; that of number 0 must be followed by {@link #writeHeader}, which stores its
     * CRC.
     */
    public void writePage(long inode, int stripe, int generation, int number, int[] sums)
            throws IOException {
        int used = ENTRIES;
        while (used > 0 && sums[used - 1] == 0) {
            used--;
        }
        int crc = crc(inode, stripe, generation, number, sums);
        ByteBuffer page = page();
        // A page that shrank must not leave its former sums behind: whole pages, but for a file's
        // first sums.
        boolean fresh = channel.size() <= (long) number * PAGE_BYTES + SumHeader.BYTES;
        int end = SumHeader.BYTES + 4 * (fresh ? used : ENTRIES);
        page.limit(end);
        page.put(ZEROS, 0, SumHeader.BYTES);
        page.asIntBuffer().put(sums, 0, page.remaining() / 4);
        page.position(0);
        if (number == 0) {
            pageZeroCrc = crc;
            page.position(SumHeader.BYTES);
            drain(page, SumHeader.BYTES);
        } else {
            page.putInt(PAGE_CRC_AT, crc);
            drain(page, (long) number * PAGE_BYTES);
        }
    }

    /** All sums past the last page of a file of so many bytes are dropped. */
    public void truncate(long size) throws IOException {
        long pages = Math.max(1, (Blocks.count(size) + ENTRIES - 1) / ENTRIES);
        if (channel.size() > pages * PAGE_BYTES) {
            channel.truncate(pages * PAGE_BYTES);
        }
    }

    private static int crc(long inode, int stripe, int generation, int number, int[] sums) {
        if (isBlank(sums)) {
            return 0;
        }
        ByteBuffer bytes = ByteBuffer.allocate(20 + 4 * ENTRIES);
        bytes.putLong(inode).putInt(stripe).putInt(generation).putInt(number);
        bytes.asIntBuffer().put(sums);
        CRC32C crc = new CRC32C();
        crc.update(bytes.position(bytes.position() + 4 * sums.length).flip());
        return (int) crc.getValue();
    }

    private static boolean isBlank(int[] sums) {
        for (int sum : sums) {
            if (sum != 0) return false;
        }
        return true;
    }

    private static ByteBuffer page() {
        return SCRATCH.get().clear();
    }

    private void fill(ByteBuffer page, long at) throws IOException {
        while (page.hasRemaining()) {
            int count = channel.read(page, at + page.position());
            if (count < 0) {
                return;
            }
        }
    }

    private void drain(ByteBuffer page, long at) throws IOException {
        long offset = at - page.position();
        while (page.hasRemaining()) {
            channel.write(page, offset + page.position());
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

package org.gridfarm.storagenode.replica;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

import org.gridfarm.protocol.attributes.Space;
import org.gridfarm.protocol.checksum.Blocks;
import org.gridfarm.protocol.checksum.ContentDigest;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.checksum.BlockSums;
import org.gridfarm.storagenode.checksum.SumFile;
import org.gridfarm.storagenode.checksum.SumHeader;
import org.gridfarm.storagenode.disk.DataDirectory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * One replica with its sums, open. Called on the store's threads under the object's {@link Lane}:
 * methods marked <em>shared</em> beside each other, all others alone.
 *
 * <p>INVARIANT: before the first byte changes, the header on disk says DIRTY and OPEN; it was made
 * durable there if it said neither. The header loses OPEN when the sums are written ({@link
 * #checkpoint}), and DIRTY when data and sums are on stable storage ({@link #settle}).
 */
public final class Replica implements AutoCloseable {
    private final ObjectKey key;
    private final DataDirectory disk;
    private final Path path;
    private final DataFile data;
    private final SumFile sumFile;
    private final BlockSums sums;
    private final SummedData blocks;
    private final Clock clock;
    private final long boot;
    private int flags;
    private boolean nameNotDurable;
    private long size;
    private long verified;
    private boolean suspect;
    private volatile boolean failed;
    private boolean deleted;
    private final LocalWriters localWriters = new LocalWriters();
    private long changes;

    Replica(
            ObjectKey key,
            DataDirectory disk,
            Path path,
            DataFile data,
            SumFile sumFile,
            Clock clock,
            long boot) {
        this.key = key;
        this.disk = disk;
        this.path = path;
        this.data = data;
        this.sumFile = sumFile;
        this.sums = new BlockSums(sumFile, key.inode(), key.stripe(), key.generation());
        this.blocks = new SummedData(key, data, sums);
        this.clock = clock;
        this.boot = boot;
        this.flags = SumHeader.DIRTY | SumHeader.OPEN;
    }

    /** A file that has just been made, with nothing in it. */
    void begin() throws IOException {
        data.resize(0);
        nameNotDurable = true;
        verified = clock.now().getEpochSecond();
    }

    /** A file whose bytes came from elsewhere: takes its sums from them. */
    void beginWithContent() throws IOException {
        nameNotDurable = true;
        verified = clock.now().getEpochSecond();
        size = data.size();
        blocks.adopt(size);
    }

    /** A file that somebody may have written into, and may go on to: no sum of it is known. */
    void beginClaimed() {
        nameNotDurable = true;
        verified = clock.now().getEpochSecond();
        localWriters.mayHaveWritten();
    }

    /**
     * Takes over the state on disk; compares data and sums first if the last writer may have been
     * cut off.
     */
    void load() throws IOException {
        SumHeader header = sumFile.readHeader();
        if (header == null) {
            throw SummedData.corrupt(key, "its checksum file is damaged");
        }
        if (!header.isOf(key.inode(), key.stripe(), key.generation())) {
            throw SummedData.corrupt(key, "its checksum file is that of another object");
        }
        flags = header.flags();
        verified = header.verified();
        size = data.size();
        if (header.isOpen() && header.isLocal()) {
            // Its writer may still be at it, whatever became of us: nothing can be compared yet.
            suspect = true;
            nameNotDurable = true;
            localWriters.mayHaveWritten();
            takeSize(header.size());
            return;
        }
        boolean cutOff = header.isDirty() && (header.isOpen() || header.boot() != boot);
        if (!cutOff && size != header.size()) {
            throw SummedData.corrupt(key, "it has " + size + " bytes instead of " + header.size());
        }
        if (cutOff) {
            nameNotDurable = true;
            suspect = header.isOpen() || size != header.size();
            flags = SumHeader.DIRTY | SumHeader.OPEN;
            suspect |= blocks.adopt(size);
            checkpoint();
        }
    }

    // ---- reading (shared)
    // ---------------------------------------------------------------------------------------------------------

    public ObjectKey key() {
        return key;
    }

    public DataDirectory disk() {
        return disk;
    }

    public Path path() {
        return path;
    }

    public long size() throws IOException {
        return isLocallyChanged() ? data.size() : size;
    }

    /** Grows with every change: the same number twice means nothing happened between. */
    long changes() {
        return changes;
    }

    /** True if the last writer was cut off and the content may differ from other replicas. */
    public boolean isSuspect() {
        return suspect;
    }

    /** Pages of sums and runs of blocks that are in memory. */
    int sumsHeld() {
        return sums.pagesHeld() + sums.staleRuns();
    }

    boolean isFailed() {
        return failed;
    }

    public boolean isDirty() {
        return (flags & SumHeader.DIRTY) != 0;
    }

    public boolean isOpenForWriting() {
        return (flags & SumHeader.OPEN) != 0;
    }

    /** Seconds since 1970. */
    public long verifiedAt() {
        return verified;
    }

    /**
     * At most length bytes from the offset, each block compared with its sum; fewer at the end. The
     * caller releases the buffer.
     */
    public ByteBuf read(ByteBufAllocator allocator, long offset, int length) throws IOException {
        requireSound("read");
        long size = size();
        long end = Math.min(size, offset + length);
        if (offset >= end) {
            return allocator.buffer(0);
        }
        boolean verify = !isLocallyChanged(); // a local writer's changes are not in the sums yet
        long from = verify ? Blocks.start(Blocks.of(offset)) : offset;
        long to = verify ? Math.min(size, Blocks.start(Blocks.of(end - 1) + 1)) : end;
        ByteBuf buffer = allocator.directBuffer((int) (to - from));
        try {
            fill(buffer, from, (int) (to - from));
            if (verify) {
                for (long at = from; at < to; at += Blocks.BYTES) {
                    int count = (int) Math.min(Blocks.BYTES, to - at);
                    blocks.compare(Blocks.of(at), buffer.nioBuffer((int) (at - from), count));
                }
            }
            buffer.readerIndex((int) (offset - from)).writerIndex((int) (end - from));
            return buffer;
        } catch (Throwable e) {
            buffer.release();
            throw e;
        }
    }

    private void fill(ByteBuf buffer, long offset, int length) throws IOException {
        int got = data.read(buffer, offset, length);
        if (got < length) {
            throw SummedData.corrupt(key, "it ends at " + (offset + got) + " instead of " + size);
        }
    }

    /**
     * Compares blocks [from, to) and returns the first bad one, or -1; beside a local writer
     * nothing can be said.
     */
    public long firstBad(long from, long to) throws IOException {
        return isLocallyChanged() ? -1 : blocks.firstBad(from, to, size);
    }

    /** What the next turn of a comparison looks at, from this block on. */
    SummedData.Reach reach(long from, int blocksMax) throws IOException {
        return blocks.reach(from, size(), blocksMax);
    }

    public long nextData(long offset) throws IOException {
        return data.nextData(offset);
    }

    public long nextHole(long offset) throws IOException {
        return data.nextHole(offset);
    }

    public long allocated() throws IOException {
        return data.allocated();
    }

    /** False: {@link #allocated} is what the size says. */
    public boolean mayBeSparse() throws IOException {
        return isLocallyChanged() || data.isSparse();
    }

    // ---- changing
    // -----------------------------------------------------------------------------------------------------------------

    /** Writes all that remains in the buffers at the offset. */
    public void write(ByteBuffer[] parts, long offset) throws IOException {
        int length = 0;
        for (ByteBuffer part : parts) {
            length += part.remaining();
        }
        if (length == 0) {
            return;
        }
        adoptSize();
        long end = offset + length;
        StoreLimits.requireWithin(offset, length, key);
        grow(Math.min(length, Math.max(0, end - size)), "write"); // a hole takes no room
        beforeChange();
        long first = Blocks.of(offset);
        long last = Blocks.of(end - 1);
        boolean wholeFirst = covers(first, offset, end);
        boolean wholeLast = covers(last, offset, end);
        int[] fresh = new int[(int) (last - first + 1)];
        for (long block = first; block <= last; block++) {
            if (block == first && !wholeFirst || block == last && !wholeLast) {
                requireSound(block);
                sums.markStale(block);
            } else {
                int skip = (int) Math.max(0, Blocks.start(block) - offset);
                int count = (int) (Math.min(end, Blocks.start(block + 1)) - offset) - skip;
                fresh[(int) (block - first)] = Blocks.sum(parts, skip, count);
            }
        }
        try {
            data.write(parts, offset);
        } catch (IOException e) {
            for (long block = first; block <= last; block++) {
                sums.markStale(block); // some of it may have been written
            }
            size = Math.max(size, data.size());
            throw e;
        }
        for (long block = first; block <= last; block++) {
            if (!(block == first && !wholeFirst || block == last && !wholeLast)) {
                sums.set(block, fresh[(int) (block - first)]);
            }
        }
        size = Math.max(size, end);
        blocks.sumStaleIfMany();
    }

    /**
     * True when writing [offset, end) leaves nothing of what the block held, and the write begins
     * where the block does.
     */
    private boolean covers(long block, long offset, long end) {
        return offset <= Blocks.start(block) && end >= Math.min(size, Blocks.start(block + 1));
    }

    public void truncate(long newSize) throws IOException {
        adoptSize();
        if (newSize == size) {
            return;
        }
        StoreLimits.requireWithin(newSize, 0, key);
        beforeChange();
        if (newSize > size) {
            data.resize(newSize);
        } else {
            long cut = newSize % Blocks.BYTES;
            if (cut != 0) {
                requireSound(Blocks.of(newSize));
            }
            data.resize(newSize);
            sums.truncate(newSize);
            if (cut != 0) {
                sums.markStale(Blocks.of(newSize));
            }
        }
        size = newSize;
    }

    /** Reserves blocks; grows the file unless keepSize. */
    public void allocate(long offset, long length, boolean keepSize) throws IOException {
        adoptSize();
        StoreLimits.requireWithin(offset, length, key);
        // Of a range inside a sparse file most may be missing; else it is what lies past the end.
        grow(Math.min(length, Math.max(0, offset + length - data.allocated())), "allocate");
        beforeChange();
        data.allocate(offset, length, keepSize);
        size = data.size();
    }

    /**
     * Zeros, without taking space where that can be; the range may reach past the end, which grows
     * the file unless keepSize.
     */
    public void zero(long offset, long length, boolean keepSize) throws IOException {
        adoptSize();
        long end = offset + length;
        if (!keepSize) {
            StoreLimits.requireWithin(offset, length, key);
        }
        beforeChange();
        long inside = Math.min(end, size);
        if (offset < inside) {
            long first = Blocks.of(offset);
            long last = Blocks.of(inside - 1);
            boolean wholeFirst = covers(first, offset, end);
            boolean wholeLast = covers(last, offset, end);
            if (!wholeFirst) {
                requireSound(first);
                sums.markStale(first);
            }
            if (!wholeLast) {
                requireSound(last);
                sums.markStale(last);
            }
            // Up to the end of its last page, which is freed then.
            data.punch(offset, (end >= size ? Space.ofSize(inside) : inside) - offset);
            sums.zero(
                    wholeFirst ? first : first + 1,
                    wholeLast ? last + 1 : Math.max(last, wholeFirst ? first : first + 1));
        }
        blocks.sumStaleIfMany();
        if (!keepSize && end > size) {
            truncate(end);
        }
    }

    private void grow(long bytes, String operation) {
        if (bytes > 0) {
            disk.claimSpace(bytes, operation, key.toString());
        }
    }

    private void beforeChange() throws IOException {
        requireSound("write");
        changes++;
        if (isOpenForWriting()) {
            return;
        }
        boolean clean = !isDirty();
        flags = SumHeader.DIRTY | SumHeader.OPEN;
        sumFile.writeHeader(header());
        if (clean) {
            forceSums();
        }
    }

    // ---- keeping
    // ------------------------------------------------------------------------------------------------------------------

    /** No change follows soon. */
    void rest() throws IOException {
        data.rest();
    }

    /** Writes the sums to the page cache: a reader of the files alone would find them right. */
    public void checkpoint() throws IOException {
        requireSound("checkpoint");
        if (!isOpenForWriting()) {
            return;
        }
        blocks.sumStale();
        flags = isLocallyChanged() ? flags : SumHeader.DIRTY;
        sums.write(header());
    }

    /** Data, sums and name are on stable storage when this returns; the writer may go on. */
    public void sync() throws IOException {
        requireSound("sync");
        if (!isDirty()) {
            return;
        }
        blocks.sumStale();
        force();
        sums.write(header());
        forceSums();
        forceName();
    }

    /** Only the data and the name: for a local writer, whose changes the sums learn of later. */
    public void syncData() throws IOException {
        requireSound("sync");
        force();
        if (nameNotDurable) forceSums(); // whose header says that they do not count yet
        forceName();
    }

    /** As {@link #sync}, and the header says so: nothing need be compared after a crash. */
    public void settle() throws IOException {
        requireSound("settle");
        if (!isDirty() || isLocallyChanged()) {
            return;
        }
        blocks.sumStale();
        force();
        flags = 0;
        sums.write(header());
        forceSums();
        forceName();
    }

    /**
     * The header says clean, after data, sums and names were made durable by other means while
     * nothing changed.
     */
    void wasMadeDurable() throws IOException {
        if (isOpenForWriting() || failed) {
            return;
        }
        flags = 0;
        nameNotDurable = false;
        sums.write(header());
    }

    private void forceName() throws IOException {
        if (nameNotDurable) {
            try {
                disk.objects().force(key.slot());
            } catch (IOException e) {
                failed = true;
                throw e;
            }
            nameNotDurable = false;
        }
    }

    /**
     * The kernel forgets what it could not write: after one failure nothing that this file says is
     * believed.
     */
    private void force() throws IOException {
        try {
            data.force();
        } catch (IOException e) {
            failed = true;
            throw e;
        }
    }

    private void forceSums() throws IOException {
        try {
            disk.calls().force(sumFile.channel());
        } catch (IOException e) {
            failed = true;
            throw e;
        }
    }

    /**
     * What somebody wrote into the file behind our back: takes its size, sums blocks from this one
     * on and shows those that differ to the listener, at most the given number of bytes of file in
     * one call. Returns the next block, or -1 at the end. Where nobody could, what differs is
     * damage, and stays so.
     */
    public long rescan(long from, ChangedBlocks listener) throws IOException {
        requireSound("rescan");
        if (!isLocallyChanged()) {
            return -1;
        }
        if (from == 0) {
            takeSize(size);
        }
        long next = blocks.rescan(from, size, listener);
        localWriters.summed(from, next);
        if (next < 0) {
            data.wasChanged();
        }
        return next;
    }

    /**
     * Shows blocks from this one on to the listener, whether they changed or not, at most the given
     * number of bytes of file in one call. Returns the next block, or -1 at the end. What no local
     * writer can have touched is compared with its sum first.
     */
    public long show(long from, ChangedBlocks listener) throws IOException {
        requireSound("read");
        adoptSize();
        return blocks.show(from, size, !isLocallyChanged(), listener);
    }

    /** Beside a local writer the file itself knows where it ends. */
    private void adoptSize() throws IOException {
        if (isLocallyChanged()) {
            takeSize(size);
        }
    }

    /** A local writer left it changed, and nobody goes on: its sums are to be taken. */
    boolean isLeftChanged() {
        return isLocallyChanged() && !localWriters.any();
    }

    /** Sums everything that may have been written behind our back. */
    void rescanAll() throws IOException {
        for (long block = 0; isLocallyChanged() && block >= 0; ) {
            block = rescan(block, ChangedBlocks.IGNORED);
        }
    }

    /** The rest of the chain may lack any block: each one counts as changed. */
    public void forgetSums() throws IOException {
        beforeChange();
        adoptSize();
        sums.markAllStale(Blocks.count(size));
        localWriters.mayHaveWritten();
    }

    private void takeSize(long summed) throws IOException {
        long now = data.size();
        if (now < summed) {
            sums.truncate(now);
        }
        size = now;
    }

    /** Before a part of a block changes; what a local writer changed is not in the sums yet. */
    private void requireSound(long block) throws IOException {
        if (!isLocallyChanged()) {
            blocks.requireSound(block, size);
        }
    }

    /** Somebody may write into the file itself from now on. */
    public void beginLocalWriting() throws IOException {
        beforeChange();
        localWriters.begin();
        if ((flags & SumHeader.LOCAL) == 0) {
            flags |= SumHeader.LOCAL;
            sumFile.writeHeader(header());
        }
    }

    /**
     * He has stopped; a rescan must follow before the sums are right again.
     *
     * @param wrote false: he has changed nothing, and if nobody else has no rescan is needed
     */
    public void endLocalWriting(boolean wrote) {
        localWriters.end(wrote);
    }

    /**
     * True while what a local writer did may not be in the sums yet: while he is at it, and until
     * the {@link Settler} has passed over it.
     */
    public boolean isLocallyChanged() {
        return localWriters.haveChanged();
    }

    public boolean hasLocalWriters() {
        return localWriters.any();
    }

    /** Over the sums; brings them up to date first. */
    public byte[] digest() throws IOException {
        checkpoint();
        return sums.digest(size);
    }

    /**
     * Of the bytes as they are beside a local writer, whose blocks stay what they are to the chain.
     * Returns the block to go on from, or -1 at the end.
     */
    long digest(long from, ContentDigest digest) throws IOException {
        return blocks.digest(from, digest.size(), digest);
    }

    /** After a {@link #checkpoint}; beside a local writer that of before him. */
    public int sum(long block) throws IOException {
        return sums.get(block);
    }

    /** All blocks have just been compared and were right. */
    public void wasVerified() throws IOException {
        verified = clock.now().getEpochSecond();
        if (!isOpenForWriting()) {
            sumFile.writeHeader(header());
        }
    }

    private SumHeader header() {
        return new SumHeader(
                key.inode(), key.stripe(), key.generation(), flags, size, boot, verified);
    }

    private void requireSound(String operation) {
        if (failed) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    operation,
                    key.toString(),
                    "an earlier sync of this replica failed");
        }
    }

    /**
     * Writes this replica's sums for the same bytes under another key; they are up to date. Dirty,
     * since nothing of it is synced.
     */
    void writeSumsAs(ObjectKey other, SumFile out) throws IOException {
        sums.copyTo(
                out,
                new SumHeader(
                        other.inode(),
                        other.stripe(),
                        other.generation(),
                        SumHeader.DIRTY,
                        size,
                        boot,
                        verified));
    }

    /** The name it has now will not be kept, so it need not last. */
    void isTemporary() {
        nameNotDurable = false;
    }

    void markDeleted() {
        deleted = true;
    }

    boolean isDeleted() {
        return deleted;
    }

    @Override
    public void close() throws IOException {
        try (data;
                sumFile) {
            if (!failed && !deleted && isOpenForWriting() && !isLocallyChanged()) {
                checkpoint();
            }
        }
    }
}

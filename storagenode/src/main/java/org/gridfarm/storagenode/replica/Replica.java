package org.gridfarm.storagenode.replica;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.checksum.BlockSums;
import org.gridfarm.storagenode.checksum.Blocks;
import org.gridfarm.storagenode.checksum.SumFile;
import org.gridfarm.storagenode.checksum.SumHeader;
import org.gridfarm.storagenode.disk.DataDirectory;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One replica with its sums, open. Called on the store's threads under the object's {@link Lane}:
 * methods marked <em>shared</em> beside each other, all others alone.
 *
 * <p>INVARIANT: before the first byte changes, the header on disk says DIRTY and OPEN; it was made
 * durable there if it said neither. The header loses OPEN when the sums are written ({@link
 * #checkpoint}), and DIRTY when data and sums are on stable storage ({@link #settle}).
 */
public final class Replica implements AutoCloseable {
    /** Read at once when blocks are summed again. */
    private static final int SCAN_BYTES = 1 << 20;

    private final ObjectKey key;
    private final DataDirectory disk;
    private final Path path;
    private final RandomAccessFile file;
    private final FileChannel data;
    private final SumFile sumFile;
    private final BlockSums sums;
    private final Clock clock;
    private final long boot;
    private int flags;
    private boolean nameNotDurable;
    private long size;
    private long verified;
    private boolean suspect;
    private volatile boolean failed;
    private boolean deleted;
    private int localWriters;
    private boolean locallyChanged; // since the last rescan that no local writer could spoil
    private long changes;

    private Replica(
            ObjectKey key,
            DataDirectory disk,
            Path path,
            RandomAccessFile file,
            SumFile sumFile,
            Clock clock,
            long boot) {
        this.key = key;
        this.disk = disk;
        this.path = path;
        this.file = file;
        this.data = file.getChannel();
        this.sumFile = sumFile;
        this.sums = new BlockSums(sumFile, key.inode(), key.stripe(), key.generation());
        this.clock = clock;
        this.boot = boot;
    }

    /**
     * Makes an empty replica at the path; its sums first, so that data without sums is always
     * damage.
     */
    static Replica create(ObjectKey key, DataDirectory disk, Path path, Clock clock, long boot)
            throws IOException {
        Replica replica =
                at(
                        key,
                        disk,
                        path,
                        clock,
                        boot,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING);
        replica.file.setLength(0);
        replica.nameNotDurable = true;
        replica.verified = clock.now().getEpochSecond();
        return replica;
    }

    /** Opens what lies at the path; CORRUPT when its sums cannot be believed. */
    static Replica open(ObjectKey key, DataDirectory disk, Path path, Clock clock, long boot)
            throws IOException {
        if (!Files.exists(sumPath(path))) {
            throw new FarmException(
                    ErrorKind.CORRUPT,
                    "open replica",
                    key.toString(),
                    "its checksum file is missing");
        }
        Replica replica = at(key, disk, path, clock, boot);
        try {
            replica.load();
            return replica;
        } catch (Throwable e) {
            replica.deleted = true;
            replica.close();
            throw e;
        }
    }

    private static Replica at(
            ObjectKey key,
            DataDirectory disk,
            Path path,
            Clock clock,
            long boot,
            OpenOption... more)
            throws IOException {
        Set<OpenOption> options =
                new HashSet<>(Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
        options.addAll(List.of(more));
        SumFile sums = new SumFile(FileChannel.open(sumPath(path), options));
        try {
            if (more.length > 0) {
                sums.writeHeader(
                        new SumHeader(
                                key.inode(),
                                key.stripe(),
                                key.generation(),
                                SumHeader.DIRTY | SumHeader.OPEN,
                                0,
                                boot,
                                0));
            }
            Replica replica =
                    new Replica(
                            key,
                            disk,
                            path,
                            new RandomAccessFile(path.toFile(), "rw"),
                            sums,
                            clock,
                            boot);
            replica.flags = SumHeader.DIRTY | SumHeader.OPEN;
            return replica;
        } catch (Throwable e) {
            sums.close();
            throw e;
        }
    }

    static Path sumPath(Path data) {
        return data.resolveSibling(data.getFileName() + ObjectKey.SUM_SUFFIX);
    }

    /**
     * Takes over the state on disk; compares data and sums first if the last writer may have been
     * cut off.
     */
    private void load() throws IOException {
        SumHeader header = sumFile.readHeader();
        if (header == null) {
            throw corrupt("its checksum file is damaged");
        }
        if (header.inode() != key.inode()
                || header.stripe() != key.stripe()
                || header.generation() != key.generation()) {
            throw corrupt("its checksum file is that of another object");
        }
        flags = header.flags();
        verified = header.verified();
        size = data.size();
        boolean cutOff = header.isDirty() && (header.isOpen() || header.boot() != boot);
        if (!cutOff && size != header.size()) {
            throw corrupt("it has " + size + " bytes instead of " + header.size());
        }
        if (cutOff) {
            nameNotDurable = true;
            suspect = header.isOpen() || size != header.size();
            suspect |= adopt();
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
        return locallyChanged ? data.size() : size;
    }

    /** Grows with every change: the same number twice means nothing happened between. */
    long changes() {
        return changes;
    }

    /** True if the last writer was cut off and the content may differ from other replicas. */
    public boolean isSuspect() {
        return suspect;
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
        boolean verify = !locallyChanged; // a local writer's changes are not in the sums yet
        long from = verify ? Blocks.start(Blocks.of(offset)) : offset;
        long to = verify ? Math.min(size, Blocks.start(Blocks.of(end - 1) + 1)) : end;
        ByteBuf buffer = allocator.directBuffer((int) (to - from));
        try {
            fill(buffer, from, (int) (to - from));
            if (verify) {
                for (long at = from; at < to; at += Blocks.BYTES) {
                    int count = (int) Math.min(Blocks.BYTES, to - at);
                    compare(Blocks.of(at), buffer.nioBuffer((int) (at - from), count));
                }
            }
            buffer.readerIndex((int) (offset - from)).writerIndex((int) (end - from));
            return buffer;
        } catch (Throwable e) {
            buffer.release();
            throw e;
        }
    }

    private void compare(long block, ByteBuffer content) throws IOException {
        if (!sums.isStale(block) && Blocks.sum(content) != sums.get(block)) {
            throw corrupt("block " + block + " does not match its checksum");
        }
    }

    private void fill(ByteBuf buffer, long offset, int length) throws IOException {
        while (buffer.readableBytes() < length) {
            int done = buffer.readableBytes();
            if (buffer.writeBytes(data, offset + done, length - done) < 0) {
                throw corrupt("it ends at " + (offset + done) + " instead of " + size);
            }
        }
    }

    /** Compares blocks [from, to) and returns the first bad one, or -1. */
    public long firstBad(long from, long to) throws IOException {
        if (locallyChanged) {
            return -1; // nothing can be said
        }
        if (from == 0 && data.size() != size) {
            return 0;
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(Blocks.BYTES);
        long end = Math.min(to, Blocks.count(size));
        for (long block = from; block < end; block++) {
            if (!sums.isStale(block) && sum(block, buffer) != sums.get(block)) {
                return block;
            }
        }
        return -1;
    }

    public long nextData(long offset) throws IOException {
        return disk.calls().nextData(path, data, offset);
    }

    public long nextHole(long offset) throws IOException {
        return disk.calls().nextHole(path, data, offset);
    }

    public long allocated() throws IOException {
        return disk.calls().allocated(path, data);
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
        long end = offset + length;
        grow(Math.max(0, end - size), "write");
        beforeChange();
        long first = Blocks.of(offset);
        long last = Blocks.of(end - 1);
        boolean wholeFirst = covers(first, offset, end);
        boolean wholeLast = covers(last, offset, end);
        int[] fresh = new int[(int) (last - first + 1)];
        for (long block = first; block <= last; block++) {
            if (block == first && !wholeFirst || block == last && !wholeLast) {
                soundBeforePartialChange(block);
                sums.markStale(block);
            } else {
                int skip = (int) Math.max(0, Blocks.start(block) - offset);
                int count = (int) (Math.min(end, Blocks.start(block + 1)) - offset) - skip;
                fresh[(int) (block - first)] = Blocks.sum(parts, skip, count);
            }
        }
        try {
            put(parts, offset);
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
        sums.spill(header());
    }

    /**
     * True when writing [offset, end) leaves nothing of what the block held, and the write begins
     * where the block does.
     */
    private boolean covers(long block, long offset, long end) {
        return offset <= Blocks.start(block) && end >= Math.min(size, Blocks.start(block + 1));
    }

    private void put(ByteBuffer[] parts, long offset) throws IOException {
        long at = offset;
        for (ByteBuffer part : parts) {
            ByteBuffer left = part.duplicate();
            while (left.hasRemaining()) {
                at += data.write(left, at);
            }
        }
    }

    /** A change of a part of a block must not bless damage in the rest of it. */
    private void soundBeforePartialChange(long block) throws IOException {
        if (Blocks.start(block) < size && !sums.isStale(block)) {
            if (sum(block, ByteBuffer.allocateDirect(Blocks.BYTES)) != sums.get(block)) {
                throw corrupt("block " + block + " does not match its checksum");
            }
        }
    }

    public void truncate(long newSize) throws IOException {
        if (newSize == size) {
            return;
        }
        beforeChange();
        if (newSize > size) {
            file.setLength(newSize);
        } else {
            long cut = newSize % Blocks.BYTES;
            if (cut != 0) {
                soundBeforePartialChange(Blocks.of(newSize));
            }
            data.truncate(newSize);
            sums.truncate(newSize);
            if (cut != 0) {
                sums.markStale(Blocks.of(newSize));
            }
        }
        size = newSize;
    }

    /** Reserves blocks; grows the file unless keepSize. */
    public void allocate(long offset, long length, boolean keepSize) throws IOException {
        grow(Math.max(0, offset + length - size), "allocate");
        beforeChange();
        disk.calls().allocate(path, data, offset, length, keepSize);
        size = data.size();
    }

    /**
     * Zeros, without taking space where that can be; the range may reach past the end, which grows
     * the file unless keepSize.
     */
    public void zero(long offset, long length, boolean keepSize) throws IOException {
        long end = offset + length;
        beforeChange();
        long inside = Math.min(end, size);
        if (offset < inside) {
            long first = Blocks.of(offset);
            long last = Blocks.of(inside - 1);
            boolean wholeFirst = covers(first, offset, end);
            boolean wholeLast = covers(last, offset, end);
            if (!wholeFirst) {
                soundBeforePartialChange(first);
                sums.markStale(first);
            }
            if (!wholeLast) {
                soundBeforePartialChange(last);
                sums.markStale(last);
            }
            disk.calls().punch(path, data, offset, inside - offset);
            sums.zero(
                    wholeFirst ? first : first + 1,
                    wholeLast ? last + 1 : Math.max(last, wholeFirst ? first : first + 1));
        }
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
            force(sumFile.channel());
        }
    }

    // ---- keeping
    // ------------------------------------------------------------------------------------------------------------------

    /** Writes the sums to the page cache: a reader of the files alone would find them right. */
    public void checkpoint() throws IOException {
        requireSound("checkpoint");
        if (!isOpenForWriting()) {
            return;
        }
        sumStale();
        flags = locallyChanged ? flags : SumHeader.DIRTY;
        sums.write(header());
    }

    /** Data, sums and name are on stable storage when this returns; the writer may go on. */
    public void sync() throws IOException {
        requireSound("sync");
        if (!isDirty()) {
            return;
        }
        sumStale();
        force(data);
        sums.write(header());
        force(sumFile.channel());
        forceName();
    }

    /** Only the data and the name: for a local writer, whose changes the sums learn of later. */
    public void syncData() throws IOException {
        requireSound("sync");
        force(data);
        forceName();
    }

    /** As {@link #sync}, and the header says so: nothing need be compared after a crash. */
    public void settle() throws IOException {
        requireSound("settle");
        if (!isDirty() || locallyChanged) {
            return;
        }
        sumStale();
        force(data);
        flags = 0;
        sums.write(header());
        force(sumFile.channel());
        forceName();
        suspect = false;
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
        suspect = false;
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
    private void force(FileChannel channel) throws IOException {
        try {
            disk.calls().force(channel);
        } catch (IOException e) {
            failed = true;
            throw e;
        }
    }

    private void sumStale() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(Blocks.BYTES);
        for (long block = sums.nextStale(0); block >= 0; block = sums.nextStale(block + 1)) {
            sums.set(block, sum(block, buffer));
        }
    }

    private int sum(long block, ByteBuffer buffer) throws IOException {
        buffer.clear();
        long at = Blocks.start(block);
        while (buffer.hasRemaining()) {
            if (data.read(buffer, at + buffer.position()) < 0) {
                break;
            }
        }
        return Blocks.sum(buffer.flip());
    }

    /** Sums every block anew; true if any differed. */
    private boolean adopt() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(Blocks.BYTES);
        boolean differed = false;
        flags = SumHeader.DIRTY | SumHeader.OPEN;
        sums.truncate(size);
        long count = Blocks.count(size);
        for (long block = 0; block < count; block++) {
            int sum = sum(block, buffer);
            if (sum != sums.get(block)) {
                sums.set(block, sum);
                differed = true;
            }
        }
        return differed;
    }

    /**
     * What somebody wrote into the file behind our back: takes its size, sums blocks from this one
     * on and shows those that differ to the listener, at most the given number of bytes of file in
     * one call. Returns the next block, or -1 at the end.
     */
    public long rescan(long from, ChangedBlocks listener) throws IOException {
        requireSound("rescan");
        if (from == 0) {
            long now = data.size();
            if (now < size) {
                sums.truncate(now);
            }
            size = now;
        }
        ByteBuffer buffer = ByteBuffer.allocateDirect(Blocks.BYTES);
        long count = Blocks.count(size);
        long end = Math.min(count, from + SCAN_BYTES / Blocks.BYTES);
        for (long block = from; block < end; block++) {
            int sum = sum(block, buffer);
            if (sums.isStale(block) || sum != sums.get(block)) {
                sums.set(block, sum);
                listener.changed(Blocks.start(block), buffer.rewind());
            }
        }
        if (end < count) {
            return end;
        }
        locallyChanged = localWriters > 0;
        return -1;
    }

    /** Somebody may write into the file itself from now on. */
    public void beginLocalWriting() throws IOException {
        beforeChange();
        localWriters++;
        locallyChanged = true;
    }

    /** He has stopped; a rescan must follow before the sums are right again. */
    public void endLocalWriting() {
        localWriters--;
    }

    /** True while what a local writer did may not be in the sums yet. */
    public boolean isLocallyChanged() {
        return locallyChanged;
    }

    public boolean hasLocalWriters() {
        return localWriters > 0;
    }

    /** Hears of blocks that differ; the buffer is good during the call. */
    public interface ChangedBlocks {
        void changed(long offset, ByteBuffer content);
    }

    /** Over the sums; brings them up to date first. */
    public byte[] digest() throws IOException {
        checkpoint();
        return sums.digest(size);
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

    public FarmException corrupt(String why) {
        return new FarmException(ErrorKind.CORRUPT, "read replica", key.toString(), why);
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

    /** Sums for a file that was copied under another name, from its bytes. */
    static Replica adoptAs(ObjectKey key, DataDirectory disk, Path path, Clock clock, long boot)
            throws IOException {
        Replica replica =
                at(
                        key,
                        disk,
                        path,
                        clock,
                        boot,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING);
        replica.nameNotDurable = true;
        replica.size = replica.data.size();
        replica.verified = clock.now().getEpochSecond();
        replica.adopt();
        return replica;
    }

    /**
     * Writes this replica's sums for the same bytes under another key; they are up to date. Dirty,
     * since nothing of it is synced.
     */
    void writeSumsAs(ObjectKey other, Path target) throws IOException {
        try (SumFile out =
                new SumFile(
                        FileChannel.open(
                                target,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE))) {
            BlockSums copy = new BlockSums(out, other.inode(), other.stripe(), other.generation());
            SumHeader open =
                    new SumHeader(
                            other.inode(),
                            other.stripe(),
                            other.generation(),
                            SumHeader.DIRTY | SumHeader.OPEN,
                            size,
                            boot,
                            verified);
            long count = Blocks.count(size);
            for (long block = 0; block < count; block++) {
                copy.set(block, sums.get(block));
                copy.spill(open);
            }
            copy.write(
                    new SumHeader(
                            other.inode(),
                            other.stripe(),
                            other.generation(),
                            SumHeader.DIRTY,
                            size,
                            boot,
                            verified));
        }
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
        try (file;
                sumFile) {
            if (!failed && !deleted && isOpenForWriting() && !locallyChanged) {
                checkpoint();
            }
        }
    }
}

package org.gridfarm.client.mount.own;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Records in the order in which they came, until they are dropped from the front: a ring in a file
 * that is mapped into memory, so that it costs a few stores and stands there whatever becomes of
 * the process. It need not outlive the machine. Not thread-safe.
 *
 * <pre>
 * 0   magic, then where the first record lies (low 32 bits) and its number (high 32 bits)
 * 64  records: length, CRC32C of number and bytes, number, bytes; each begins at a multiple of 8.
 *     Length -1: the next record is at 64 again.
 * </pre>
 *
 * A record counts when its length, stored last, stands there with the number that is due.
 */
final class OwnLog implements AutoCloseable {
    private static final long MAGIC = 0x67662d6f776e2d31L; // gf-own-1
    private static final int AT_FIRST = 8;
    private static final int BEGIN = 64;
    private static final int HEAD_BYTES = 16;
    private static final int WRAPPED = -1;

    private static final VarHandle LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final VarHandle INT =
            MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private final FileChannel channel;
    private final MappedByteBuffer ring;
    private final int size;
    private int first; // where the first record lies, or is to lie
    private int firstNumber;
    private int next;
    private int nextNumber;

    private OwnLog(FileChannel channel, MappedByteBuffer ring) {
        this.channel = channel;
        this.ring = ring;
        this.size = ring.capacity();
    }

    /**
     * The log in the file, as a former process left it, or a new one.
     *
     * @param bytes of a new one; its room is taken now, so that no record fails for want of it
     */
    static OwnLog open(Path file, int bytes) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        boolean fresh = channel.size() == 0;
        if (fresh) {
            fill(channel, bytes);
        }
        MappedByteBuffer ring =
                channel.map(FileChannel.MapMode.READ_WRITE, 0, (int) channel.size());
        ring.order(ByteOrder.nativeOrder());
        OwnLog log = new OwnLog(channel, ring);
        if (fresh) {
            log.next = BEGIN;
            log.first = BEGIN;
            log.nextNumber = 1;
            log.firstNumber = 1;
            log.storeFirst();
            LONG.setVolatile(ring, 0, MAGIC);
        } else if ((long) LONG.getVolatile(ring, 0) != MAGIC) {
            channel.close();
            throw new IOException(file + " is no log of a mount of this version");
        }
        return log;
    }

    private static void fill(FileChannel channel, int bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(1 << 16);
        for (long at = 0; at < bytes; at += zeros.capacity()) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - at));
            channel.write(zeros, at);
        }
    }

    /** What a former process left, in order; to be called once, before anything is added. */
    List<byte[]> recover() {
        long stored = (long) LONG.getVolatile(ring, AT_FIRST);
        first = (int) stored;
        firstNumber = (int) (stored >>> 32);
        next = first;
        nextNumber = firstNumber;
        List<byte[]> records = new ArrayList<>();
        for (byte[] record = read(); record != null; record = read()) {
            records.add(record);
        }
        return records;
    }

    /** The record that is due at {@code next}; null: there is none. */
    private byte @Nullable [] read() {
        int at = recordAt(next);
        int length = at + HEAD_BYTES > size ? 0 : (int) INT.getAcquire(ring, at);
        if (length <= 0 || at + HEAD_BYTES + length > size || ring.getInt(at + 8) != nextNumber) {
            return null;
        }
        byte[] bytes = new byte[length];
        ring.get(at + HEAD_BYTES, bytes);
        if (ring.getInt(at + 4) != crc(nextNumber, bytes)) {
            return null;
        }
        next = after(at, length);
        nextNumber++;
        return bytes;
    }

    /** Where the record that is due there really lies. */
    private int recordAt(int at) {
        return at + HEAD_BYTES > size || (int) INT.getAcquire(ring, at) == WRAPPED ? BEGIN : at;
    }

    /** Whether a record of so many bytes can be added. */
    boolean hasRoom(int bytes) {
        int need = after(0, bytes) + 8; // one more must never end where the first begins
        if (isEmpty()) return need < size - BEGIN;
        return first < next ? need < size - next || need < first - BEGIN : need < first - next;
    }

    boolean isEmpty() {
        return firstNumber == nextNumber;
    }

    /** There is room for it. */
    void add(byte[] bytes) {
        if (isEmpty() && next != BEGIN) {
            first = BEGIN;
            next = BEGIN;
            storeFirst();
        }
        int at = next;
        if (first <= next && after(next, bytes.length) + 8 >= size) {
            if (at + 4 <= size) INT.setRelease(ring, at, WRAPPED);
            at = BEGIN;
        }
        int end = after(at, bytes.length);
        if (end + 4 <= size && end != first) INT.setRelease(ring, end, 0);
        ring.putInt(at + 4, crc(nextNumber, bytes));
        ring.putInt(at + 8, nextNumber);
        ring.put(at + HEAD_BYTES, bytes);
        INT.setRelease(ring, at, bytes.length);
        next = end;
        nextNumber++;
    }

    /** The first record is not needed any more. */
    void drop() {
        int at = recordAt(first);
        first = after(at, (int) INT.getAcquire(ring, at));
        firstNumber++;
        storeFirst();
    }

    private void storeFirst() {
        LONG.setVolatile(ring, AT_FIRST, ((long) firstNumber << 32) | (first & 0xffffffffL));
    }

    private static int after(int at, int length) {
        return (at + HEAD_BYTES + length + 7) & -8;
    }

    private static int crc(int number, byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(number);
        crc.update(number >>> 8);
        crc.update(number >>> 16);
        crc.update(number >>> 24);
        crc.update(bytes);
        return (int) crc.getValue();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

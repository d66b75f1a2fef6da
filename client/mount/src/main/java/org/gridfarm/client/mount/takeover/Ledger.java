package org.gridfarm.client.mount.takeover;

import org.gridfarm.protocol.wire.Credentials;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a mount's process writes down for the one that may have to go on for it: a file mapped into
 * memory, so that a line costs a few stores and stands there whatever becomes of the process. It
 * need not outlive the machine, which takes the mount with it. Thread-safe.
 *
 * <pre>
 * 0      header: session, leader's epoch, processes so far, highest sequence reserved, the mount as text
 * 8 KiB  table of numbers: the requests of the kernel that are not answered, each with the sequence of its change
 * then   open files, 256 bytes each, in parts of 1 MiB added as they are needed
 * </pre>
 */
public final class Ledger implements OpenBook, AutoCloseable {
    private static final long MAGIC = 0x67662d6d6e742d31L; // gf-mnt-1
    private static final int AT_SESSION = 8;
    private static final int AT_EPOCH = 16;
    private static final int AT_PROCESSES = 24;
    private static final int AT_SEQUENCE = 32;
    private static final int AT_TRUSTED = 40;
    private static final int AT_TEXT = 64;
    private static final int HEADER_BYTES = 8192;

    private static final int FIXED_BYTES = HEADER_BYTES + UnansweredChanges.BYTES;

    private static final int PART_BYTES = 1 << 20;
    private static final int SLOT_BYTES = 256;
    private static final int SLOTS_PER_PART = PART_BYTES / SLOT_BYTES;
    private static final int GROUPS_AT = 64;
    private static final int STAGED_AT = SLOT_BYTES - 8;
    private static final int FILE_AT = STAGED_AT - 8;

    /** Groups beyond these are not kept: the file is reopened at a new leader without them. */
    private static final int GROUPS_MAX = (FILE_AT - GROUPS_AT) / 4;

    private static final int FREE = 0;
    private static final int OPEN = 1;
    private static final int LEAVING = 2;

    /** Sequences are reserved so many at a time. */
    private static final long SEQUENCES_RESERVED = 1 << 16;

    private static final VarHandle LONG =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final VarHandle INT =
            MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    private final FileChannel channel;
    private final MappedByteBuffer fixed;
    private final UnansweredChanges unanswered;

    // guarded by this
    private final List<MappedByteBuffer> parts = new ArrayList<>();
    private final Map<Long, Integer> slots = new HashMap<>();
    private final Deque<Integer> free = new ArrayDeque<>();

    private Ledger(FileChannel channel, MappedByteBuffer fixed) {
        this.channel = channel;
        this.fixed = fixed;
        this.unanswered = new UnansweredChanges(fixed, HEADER_BYTES);
    }

    /**
     * A new ledger where the file is empty, else the one that a former process left: returns when
     * no other process has it any more.
     *
     * @param meanwhile done once if another process has it now
     */
    public static Ledger open(Path file, Runnable meanwhile) throws IOException {
        FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        if (channel.tryLock() == null) { // held until this process ends, however it does
            meanwhile.run();
            channel.lock();
        }
        return mapped(file, channel);
    }

    /** The one that processes left who are all gone; null: one of them is not. */
    public static @Nullable Ledger openLeft(Path file) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        if (channel.tryLock() == null) {
            channel.close();
            return null;
        }
        return mapped(file, channel);
    }

    private static Ledger mapped(Path file, FileChannel channel) throws IOException {
        long size = channel.size();
        MappedByteBuffer fixed = map(channel, 0, FIXED_BYTES);
        Ledger ledger = new Ledger(channel, fixed);
        if (size == 0) {
            LONG.setVolatile(fixed, 0, MAGIC);
        } else if ((long) LONG.getVolatile(fixed, 0) != MAGIC) {
            channel.close();
            throw new IOException(file + " is no ledger of a mount of this version");
        }
        for (long at = FIXED_BYTES; at + PART_BYTES <= size; at += PART_BYTES) {
            ledger.parts.add(map(channel, at, PART_BYTES));
        }
        return ledger;
    }

    private static MappedByteBuffer map(FileChannel channel, long at, int bytes)
            throws IOException {
        MappedByteBuffer part = channel.map(FileChannel.MapMode.READ_WRITE, at, bytes);
        part.order(ByteOrder.nativeOrder());
        return part;
    }

    // ---- the mount and its session

    /** One more process serves the mount. */
    public void processBegins() {
        LONG.setVolatile(fixed, AT_PROCESSES, processes() + 1);
    }

    /** Processes that have served the mount, this one included. */
    public long processes() {
        return (long) LONG.getVolatile(fixed, AT_PROCESSES);
    }

    /** The mount as a line of text; empty: nothing is mounted yet. */
    public synchronized String mount() {
        int length = (int) INT.getVolatile(fixed, AT_TEXT);
        byte[] text = new byte[length];
        fixed.get(AT_TEXT + 4, text);
        return new String(text, StandardCharsets.UTF_8);
    }

    public synchronized void mounted(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > HEADER_BYTES - AT_TEXT - 4) {
            throw new IllegalArgumentException("too long: " + text);
        }
        fixed.put(AT_TEXT + 4, bytes);
        INT.setVolatile(fixed, AT_TEXT, bytes.length);
    }

    /** 0: none yet. */
    public long session() {
        return (long) LONG.getVolatile(fixed, AT_SESSION);
    }

    public long epoch() {
        return (long) LONG.getVolatile(fixed, AT_EPOCH);
    }

    public void session(long session, long epoch) {
        LONG.setVolatile(fixed, AT_EPOCH, epoch);
        LONG.setVolatile(fixed, AT_SESSION, session);
    }

    /** Whether the metaserver lets this mount speak for its callers. */
    public boolean isTrusted() {
        return (int) INT.getVolatile(fixed, AT_TRUSTED) != 0;
    }

    public void trusted(boolean trusted) {
        INT.setVolatile(fixed, AT_TRUSTED, trusted ? 1 : 0);
    }

    // ---- numbers

    /** Every sequence used so far is at most this. */
    public long sequencesReserved() {
        return (long) LONG.getVolatile(fixed, AT_SEQUENCE);
    }

    /** To be called before the sequence is used. */
    public synchronized void sequenceUsed(long sequence) {
        if (sequence > sequencesReserved()) {
            LONG.setVolatile(fixed, AT_SEQUENCE, sequence + SEQUENCES_RESERVED);
        }
    }

    UnansweredChanges unanswered() {
        return unanswered;
    }

    // ---- open files

    @Override
    public synchronized void opened(OpenRecord record) {
        int slot = takeSlot();
        MappedByteBuffer part = parts.get(slot / SLOTS_PER_PART);
        int at = slot % SLOTS_PER_PART * SLOT_BYTES;
        part.putInt(at + 4, record.mode());
        part.putLong(at + 8, record.number());
        part.putLong(at + 16, record.inode());
        part.putLong(at + 24, record.server());
        part.putLong(at + 32, record.request());
        boolean isFileKnown = record.file() != 0;
        part.putInt(at + 40, record.access() | (isFileKnown ? OpenRecord.FILE_KNOWN : 0));
        part.putInt(at + 44, record.backing());
        part.putInt(at + 48, record.who().getUid());
        part.putInt(at + 52, record.who().getGid());
        int groups = Math.min(record.who().getGroupsCount(), GROUPS_MAX);
        part.putInt(at + 56, groups);
        part.putInt(at + 60, record.generation());
        part.putLong(at + STAGED_AT, record.staged());
        part.putLong(at + FILE_AT, record.file());
        for (int i = 0; i < groups; i++) {
            part.putInt(at + GROUPS_AT + 4 * i, record.who().getGroups(i));
        }
        INT.setRelease(part, at, OPEN);
        slots.put(record.number(), slot);
    }

    private int takeSlot() {
        Integer slot = free.poll();
        if (slot != null) {
            return slot;
        }
        try {
            parts.add(map(channel, FIXED_BYTES + (long) parts.size() * PART_BYTES, PART_BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int first = (parts.size() - 1) * SLOTS_PER_PART;
        for (int i = first + 1; i < first + SLOTS_PER_PART; i++) {
            free.add(i);
        }
        return first;
    }

    @Override
    public synchronized void leaving(long number) {
        state(number, LEAVING);
    }

    @Override
    public synchronized void closed(long number) {
        state(number, FREE);
        Integer slot = slots.remove(number);
        if (slot != null) {
            free.push(slot);
        }
    }

    private void state(long number, int state) {
        Integer slot = slots.get(number);
        if (slot != null) {
            INT.setRelease(
                    parts.get(slot / SLOTS_PER_PART), slot % SLOTS_PER_PART * SLOT_BYTES, state);
        }
    }

    /** What a former process had open: files still the kernel's, and files only to be closed. */
    public record Former(List<OpenRecord> open, List<OpenRecord> leaving) {}

    /** To be called once, before anything else is opened. */
    public synchronized Former former() {
        Former former = new Former(new ArrayList<>(), new ArrayList<>());
        for (int slot = 0; slot < parts.size() * SLOTS_PER_PART; slot++) {
            MappedByteBuffer part = parts.get(slot / SLOTS_PER_PART);
            int at = slot % SLOTS_PER_PART * SLOT_BYTES;
            int state = (int) INT.getVolatile(part, at);
            if (state == FREE) {
                free.add(slot);
                continue;
            }
            OpenRecord record = record(part, at);
            slots.put(record.number(), slot);
            (state == OPEN ? former.open() : former.leaving()).add(record);
        }
        // Closed and opened again with the same handle of the metaserver.
        Set<Long> used = new HashSet<>();
        former.open().forEach(record -> used.add(record.server()));
        List<OpenRecord> over =
                former.leaving().stream().filter(r -> !used.add(r.server())).toList();
        former.leaving().removeAll(over);
        over.forEach(record -> closed(record.number()));
        return former;
    }

    private static OpenRecord record(MappedByteBuffer part, int at) {
        Credentials.Builder who =
                Credentials.newBuilder().setUid(part.getInt(at + 48)).setGid(part.getInt(at + 52));
        int groups = part.getInt(at + 56);
        for (int i = 0; i < groups; i++) {
            who.addGroups(part.getInt(at + GROUPS_AT + 4 * i));
        }
        int access = part.getInt(at + 40);
        boolean isFileKnown = (access & OpenRecord.FILE_KNOWN) != 0; // programs before wrote none
        return new OpenRecord(
                part.getLong(at + 8),
                part.getLong(at + 16),
                part.getLong(at + 24),
                part.getLong(at + 32),
                part.getInt(at + 4),
                part.getInt(at + 44),
                access & ~OpenRecord.FILE_KNOWN,
                part.getInt(at + 60),
                part.getLong(at + STAGED_AT),
                isFileKnown ? part.getLong(at + FILE_AT) : 0,
                who.build());
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

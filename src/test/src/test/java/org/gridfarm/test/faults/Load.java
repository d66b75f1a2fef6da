package org.gridfarm.test.faults;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writers with fsync and close, appenders, readers, rewrites, truncations and renames through one
 * door, until told to stop.
 */
final class Load implements Runnable {
    private static final int BYTES_MAX = 600_000;
    private static final int RECORD_BYTES_MAX = 4_000;
    private static final Duration TOLD = Duration.ofSeconds(6);

    /** What all loads of a run count together. */
    static final class Count {
        final AtomicInteger done = new AtomicInteger();
        final AtomicInteger refused = new AtomicInteger();
        private long slowestNanos; // guarded by this
        private String slowest = "none";
        private final Map<String, Integer> reasons = new TreeMap<>(); // guarded by itself

        void refused(IOException e) {
            refused.incrementAndGet();
            String reason =
                    String.valueOf(e.getMessage()).replaceAll("[0-9a-f]{6,}|[a-z]+-\\d+-\\d+", "#");
            synchronized (reasons) {
                reasons.merge(reason, 1, Integer::sum);
            }
        }

        synchronized void took(long nanos, String call) {
            if (nanos > TOLD.toNanos()) {
                System.out.println("took " + Duration.ofNanos(nanos).toMillis() + " ms: " + call);
            }
            if (nanos > slowestNanos) {
                slowestNanos = nanos;
                slowest = call;
            }
        }

        synchronized Duration slowestTook() {
            return Duration.ofNanos(slowestNanos);
        }

        synchronized String slowest() {
            return slowest;
        }

        @Override
        public String toString() {
            synchronized (reasons) {
                return done
                        + " done, "
                        + refused
                        + " refused "
                        + reasons
                        + ", slowest call "
                        + slowest()
                        + " "
                        + slowestTook().toMillis()
                        + " ms";
            }
        }
    }

    private final Door door;
    private final Oracle oracle;
    private final Random random;
    private final String mark;
    private final Count count;
    private final AtomicBoolean stop;
    private int serial;
    private Door.@Nullable Open log;
    private String logName = "";

    Load(Door door, Oracle oracle, long seed, String mark, Count count, AtomicBoolean stop) {
        this.door = door;
        this.oracle = oracle;
        this.random = new Random(seed);
        this.mark = mark;
        this.count = count;
        this.stop = stop;
    }

    @Override
    public void run() {
        while (!stop.get()) {
            try {
                int dice = random.nextInt(100);
                if (dice < 25 && oracle.hasRoom()) {
                    create();
                } else if (dice < 50) {
                    read();
                } else if (dice < 75 && (log != null || oracle.hasRoom())) {
                    append();
                } else if (dice < 88) {
                    rewrite();
                } else if (dice < 95) {
                    truncate();
                } else {
                    rename();
                }
                count.done.incrementAndGet();
            } catch (IOException e) {
                count.refused(e); // not acknowledged: nothing is promised
            }
        }
        endLog();
    }

    private interface Call<T> {
        T run() throws IOException;
    }

    private interface Act {
        void run() throws IOException;
    }

    private <T> T timed(String name, Call<T> call) throws IOException {
        long begin = System.nanoTime();
        try {
            return call.run();
        } finally {
            count.took(System.nanoTime() - begin, name + " through " + door);
        }
    }

    private void timed(String name, Act act) throws IOException {
        timed(
                name,
                () -> {
                    act.run();
                    return true;
                });
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private String name(String kind) {
        return kind + "-" + mark + "-" + serial++;
    }

    /** Two parts; what an fsync between them acknowledged stays, whatever becomes of the rest. */
    private void create() throws IOException {
        String name = name("file");
        byte[] content = bytes(1 + random.nextInt(BYTES_MAX));
        int first = random.nextInt(content.length);
        Expected expected = new Expected(Arrays.copyOf(content, first));
        expected.attempt(content);
        try (Door.Open file = timed("create", () -> door.create(name))) {
            timed("write", () -> file.write(0, Arrays.copyOf(content, first)));
            if (random.nextBoolean()) {
                timed("fsync", file::sync);
                oracle.keep(name);
                oracle.add(name, expected);
            }
            timed(
                    "write",
                    () -> file.write(first, Arrays.copyOfRange(content, first, content.length)));
            timed("close", file::close);
        }
        expected.acknowledged();
        oracle.add(name, expected);
        oracle.giveBack(name);
    }

    private void read() throws IOException {
        String name = oracle.take(random).orElse(null);
        if (name == null) {
            return;
        }
        try {
            Expected expected = oracle.of(name);
            byte[] actual;
            try (Door.Open file = timed("open", () -> door.reading(name))) {
                actual = contents(file);
            }
            String fault = expected == null ? null : expected.fault(actual);
            if (fault != null) {
                oracle.fault(name + " read through " + door + ": " + fault);
            }
        } finally {
            oracle.giveBack(name);
        }
    }

    /** Each call by itself: that is what has a deadline. */
    private byte[] contents(Door.Open file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(timed("stat", file::size).intValue());
        while (bytes.hasRemaining()
                && timed("read", () -> file.read(bytes.position(), bytes)) > 0) {}
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    /** A log that stays open; its records are acknowledged by an fsync now and then. */
    private void append() throws IOException {
        Door.Open open = log;
        if (open == null) {
            logName = name("log");
            oracle.keep(logName);
            String name = logName;
            open = timed("open", () -> door.appending(name));
            log = open;
        }
        Door.Open to = open;
        Expected known = oracle.of(logName);
        Expected expected = known == null ? new Expected(new byte[0]) : known;
        try {
            for (int i = random.nextInt(4); i >= 0; i--) {
                byte[] record = bytes(1 + random.nextInt(RECORD_BYTES_MAX));
                byte[] before = expected.attempted();
                byte[] after = Arrays.copyOf(before, before.length + record.length);
                System.arraycopy(record, 0, after, before.length, record.length);
                expected.attempt(after);
                timed("append", () -> to.append(record));
            }
            timed("fsync", to::sync);
            expected.acknowledged();
            oracle.add(logName, expected);
        } catch (IOException e) {
            endLog();
            throw e;
        }
        if (expected.sure().length > BYTES_MAX) {
            endLog();
        }
    }

    private void endLog() {
        Door.Open open = log;
        log = null;
        if (open == null) {
            return;
        }
        try {
            timed("close", open::close);
            Expected expected = oracle.of(logName);
            if (expected != null && expected.isSure()) {
                oracle.giveBack(logName);
            }
        } catch (IOException e) {
            count.refused(e);
        }
    }

    private void rewrite() throws IOException {
        changed((file, before) -> {
            int at = random.nextInt(before.length + 1);
            byte[] patch = bytes(1 + random.nextInt(50_000));
            byte[] after = Arrays.copyOf(before, Math.max(before.length, at + patch.length));
            System.arraycopy(patch, 0, after, at, patch.length);
            return new Change(after, () -> file.write(at, patch));
        });
    }

    private void truncate() throws IOException {
        changed((file, before) -> {
            int size = random.nextInt(before.length + 1);
            return new Change(Arrays.copyOf(before, size), () -> file.truncate(size));
        });
    }

    private record Change(byte[] after, Act act) {}

    private interface Planned {
        Change of(Door.Open file, byte[] before);
    }

    private void changed(Planned planned) throws IOException {
        String name = oracle.take(random).orElse(null);
        Expected expected = name == null ? null : oracle.of(name);
        if (name == null || expected == null) {
            return;
        }
        Door.Open opened;
        try {
            opened = timed("open", () -> door.change(name));
        } catch (IOException e) {
            oracle.giveBack(name);
            throw e;
        }
        try (Door.Open file = opened) {
            Change change = planned.of(file, expected.sure());
            expected.attempt(change.after);
            timed("change", change.act);
            if (random.nextBoolean()) {
                timed("fsync", file::sync);
            }
            timed("close", file::close);
        }
        expected.acknowledged();
        oracle.giveBack(name);
    }

    private void rename() throws IOException {
        String from = oracle.take(random).orElse(null);
        if (from == null) {
            return;
        }
        String to = name("moved");
        try {
            timed("rename", () -> door.rename(from, to));
            oracle.renamed(from, to);
        } catch (IOException e) {
            oracle.forget(from); // it has one name or the other
            throw e;
        } finally {
            oracle.giveBack(from);
        }
    }
}

package org.gridfarm.metaserver.backup;

import org.gridfarm.metaserver.commit.StateSink;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.DumpEnd;
import org.gridfarm.protocol.wire.DumpHeader;
import org.gridfarm.protocol.wire.DumpRecord;
import org.gridfarm.protocol.wire.Outcome;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * The file of a dump: one line of text that names the format, then, compressed by gzip, messages
 * DumpRecord each behind its length as a varint: a header, rows as after-images (a later one
 * replaces an earlier one of the same key), and an end that holds how many there were and the
 * CRC-32C of all bytes before it. Messages only ever gain fields, so a later program reads it.
 *
 * <p>It holds the secret that tickets are made with, so only its owner may read it. It appears
 * under its name when it is whole and on stable storage.
 */
public final class DumpFile {
    private static final String FIRST_LINE = "gridfarm metadata dump ";
    private static final int FORMAT = 1;
    private static final int BUFFER_BYTES = 1 << 20;

    private final Path file;

    public DumpFile(Path file) {
        this.file = file.toAbsolutePath();
    }

    /** How much there is in a dump. */
    public record Summary(long records, DumpEnd end) {}

    // ---- writing ----------------------------------------------------------------------------

    public Summary write(BackupStore store) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        DumpEnd end;
        try (FileChannel channel =
                FileChannel.open(
                        fresh,
                        EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")))) {
            end = write(store, Channels.newOutputStream(channel));
            channel.force(true);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        Files.move(
                fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel directory = FileChannel.open(file.resolveSibling("."))) {
            directory.force(true);
        }
        return new Summary(end.getRecords(), end);
    }

    private static DumpEnd write(BackupStore store, OutputStream to) throws IOException {
        to.write((FIRST_LINE + FORMAT + "\n").getBytes(StandardCharsets.US_ASCII));
        GZIPOutputStream compressed = new GZIPOutputStream(to, BUFFER_BYTES);
        CheckedOutputStream out =
                new CheckedOutputStream(
                        new BufferedOutputStream(compressed, BUFFER_BYTES), new CRC32C());
        Records records = new Records(out);
        DumpEnd stood =
                store.dump(
                        header -> records.add(DumpRecord.newBuilder().setHeader(header)), records);
        DumpEnd end =
                stood.toBuilder()
                        .setRecords(records.count)
                        .setCrc32C((int) out.getChecksum().getValue())
                        .build();
        DumpRecord.newBuilder().setEnd(end).build().writeDelimitedTo(out);
        out.flush();
        compressed.finish();
        return end;
    }

    private static final class Records implements StateSink {
        private final OutputStream out;
        private long count;

        Records(OutputStream out) {
            this.out = out;
        }

        void add(DumpRecord.Builder record) {
            try {
                record.build().writeDelimitedTo(out);
                count++;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void change(Change change) {
            add(DumpRecord.newBuilder().setChange(change));
        }

        @Override
        public void outcome(Outcome outcome) {
            add(DumpRecord.newBuilder().setOutcome(outcome));
        }

        @Override
        public void batch(ChangeBatch batch) {
            batch.getChangesList().forEach(this::change);
            batch.getOutcomesList().forEach(this::outcome);
        }
    }

    // ---- reading ----------------------------------------------------------------------------

    public Summary restore(BackupStore store) throws IOException {
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES)) {
            requireFormat(raw);
            CheckedInputStream in =
                    new CheckedInputStream(
                            new BufferedInputStream(
                                    new GZIPInputStream(raw, BUFFER_BYTES), BUFFER_BYTES),
                            new CRC32C());
            Reader reader = new Reader(in);
            store.restore(reader);
            return new Summary(reader.count, reader.end);
        } catch (java.util.zip.ZipException | java.io.EOFException e) {
            throw damaged("it ends too early or is not what was written", e);
        }
    }

    private void requireFormat(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0 || line.length() > 80)
                throw damaged("it is no dump of a farm's metadata", null);
            line.append((char) c);
        }
        String text = line.toString();
        if (!text.matches(FIRST_LINE + "[0-9]{1,6}")) {
            throw damaged("it is no dump of a farm's metadata", null);
        }
        int format = Integer.parseInt(text.substring(FIRST_LINE.length()));
        if (format > FORMAT) {
            throw new FarmException(
                    ErrorKind.WRONG_VERSION,
                    "restore",
                    file.toString(),
                    "its format is "
                            + format
                            + " and this program knows formats up to "
                            + FORMAT
                            + ": use a newer program");
        }
    }

    private FarmException damaged(String why, @org.jspecify.annotations.Nullable Throwable cause) {
        return new FarmException(ErrorKind.CORRUPT, "restore", file.toString(), why, cause);
    }

    private final class Reader implements BackupStore.Source {
        private final CheckedInputStream in;
        private long count;
        private DumpEnd end = DumpEnd.getDefaultInstance();

        Reader(CheckedInputStream in) {
            this.in = in;
        }

        private DumpRecord next() throws IOException {
            try {
                DumpRecord record = DumpRecord.parseDelimitedFrom(in);
                if (record == null) throw damaged("it ends too early", null);
                return record;
            } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                throw damaged("record " + (count + 1) + " cannot be read", e);
            }
        }

        @Override
        public DumpHeader header() throws IOException {
            DumpRecord first = next();
            if (!first.hasHeader()) throw damaged("it has no header", null);
            count++;
            return first.getHeader();
        }

        @Override
        public DumpEnd rows(BackupStore.RowSink sink) throws IOException {
            while (true) {
                long checksum = in.getChecksum().getValue();
                DumpRecord record = next();
                switch (record.getRecordCase()) {
                    case CHANGE -> sink.change(record.getChange());
                    case OUTCOME -> sink.outcome(record.getOutcome());
                    case END -> {
                        end = record.getEnd();
                        if (end.getRecords() != count || end.getCrc32C() != (int) checksum) {
                            throw damaged("its checksum is not that of what it holds", null);
                        }
                        return end;
                    }
                    case HEADER, RECORD_NOT_SET ->
                            throw damaged("record " + (count + 1) + " is of no known kind", null);
                }
                count++;
            }
        }
    }
}

package org.gridfarm.metaserver.postgres;

import org.gridfarm.metaserver.backup.BackupStore;
import org.gridfarm.metaserver.commit.Fold;
import org.gridfarm.metaserver.commit.StateSink;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.DumpEnd;
import org.gridfarm.protocol.wire.DumpHeader;
import org.gridfarm.protocol.wire.Outcome;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A whole database out and in, each in one transaction: the dump sees one moment, tables and
 * journal together; the restore is there as a whole or not at all.
 */
public final class PostgresBackup implements BackupStore {
    private static final int FOLD_ROWS = 20_000;

    /**
     * Epochs after the dump may have been seen by nodes and clients; those of the restored farm
     * must be later than all of them.
     */
    private static final long EPOCHS_SKIPPED = 1_000_000;

    private final DatabaseSettings settings;

    public PostgresBackup(DatabaseSettings settings) {
        this.settings = settings;
    }

    @Override
    public DumpEnd dump(HeaderSink header, StateSink rows) {
        try (PostgresStore store = PostgresStore.open(settings)) {
            return store.snapshot(connection -> {
                header.header(header(connection));
                PostgresStore.Stand stand = PostgresStore.readAll(connection, rows);
                return DumpEnd.newBuilder()
                        .setSequence(stand.sequence())
                        .setNextInode(stand.nextInode())
                        .build();
            });
        }
    }

    private static DumpHeader header(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT instance, epoch, (extract(epoch FROM now()) * 1000)::int8 FROM"
                                        + " gridfarm.leader")) {
            row.next();
            return DumpHeader.newBuilder()
                    .setInstance(row.getLong(1))
                    .setEpoch(row.getLong(2))
                    .setAtMillis(row.getLong(3))
                    .build();
        }
    }

    @Override
    public void restore(Source source) throws IOException {
        try (PostgresStore store = PostgresStore.open(settings)) {
            store.transaction(connection -> {
                try {
                    restore(connection, source);
                    return true;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void restore(Connection connection, Source source) throws SQLException, IOException {
        requireEmpty(connection);
        DumpHeader header = source.header();
        Filler filler = new Filler(new TableWriter(connection));
        DumpEnd end = source.rows(filler);
        filler.write();
        run(
                connection,
                "UPDATE gridfarm.leader SET instance = ?, epoch = ?",
                header.getInstance(),
                header.getEpoch() + EPOCHS_SKIPPED);
        run(
                connection,
                "UPDATE gridfarm.apply_state SET applied_seq = ?, next_ino = greatest(next_ino, ?)",
                end.getSequence(),
                end.getNextInode());
    }

    private static void run(Connection connection, String sql, long first, long second)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, first);
            statement.setLong(2, second);
            statement.executeUpdate();
        }
    }

    private void requireEmpty(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT (SELECT count(*) FROM (SELECT 1 FROM gridfarm.inode LIMIT 2) i) > 1"
                                        + " OR EXISTS (SELECT 1 FROM gridfarm.journal)"
                                        + " OR (SELECT applied_seq FROM gridfarm.apply_state) > 0")) {
            row.next();
            if (row.getBoolean(1)) {
                throw new FarmException(
                        ErrorKind.ALREADY_EXISTS,
                        "restore",
                        settings.url(),
                        "there is a farm in it; name an empty database");
            }
        }
    }

    /** Rows into the tables, many at once. */
    private static final class Filler implements RowSink {
        private final TableWriter writer;
        private ChangeBatch.Builder rows = ChangeBatch.newBuilder();
        private long chunk;

        Filler(TableWriter writer) {
            this.writer = writer;
        }

        @Override
        public void change(Change change) {
            rows.addChanges(change);
            if (rows.getChangesCount() == FOLD_ROWS) write();
        }

        @Override
        public void outcome(Outcome outcome) {
            rows.addOutcomes(outcome);
            if (rows.getOutcomesCount() == FOLD_ROWS) write();
        }

        void write() {
            Fold fold = new Fold();
            fold.add(rows.setSequence(++chunk).build());
            rows = ChangeBatch.newBuilder();
            try {
                writer.write(fold);
            } catch (SQLException e) {
                throw SqlFailures.running("restoring", e);
            }
        }
    }
}

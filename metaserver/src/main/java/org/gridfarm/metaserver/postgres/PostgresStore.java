package org.gridfarm.metaserver.postgres;

import com.google.protobuf.InvalidProtocolBufferException;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import org.gridfarm.metaserver.commit.Fold;
import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.StateSink;
import org.gridfarm.metaserver.commit.StoreException;
import org.gridfarm.protocol.database.ConnectionLimits;
import org.gridfarm.protocol.database.Fence;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * The journal and the tables in PostgreSQL. The journal is written over one connection of its own,
 * one autocommitted statement per batch; all else borrows from a small pool.
 *
 * <p>The fence: the insert selects the leader row of its own epoch {@code FOR SHARE}. A new
 * leader's update of that row waits for a running insert, and every later insert of the old leader
 * finds no row and inserts nothing ({@link Fence}).
 */
public final class PostgresStore implements JournalStore {
    private static final Logger log = LoggerFactory.getLogger(PostgresStore.class);
    private static final String APPEND =
            """
            INSERT INTO gridfarm.journal (seq, epoch, n_ops, crc32c, data)
            SELECT ?, f.epoch, ?, ?, ? FROM (SELECT epoch FROM gridfarm.leader WHERE epoch = ? FOR SHARE) f
            """;
    private static final int JOURNAL_FETCH_ROWS = 64;

    /** A row of more is fetched alone. */
    private static final int JOURNAL_SMALL_BYTES = 64 << 10;

    private final DatabaseSettings settings;
    private final HikariDataSource pool;
    private final Fence fence = new Fence("gridfarm.leader");
    private @Nullable Connection journal; // guarded by this
    private @Nullable PreparedStatement append; // guarded by this

    private PostgresStore(DatabaseSettings settings, HikariDataSource pool) {
        this.settings = settings;
        this.pool = pool;
    }

    /** Connects and migrates; what is wrong is said in one line. */
    public static PostgresStore open(DatabaseSettings settings) {
        // One plain connection first: its failure names the cause, the pool's does not.
        try (Connection probe = connect(settings)) {
            log.debug("connected to {}", probe.getMetaData().getDatabaseProductVersion());
        } catch (SQLException e) {
            throw SqlFailures.starting(settings, e);
        }
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(settings.url());
        config.setUsername(settings.user());
        config.setPassword(settings.password());
        config.setMaximumPoolSize(settings.pool());
        config.setMinimumIdle(1);
        config.setPoolName("gridfarm-meta");
        config.setConnectionTimeout(5_000);
        driverProperties().forEach((k, v) -> config.addDataSourceProperty((String) k, v));
        HikariDataSource pool = new HikariDataSource(config);
        try {
            Migrations.run(settings, pool);
            return new PostgresStore(settings, pool);
        } catch (RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    private static Properties driverProperties() {
        Properties properties = ConnectionLimits.of("gridfarm-metaserver");
        properties.setProperty("prepareThreshold", "1");
        return properties;
    }

    private static Connection connect(DatabaseSettings settings) throws SQLException {
        Properties properties = driverProperties();
        properties.setProperty("user", settings.user());
        properties.setProperty("password", settings.password());
        return DriverManager.getConnection(settings.url(), properties);
    }

    @Override
    public Claim claim(String holder) {
        try (Connection connection = pool.getConnection()) {
            return fence.raise(
                    connection,
                    holder,
                    "epoch, instance",
                    row -> new Claim(row.getLong(1), row.getLong(2)));
        } catch (SQLException e) {
            throw SqlFailures.running("taking the lead", e);
        }
    }

    /** Something done on one connection. */
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    /** How far a state goes. */
    record Stand(long sequence, long nextInode) {}

    @Override
    public Loaded load(StateSink sink) {
        Stand stand = snapshot(connection -> readAll(connection, sink));
        return new Loaded(stand.sequence(), stand.nextInode());
    }

    /** Sees the database as of one moment. */
    <T> T snapshot(Work<T> work) {
        try (Connection connection = pool.getConnection()) {
            beginSnapshot(connection);
            try {
                return work.on(connection);
            } finally {
                endSnapshot(connection);
            }
        } catch (SQLException e) {
            throw SqlFailures.running("loading", e);
        }
    }

    /** Tables, then the journal after them; within a snapshot. */
    static Stand readAll(Connection connection, StateSink sink) throws SQLException {
        long applied;
        long nextInode;
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT applied_seq, next_ino FROM gridfarm.apply_state")) {
            row.next();
            applied = row.getLong(1);
            nextInode = row.getLong(2);
        }
        TableReader.readAll(connection, sink);
        long last = readJournal(connection, applied, Long.MAX_VALUE, sink::batch);
        return new Stand(Math.max(applied, last), nextInode);
    }

    @Override
    public boolean tail(long afterSequence, Consumer<ChangeBatch> journalRows) {
        try (Connection connection = pool.getConnection()) {
            beginSnapshot(connection);
            try {
                if (applied(connection) > afterSequence) {
                    return false;
                }
                readJournal(connection, afterSequence, Long.MAX_VALUE, journalRows);
                return true;
            } finally {
                endSnapshot(connection);
            }
        } catch (SQLException e) {
            throw SqlFailures.running("reading the journal", e);
        }
    }

    /**
     * The journal may hold rows that are neither in the tables nor in the fold: what an earlier
     * leader made durable and had not folded when it died, or had folded just before the database
     * crashed. They come first, since the rows up to the fold are forgotten with it.
     */
    private static void writeBefore(
            Connection connection, TableWriter writer, long applied, long first)
            throws SQLException {
        Fold earlier = new Fold();
        readJournal(connection, applied, first, earlier::add);
        if (!earlier.isEmpty()) writer.write(earlier);
    }

    private static void beginSnapshot(Connection connection) throws SQLException {
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
    }

    private static void endSnapshot(Connection connection) throws SQLException {
        connection.rollback();
        connection.setAutoCommit(true);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }

    /** Small rows come many at once, a large one alone: they are read beside the whole state. */
    private static long readJournal(
            Connection connection, long after, long before, Consumer<ChangeBatch> journalRows)
            throws SQLException {
        long last = 0;
        try (PreparedStatement statement =
                        connection.prepareStatement(
                                "SELECT seq, crc32c, CASE WHEN length(data) <= "
                                        + JOURNAL_SMALL_BYTES
                                        + " THEN data END FROM gridfarm.journal WHERE seq > ? AND"
                                        + " seq < ? ORDER BY seq");
                PreparedStatement alone =
                        connection.prepareStatement(
                                "SELECT data FROM gridfarm.journal WHERE seq = ?")) {
            statement.setLong(1, after);
            statement.setLong(2, before);
            statement.setFetchSize(JOURNAL_FETCH_ROWS);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    last = row.getLong(1);
                    byte[] data = row.getBytes(3);
                    journalRows.accept(
                            parse(last, row.getInt(2), data == null ? large(alone, last) : data));
                }
            }
        }
        return last;
    }

    private static byte[] large(PreparedStatement alone, long sequence) throws SQLException {
        alone.setLong(1, sequence);
        try (ResultSet row = alone.executeQuery()) {
            row.next();
            return row.getBytes(1);
        }
    }

    private static ChangeBatch parse(long sequence, int checksum, byte[] data) {
        if (checksum(data) != checksum) {
            throw new StoreException(
                    "journal row "
                            + sequence
                            + " does not match its checksum: the database is damaged",
                    null);
        }
        try {
            return ChangeBatch.parseFrom(data);
        } catch (InvalidProtocolBufferException e) {
            throw new StoreException("journal row " + sequence + " cannot be read", e);
        }
    }

    private static int checksum(byte[] data) {
        CRC32C crc = new CRC32C();
        crc.update(data, 0, data.length);
        return (int) crc.getValue();
    }

    @Override
    public synchronized boolean append(ChangeBatch batch) {
        byte[] data = batch.toByteArray();
        try {
            PreparedStatement statement = appendStatement();
            statement.setLong(1, batch.getSequence());
            statement.setInt(2, Math.max(1, batch.getOutcomesCount()));
            statement.setInt(3, checksum(data));
            statement.setBytes(4, data);
            statement.setLong(5, batch.getEpoch());
            return statement.executeUpdate() == 1;
        } catch (SQLException e) {
            dropJournalConnection();
            throw SqlFailures.running(
                    SqlFailures.isUniqueViolation(e)
                            ? "journal row " + batch.getSequence() + " is there already"
                            : "writing the journal",
                    e);
        }
    }

    private PreparedStatement appendStatement() throws SQLException {
        PreparedStatement statement = append;
        if (statement == null) {
            Connection connection = connect(settings);
            journal = connection;
            try (Statement set = connection.createStatement()) {
                // Acknowledged means durable, whatever the server's default is.
                set.execute("SET synchronous_commit = on");
            }
            statement = connection.prepareStatement(APPEND);
            append = statement;
        }
        return statement;
    }

    private void dropJournalConnection() {
        Connection connection = journal;
        journal = null;
        append = null;
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException e) {
                log.debug("closing a broken connection: {}", e.getMessage());
            }
        }
    }

    @Override
    public long epochOf(long sequence) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement =
                        connection.prepareStatement(
                                "SELECT epoch FROM gridfarm.journal WHERE seq = ?")) {
            statement.setLong(1, sequence);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? row.getLong(1) : -1;
            }
        } catch (SQLException e) {
            throw SqlFailures.running("looking for a journal row", e);
        }
    }

    /** All or nothing; a failure of any kind leaves things as they were. */
    <T> T transaction(Work<T> work) {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                T result = work.on(connection);
                connection.commit();
                return result;
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw SqlFailures.running("writing", e);
        }
    }

    @Override
    public boolean fold(Fold fold, long epoch) {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                try (Statement set = connection.createStatement()) {
                    // Tables and applied_seq go back together in a crash, and the journal is still
                    // there then.
                    set.execute("SET LOCAL synchronous_commit = off");
                }
                if (!fence.holds(connection, epoch)) {
                    return false;
                }
                long applied = applied(connection);
                if (applied < fold.sequence()) {
                    TableWriter writer = new TableWriter(connection);
                    writeBefore(connection, writer, applied, fold.first());
                    writer.write(fold);
                }
                connection.commit();
                return true;
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw SqlFailures.running("folding the journal into the tables", e);
        }
    }

    @Override
    public long currentEpoch() {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT epoch FROM gridfarm.leader")) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw SqlFailures.running("asking who leads", e);
        }
    }

    @Override
    public long appliedSequence() {
        try (Connection connection = pool.getConnection()) {
            return applied(connection);
        } catch (SQLException e) {
            throw SqlFailures.running("reading the applied sequence", e);
        }
    }

    private static long applied(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT applied_seq FROM gridfarm.apply_state")) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public synchronized void close() {
        dropJournalConnection();
        pool.close();
    }
}

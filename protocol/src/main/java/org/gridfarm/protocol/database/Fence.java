package org.gridfarm.protocol.database;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The one row of a table {@code (epoch, holder, since, ...)} by which the servers that share a
 * database agree which of them writes. Who leads reads the row of its epoch {@code FOR SHARE}
 * within every transaction that writes; who takes the lead raises the epoch, and so waits until
 * what is written under the former one has ended.
 *
 * <p>A former leader that hangs amid a transaction (it was stopped, its machine lost power, the
 * network to it is gone) would be waited for as long as the database believes in its connection,
 * which can be hours. So its connection is ended; what it had written of that transaction is
 * undone, as if it had died. Safe for use by many threads at once.
 */
public final class Fence {
    private static final Logger log = LoggerFactory.getLogger(Fence.class);

    /** A transaction of a leader that runs takes milliseconds, a large one some hundred. */
    private static final int PATIENCE_MILLIS = 500;

    /** One is enough, unless others take the lead or start transactions meanwhile. */
    private static final int ATTEMPTS_MAX = 10;

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /** Those that wait to raise the epoch themselves hold ROW EXCLUSIVE, readers ACCESS SHARE. */
    private static final String END_HOLDERS =
            """
            SELECT pid, pg_terminate_backend(pid) FROM pg_locks
            WHERE relation = ?::regclass AND mode = 'RowShareLock' AND granted
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
              AND pid <> pg_backend_pid()
            """;

    private final String table;

    /**
     * @param table its name as in SQL; no text of a user
     */
    public Fence(String table) {
        this.table = table;
    }

    /** What is wanted of the row. */
    @FunctionalInterface
    public interface Read<T> {
        T from(ResultSet row) throws SQLException;
    }

    /**
     * Raises the epoch, durable when this returns: from then on nothing is written under an earlier
     * one.
     *
     * @param connection of a pool that undoes and resets what it is given back, as HikariCP does
     * @param columns what {@code read} is given
     */
    public <T> T raise(Connection connection, String holder, String columns, Read<T> read)
            throws SQLException {
        connection.setAutoCommit(false);
        for (int attempt = 1; ; attempt++) {
            try {
                return tryToRaise(connection, holder, columns, read);
            } catch (SQLException e) {
                boolean isHeld = LOCK_NOT_AVAILABLE.equals(e.getSQLState());
                if (!isHeld || attempt == ATTEMPTS_MAX) throw e;
                connection.rollback();
            }
            endHolders(connection);
        }
    }

    /**
     * Within a transaction that writes: whether nobody has raised the epoch, nor does before its
     * end.
     */
    public boolean holds(Connection connection, long epoch) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(
                        "SELECT 1 FROM " + table + " WHERE epoch = ? FOR SHARE")) {
            statement.setLong(1, epoch);
            try (ResultSet row = statement.executeQuery()) {
                return row.next();
            }
        }
    }

    private <T> T tryToRaise(Connection connection, String holder, String columns, Read<T> read)
            throws SQLException {
        try (Statement set = connection.createStatement();
                PreparedStatement update =
                        connection.prepareStatement(
                                "UPDATE "
                                        + table
                                        + " SET epoch = epoch + 1, holder = ?, since = now()"
                                        + " RETURNING "
                                        + columns)) {
            set.execute("SET LOCAL lock_timeout = " + PATIENCE_MILLIS);
            update.setString(1, holder);
            T result;
            try (ResultSet row = update.executeQuery()) {
                row.next();
                result = read.from(row);
            }
            connection.commit();
            return result;
        }
    }

    private void endHolders(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(END_HOLDERS)) {
            statement.setString(1, table);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    log.warn(
                            "a former leader hangs in a transaction: its connection to the database"
                                    + " (backend {}) was {}",
                            row.getInt(1),
                            row.getBoolean(2) ? "ended" : "gone already");
                }
            }
        }
        connection.commit();
    }
}

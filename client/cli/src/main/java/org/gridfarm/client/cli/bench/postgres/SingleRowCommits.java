package org.gridfarm.client.cli.bench.postgres;

import org.gridfarm.client.cli.bench.Load;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Transactions of one row each, every thread on a connection of its own. The table is made in the
 * database of the URL and dropped at the end.
 */
public final class SingleRowCommits implements AutoCloseable {
    /** Connections left to the farm and to administrators. */
    private static final int CONNECTIONS_SPARED = 5;

    private final String url;
    private final String user;
    private final String password;
    private final String table = "gf_bench_" + ProcessHandle.current().pid();
    private final Connection first;

    public SingleRowCommits(String url, String user, String password) {
        this.url = url;
        this.user = user;
        this.password = password;
        try {
            first = connect();
            try (Statement statement = first.createStatement()) {
                statement.execute(
                        "CREATE TABLE "
                                + table
                                + " (id bigserial PRIMARY KEY, thread int, v bigint)");
            }
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private Connection connect() throws SQLException {
        return user.isEmpty()
                ? DriverManager.getConnection(url)
                : DriverManager.getConnection(url, user, password);
    }

    private FarmException failed(SQLException e) {
        return new FarmException(
                ErrorKind.UNAVAILABLE,
                "measure commits of",
                url,
                String.valueOf(e.getMessage()),
                e);
    }

    /** How many threads can commit at once while the farm uses the database, too. */
    public int connectionsMax() {
        try (Statement statement = first.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT current_setting('max_connections')::int - (SELECT count(*) FROM pg_stat_activity)")) {
            row.next();
            return Math.max(1, row.getInt(1) - CONNECTIONS_SPARED);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /**
     * @param threads no more than {@link #connectionsMax}
     */
    public Load.Outcome measure(int threads, Duration time) {
        List<Connection> connections = new ArrayList<>();
        try {
            List<PreparedStatement> inserts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Connection connection = connect();
                connections.add(connection);
                inserts.add(
                        connection.prepareStatement(
                                "INSERT INTO " + table + " (thread, v) VALUES (?, ?)"));
            }
            return Load.run(
                    threads,
                    time,
                    (thread, round) -> {
                        PreparedStatement insert = inserts.get(thread);
                        insert.setInt(1, thread);
                        insert.setLong(2, round);
                        insert.executeUpdate();
                        return true;
                    });
        } catch (SQLException e) {
            throw failed(e);
        } finally {
            for (Connection connection : connections) close(connection);
        }
    }

    private void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() {
        try (first;
                Statement statement = first.createStatement()) {
            statement.execute("DROP TABLE " + table);
        } catch (SQLException e) {
            throw failed(e);
        }
    }
}

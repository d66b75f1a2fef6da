package org.gridfarm.metaserver.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A real PostgreSQL for the tests of this module, started once; every test gets a database of its
 * own.
 */
public final class TestDatabase {
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static @Nullable EmbeddedPostgres server;

    private TestDatabase() {}

    private static synchronized EmbeddedPostgres server() {
        EmbeddedPostgres started = server;
        if (started == null) {
            try {
                // The library switches durability off by default; what is tested here is
                // durability.
                started =
                        EmbeddedPostgres.builder()
                                .setServerConfig("fsync", "on")
                                .setServerConfig("synchronous_commit", "on")
                                .setServerConfig("full_page_writes", "on")
                                .setServerConfig("shared_buffers", "64MB")
                                .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        server = started;
        return started;
    }

    /** Settings for a new, empty database. */
    public static DatabaseSettings create() {
        String name = "t" + NUMBER.incrementAndGet();
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("SHOW fsync")) {
                row.next();
                if (!row.getString(1).equals("on")) throw new IllegalStateException("fsync is off");
            }
            statement.execute("CREATE DATABASE " + name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return new DatabaseSettings(server().getJdbcUrl("postgres", name), "postgres", "", 3);
    }

    private static Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(server().getJdbcUrl("postgres", database));
    }

    /** For statements of a test's own. */
    public static Connection connect(DatabaseSettings settings) throws SQLException {
        return DriverManager.getConnection(settings.url(), settings.user(), settings.password());
    }
}

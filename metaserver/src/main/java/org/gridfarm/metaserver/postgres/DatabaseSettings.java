package org.gridfarm.metaserver.postgres;

import org.gridfarm.protocol.config.Config;

/**
 * Where the database is and as whom. The URL goes to the driver as it is, so several hosts and
 * {@code targetServerType=primary} work.
 *
 * @param pool connections besides the one that writes the journal
 */
public record DatabaseSettings(String url, String user, String password, int pool) {
    /** All objects live here, apart from what other programs keep in the same database. */
    public static final String SCHEMA = "gridfarm";

    public DatabaseSettings {
        if (pool < 1) throw new IllegalArgumentException("database.pool must be at least 1");
    }

    /** Reads {@code [database] url, user, password_file, pool}. */
    public static DatabaseSettings read(Config config) {
        Config database = config.section("database");
        return new DatabaseSettings(
                database.text("url"),
                database.text("user"),
                database.secretIfAny("password").orElse(""),
                database.count("pool", 4, 2, 64));
    }

    @Override
    public String toString() {
        return url + " as " + user;
    }
}

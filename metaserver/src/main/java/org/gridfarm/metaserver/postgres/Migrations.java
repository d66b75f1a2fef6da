package org.gridfarm.metaserver.postgres;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationVersion;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

import javax.sql.DataSource;

/** Brings the schema to what this program knows; refuses one that a newer program has changed. */
final class Migrations {
    private Migrations() {}

    static void run(DatabaseSettings settings, DataSource source) {
        Flyway flyway =
                Flyway.configure()
                        .dataSource(source)
                        .schemas(DatabaseSettings.SCHEMA)
                        .defaultSchema(DatabaseSettings.SCHEMA)
                        .locations("classpath:org/gridfarm/metaserver/postgres")
                        .ignoreMigrationPatterns("*:future")
                        .placeholders(
                                Map.of("root_owner", ownId("uid"), "root_group", ownId("gid")))
                        .load();
        try {
            refuseNewer(flyway);
            flyway.migrate();
        } catch (FlywayException e) {
            throw SqlFailures.starting(settings, e);
        }
    }

    /** Numeric user or group id of this process. */
    private static String ownId(String which) {
        try {
            return String.valueOf(Files.getAttribute(Path.of("/proc/self"), "unix:" + which));
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE, "read", "/proc/self", String.valueOf(e.getMessage()), e);
        }
    }

    private static void refuseNewer(Flyway flyway) {
        MigrationInfo applied = flyway.info().current();
        if (applied == null || applied.getVersion() == null) {
            return;
        }
        MigrationVersion known =
                Arrays.stream(flyway.info().all())
                        .filter(m -> m.getVersion() != null && m.getState().isResolved())
                        .map(MigrationInfo::getVersion)
                        .max(MigrationVersion::compareTo)
                        .orElse(MigrationVersion.EMPTY);
        if (applied.getVersion().compareTo(known) > 0) {
            throw new FarmException(
                    ErrorKind.WRONG_VERSION,
                    "database",
                    DatabaseSettings.SCHEMA,
                    "its schema is of version "
                            + applied.getVersion()
                            + " and this program knows versions up to "
                            + known
                            + ": start a newer metaserver");
        }
    }
}

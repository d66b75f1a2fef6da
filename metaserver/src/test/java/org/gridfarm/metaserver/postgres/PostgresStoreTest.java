package org.gridfarm.metaserver.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.JournalStoreContract;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

class PostgresStoreTest extends JournalStoreContract {
    private final DatabaseSettings settings = TestDatabase.create();

    @Override
    protected JournalStore open() {
        return PostgresStore.open(settings);
    }

    @Test
    void aSchemaOfANewerProgramIsRefusedInOneSentence() throws SQLException {
        try (Connection connection = TestDatabase.connect(settings);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO gridfarm.flyway_schema_history (installed_rank, version, description, type,"
                            + " script, installed_by, execution_time, success) VALUES (99, '99', 'later', 'SQL',"
                            + " 'V99__later.sql', 'x', 1, true)");
        }
        assertThatThrownBy(() -> PostgresStore.open(settings))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("version 99")
                .hasMessageContaining("start a newer metaserver");
    }

    @Test
    void anUnreachableDatabaseIsNamedInOneLine() {
        DatabaseSettings nowhere =
                new DatabaseSettings("jdbc:postgresql://127.0.0.1:1/x", "postgres", "", 1);
        assertThatThrownBy(() -> PostgresStore.open(nowhere))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("jdbc:postgresql://127.0.0.1:1/x")
                .hasMessageNotContaining("\n");
    }

    @Test
    void aMissingDatabaseIsNamedInOneLine() {
        DatabaseSettings missing =
                new DatabaseSettings(
                        settings.url().replaceAll("/t\\d+", "/missing"), "postgres", "", 1);
        assertThatThrownBy(() -> PostgresStore.open(missing))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("no such database");
    }

    @Test
    void theLagViewAndTheBarrierAnswerADba() throws SQLException {
        try (Connection connection = TestDatabase.connect(settings);
                Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = gridfarm");
            statement.execute("CALL barrier()");
            for (String view :
                    new String[] {
                        "lag",
                        "under_replicated",
                        "under_replicated_per_user",
                        "directory_bytes",
                        "biggest_files"
                    }) {
                try (var rows = statement.executeQuery("SELECT * FROM " + view)) {
                    assertThat(rows.getMetaData().getColumnCount()).isPositive();
                }
            }
            try (var row = statement.executeQuery("SELECT path(1)")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("/");
            }
        }
    }
}

package org.gridfarm.metaserver.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.JournalStoreContract;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

    /** What the database has of a leader that is stopped, or whose machine is gone, amid a fold. */
    @Test
    @Timeout(30)
    void aLeaderThatHangsInATransactionDoesNotHoldUpTheNext() throws SQLException {
        try (JournalStore store = open()) {
            long old = store.claim("old").epoch();
            try (Connection hanging = TestDatabase.connect(settings);
                    Statement statement = hanging.createStatement()) {
                hanging.setAutoCommit(false);
                statement.execute(
                        "SELECT 1 FROM gridfarm.leader WHERE epoch = " + old + " FOR SHARE");
                statement.execute("UPDATE gridfarm.apply_state SET applied_seq = 77");
                assertThat(store.claim("new").epoch()).isEqualTo(old + 1);
                assertThatThrownBy(hanging::commit).isInstanceOf(SQLException.class);
            }
            assertThat(store.appliedSequence()).isZero();
        }
    }

    /** As docs/installing.md makes them. */
    @Test
    void aRoleThatOwnsItsSchemaAndNothingElseIsEnoughAndTheSchedulersReadsNothingOfIt()
            throws SQLException {
        DatabaseSettings fresh = TestDatabase.create();
        String database = fresh.url().replaceAll(".*/(t\\d+).*", "$1");
        String meta = database + "_meta";
        String sched = database + "_sched";
        try (Connection connection = TestDatabase.connect(fresh);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE " + meta + " LOGIN");
            statement.execute("CREATE ROLE " + sched + " LOGIN");
            statement.execute("REVOKE ALL ON DATABASE " + database + " FROM PUBLIC");
            statement.execute(
                    "GRANT CONNECT ON DATABASE " + database + " TO " + meta + ", " + sched);
            statement.execute("CREATE SCHEMA gridfarm AUTHORIZATION " + meta);
            statement.execute("CREATE SCHEMA gridfarm_jobs AUTHORIZATION " + sched);
        }
        String url = fresh.url().replaceAll("user=[^&]*", "");
        try (PostgresStore own = PostgresStore.open(new DatabaseSettings(url, meta, "", 2))) {
            assertThat(own.claim("first").epoch()).isPositive();
        }
        try (Connection other = TestDatabase.connect(new DatabaseSettings(url, sched, "", 1));
                Statement statement = other.createStatement()) {
            assertThatThrownBy(() -> statement.executeQuery("SELECT value FROM gridfarm.setting"))
                    .hasMessageContaining("permission denied");
            assertThatThrownBy(() -> statement.executeQuery("SELECT data FROM gridfarm.journal"))
                    .hasMessageContaining("permission denied");
        }
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

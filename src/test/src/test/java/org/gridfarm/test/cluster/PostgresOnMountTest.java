package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.cli.cluster.Ports;
import org.gridfarm.client.mount.takeover.Supervisor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A database on a mount, under the transactions of TPC-B. Its server is killed, and so is the
 * process that serves the mount: nothing acknowledged is lost, and no table or index is damaged.
 */
class PostgresOnMountTest {
    private static final int ACCOUNTS = 10_000;
    private static final int CLIENTS = 4;
    private static final int TRANSACTIONS_PER_ROUND = Tier.count("tpcb");
    private static TestFarm farm;

    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicBoolean ending = new AtomicBoolean();
    private Path data = Path.of("");
    private int port;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    @Test
    void aDatabaseLosesNothingWhenItsServerOrTheMountIsKilled() throws Exception {
        data = farm.mount().resolve("database");
        try (Ports ports = new Ports(farm.directory())) {
            port = Ports.port(ports.free());
        }
        farm.sh(
                "%s -D %s -U tester -A trust -E UTF8 --locale=C --no-sync --no-instructions 2>&1"
                        .formatted(binary("initdb"), data));
        Process server = startServer();
        try {
            fill();
            load();
            // The mount's process dies under the running server.
            List<Thread> clients = clients();
            awaitMore(TRANSACTIONS_PER_ROUND);
            Supervisor.of(farm.mount()).server().orElseThrow().destroyForcibly();
            awaitMore(TRANSACTIONS_PER_ROUND);
            // The server dies.
            server.destroyForcibly();
            join(clients);
            await().atMost(Duration.ofSeconds(30)).until(() -> !anyBackend());
            server = startServer();
            check();
            // Both at once.
            clients = clients();
            awaitMore(TRANSACTIONS_PER_ROUND);
            ProcessHandle mount = farm.mountServer();
            server.destroyForcibly();
            mount.destroyForcibly();
            join(clients);
            await().atMost(Duration.ofSeconds(30)).until(() -> !anyBackend());
            server = startServer();
            check();
        } finally {
            ending.set(true);
            server.destroy();
            if (!server.waitFor(30, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
        System.out.println("transactions acknowledged on the mount: " + acknowledged);
    }

    private Process startServer() throws IOException {
        Path log = farm.directory().resolve("database.log");
        Process server =
                new ProcessBuilder(
                                "/bin/sh",
                                "-c",
                                ("exec %s -D %s -p %d -c listen_addresses=127.0.0.1"
                                                + " -c unix_socket_directories= -c max_wal_size=64MB"
                                                + " -c shared_buffers=16MB -c checkpoint_timeout=30s")
                                        .formatted(binary("postgres"), data, port))
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> {
                    assertThat(server.isAlive()).as(Files.readString(log)).isTrue();
                    try (Connection connection = connect()) {
                        return connection.isValid(5);
                    } catch (SQLException e) {
                        return false; // still starting, or replaying its log
                    }
                });
        return server;
    }

    /** With root's rights dropped: the server refuses to run with them. */
    private static String binary(String program) {
        String cache =
                System.getenv()
                        .getOrDefault(
                                "XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
        Path home;
        try (var all = Files.list(Path.of(cache, "gridfarm"))) {
            home =
                    all.filter(at -> Files.isExecutable(at.resolve("bin/postgres")))
                            .findFirst()
                            .orElseThrow();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        String drop = System.getProperty("user.name").equals("root") ? "unshare -U " : "";
        return drop + home.resolve("bin").resolve(program);
    }

    /** A killed server's processes end by themselves; until then they hold its memory. */
    private boolean anyBackend() {
        return ProcessHandle.allProcesses()
                .map(process -> Path.of("/proc/" + process.pid() + "/cwd"))
                .anyMatch(at -> {
                    try {
                        return Files.readSymbolicLink(at).equals(data);
                    } catch (IOException e) {
                        return false; // it has just ended
                    }
                });
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=tester&connectTimeout=5");
    }

    private void fill() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    """
                    create extension amcheck;
                    create table branch(id int primary key, balance bigint not null);
                    create table account(id int primary key, balance bigint not null, filler text);
                    create table history(account int not null, delta bigint not null, at timestamptz default now());
                    create index on history(account);
                    insert into branch values (1, 0);
                    insert into account select i, 0, repeat('x', 60) from generate_series(0, %d) i;
                    """
                            .formatted(ACCOUNTS - 1));
            statement.execute("checkpoint"); // syncs what initdb left to it
        }
    }

    private void load() throws Exception {
        List<Thread> clients = clients();
        awaitMore(TRANSACTIONS_PER_ROUND);
        ending.set(true);
        join(clients);
    }

    private List<Thread> clients() {
        ending.set(false);
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int number = i;
            clients.add(Thread.ofPlatform().start(() -> transactions(new Random(number))));
        }
        return clients;
    }

    /** Until the server goes. */
    private void transactions(Random random) {
        try (Connection connection = connect()) {
            connection.setAutoCommit(false);
            try (PreparedStatement account =
                            connection.prepareStatement(
                                    "update account set balance = balance + ? where id = ?");
                    PreparedStatement branch =
                            connection.prepareStatement(
                                    "update branch set balance = balance + ? where id = 1");
                    PreparedStatement history =
                            connection.prepareStatement(
                                    "insert into history(delta, account) values (?, ?)")) {
                while (!ending.get()) {
                    long delta = random.nextInt(10_000) - 5_000;
                    int id = random.nextInt(ACCOUNTS);
                    for (PreparedStatement statement : List.of(account, history)) {
                        statement.setLong(1, delta);
                        statement.setInt(2, id);
                        statement.executeUpdate();
                    }
                    branch.setLong(1, delta);
                    branch.executeUpdate();
                    connection.commit();
                    acknowledged.incrementAndGet();
                }
            }
        } catch (SQLException e) {
            // The server was killed: what was not acknowledged may be there or not. Anything else
            // shows when somebody waits for more transactions.
            System.out.println("a client ends: " + e.getMessage());
        }
    }

    private void awaitMore(int transactions) {
        int until = acknowledged.get() + transactions;
        await().atMost(Duration.ofSeconds(90)).until(() -> acknowledged.get() >= until);
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void check() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            ResultSet sums =
                    statement.executeQuery(
                            "select (select sum(balance) from account), (select balance from branch),"
                                    + " (select coalesce(sum(delta), 0) from history), (select count(*) from history)");
            assertThat(sums.next()).isTrue();
            assertThat(sums.getLong(2)).isEqualTo(sums.getLong(1));
            assertThat(sums.getLong(3)).isEqualTo(sums.getLong(1));
            // A commit whose answer was lost with its server may count as well, one for each client
            // and death.
            assertThat(sums.getInt(4))
                    .isBetween(acknowledged.get(), acknowledged.get() + 2 * CLIENTS);
            statement.execute(
                    "select bt_index_check(c.oid, true) from pg_class c join pg_index i on i.indexrelid = c.oid"
                            + " join pg_am a on a.oid = c.relam where a.amname = 'btree' and c.relpersistence = 'p'");
            ResultSet damage =
                    statement.executeQuery(
                            "select count(*) from pg_class c, lateral verify_heapam(c.oid) where c.relkind in ('r', 't')");
            assertThat(damage.next()).isTrue();
            assertThat(damage.getInt(1)).isZero();
        }
    }
}

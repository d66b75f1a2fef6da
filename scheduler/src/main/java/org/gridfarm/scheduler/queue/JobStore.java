package org.gridfarm.scheduler.queue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.gridfarm.protocol.database.ConnectionLimits;
import org.gridfarm.protocol.database.Fence;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.UsageRow;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.TaskState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The table of jobs. Thread-safe. A change is durable when the call returns. UNAVAILABLE: the
 * database cannot be reached; NOT_LEADER: another scheduler has taken over since {@link #takeOver}.
 */
public final class JobStore implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JobStore.class);
    private static final String SCHEMA = "gridfarm_jobs";
    private static final int POOL_MAX = 3;
    private static final long CONNECT_MILLIS_MAX = 10_000;
    private static final int REMOVED_AT_ONCE = 20;

    private final HikariDataSource pool;
    private final Fence fence = new Fence("leader");

    private JobStore(HikariDataSource pool) {
        this.pool = pool;
    }

    /** Connects and brings the schema up to date. */
    public static JobStore open(String url, String user, String password) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        config.setSchema(SCHEMA);
        config.setMaximumPoolSize(POOL_MAX);
        config.setConnectionTimeout(CONNECT_MILLIS_MAX);
        config.setPoolName("jobs");
        config.setDataSourceProperties(ConnectionLimits.of("gridfarm-scheduler"));
        try {
            Flyway.configure()
                    .dataSource(url, user, password)
                    .schemas(SCHEMA)
                    .locations("classpath:db/scheduler")
                    .connectRetries(10)
                    .connectRetriesInterval(1)
                    .load()
                    .migrate();
            return new JobStore(new HikariDataSource(config));
        } catch (FlywayException e) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE, "prepare database", url, firstLine(e), e);
        }
    }

    private static String firstLine(Throwable e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    /** Becomes the one scheduler that may write, and returns the epoch that says so. */
    public long takeOver(String holder) {
        try (Connection connection = pool.getConnection()) {
            return fence.raise(connection, holder, "epoch", row -> row.getLong(1));
        } catch (SQLException e) {
            throw unavailable("take over", e);
        }
    }

    /**
     * A job's number.
     *
     * @param hasEnded it was submitted before
     */
    public record Kept(long id, boolean hasEnded) {}

    /** Records a job; the same submission a second time gives the first one. */
    public Kept submit(
            long epoch,
            String user,
            SubmitJobRequest request,
            Optional<KeptProxy> proxy,
            long now) {
        return run(
                "submit",
                connection -> {
                    requireEpoch(connection, epoch);
                    try (PreparedStatement statement =
                            connection.prepareStatement(
                                    "INSERT INTO job (submission, name, user_name, request, submitted, held) VALUES (?, ?, ?, ?, ?, ?)"
                                            + " ON CONFLICT (submission) DO UPDATE SET submission = excluded.submission RETURNING id, user_name, done")) {
                        statement.setLong(1, request.getSubmission());
                        statement.setString(2, request.getName());
                        statement.setString(3, user);
                        statement.setBytes(4, request.toByteArray());
                        statement.setLong(5, now);
                        statement.setString(6, request.getHeld() ? user : "");
                        try (ResultSet row = statement.executeQuery()) {
                            row.next();
                            long id = row.getLong(1);
                            if (!row.getString(2).equals(user)) {
                                throw new FarmException(
                                        ErrorKind.NOT_PERMITTED,
                                        "submit",
                                        request.getName(),
                                        "that submission number is of somebody else's job");
                            }
                            if (proxy.isPresent()) {
                                Delegated.keep(connection, id, proxy.get());
                            }
                            return new Kept(id, row.getBoolean(3));
                        }
                    }
                });
    }

    /** Writes task rows, and how jobs stand, in one transaction. */
    public void record(long epoch, List<TaskRow> rows, List<JobRow> jobs) {
        run(
                "record",
                connection -> {
                    requireEpoch(connection, epoch);
                    try (PreparedStatement statement =
                            connection.prepareStatement(
                                    "INSERT INTO task (job, index, state, node, locality, attempts, exit_code, finish_order, info)"
                                            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (job, index) DO UPDATE SET state = excluded.state,"
                                            + " node = excluded.node, locality = excluded.locality, attempts = excluded.attempts,"
                                            + " exit_code = excluded.exit_code, finish_order = excluded.finish_order, info = excluded.info"
                                            + " WHERE task.state NOT IN ('succeeded', 'failed', 'cancelled')")) {
                        for (TaskRow row : rows) {
                            TaskInfo info = row.info();
                            statement.setLong(1, info.getJob());
                            statement.setInt(2, info.getIndex());
                            statement.setString(3, info.getState());
                            statement.setString(4, info.getNode());
                            statement.setString(5, info.getLocality());
                            statement.setInt(6, info.getAttempts());
                            statement.setInt(7, info.getExitCode());
                            statement.setLong(8, row.finishOrder());
                            statement.setBytes(9, info.toByteArray());
                            statement.addBatch();
                        }
                        int[] written = statement.executeBatch();
                        Accounting accounting = new Accounting();
                        for (int i = 0; i < written.length; i++) {
                            if (written[i] > 0) {
                                accounting.written(rows.get(i));
                            }
                        }
                        accounting.keep(connection);
                    }
                    try (PreparedStatement statement =
                            connection.prepareStatement(
                                    "UPDATE job SET halted = ?, ended = CASE WHEN ? AND NOT done THEN now() ELSE ended END,"
                                            + " done = done OR ? WHERE id = ?")) {
                        for (JobRow job : jobs) {
                            statement.setString(1, job.halted());
                            statement.setBoolean(2, job.isDone());
                            statement.setBoolean(3, job.isDone());
                            statement.setLong(4, job.id());
                            statement.addBatch();
                        }
                        statement.executeBatch();
                    }
                    Delegated.forget(
                            connection,
                            jobs.stream().filter(JobRow::isDone).map(JobRow::id).toList());
                    return true;
                });
    }

    /** The tasks of a job that has not ended have this proxy from now on. */
    public void keep(long epoch, long job, KeptProxy proxy) {
        run(
                "keep proxy",
                connection -> {
                    requireEpoch(connection, epoch);
                    Delegated.keep(connection, job, proxy);
                    return true;
                });
    }

    /** Held back by somebody, or by nobody. */
    public void hold(long epoch, long job, String who) {
        run(
                "hold",
                connection -> {
                    requireEpoch(connection, epoch);
                    try (PreparedStatement statement =
                            connection.prepareStatement("UPDATE job SET held = ? WHERE id = ?")) {
                        statement.setString(1, who);
                        statement.setLong(2, job);
                        statement.executeUpdate();
                    }
                    return true;
                });
    }

    /** What users have had of the farm, in slot-seconds, in place of what was written before. */
    public void keepShares(long epoch, Shares shares) {
        run(
                "keep shares",
                connection -> {
                    requireEpoch(connection, epoch);
                    shares.keep(connection);
                    return true;
                });
    }

    public Shares shares() {
        return run("load", Shares::load);
    }

    /**
     * What users have had of the farm on these days, both included.
     *
     * @param user empty: everybody
     */
    public List<UsageRow> usage(LocalDate from, LocalDate to, String user) {
        return run("read", connection -> Accounting.read(connection, from, to, user));
    }

    /** Of the jobs that have not ended. */
    public Map<Long, KeptProxy> proxies() {
        return run("load", Delegated::all);
    }

    /**
     * A proxy with its key; its text form holds neither.
     *
     * @param pem as a proxy file has it
     */
    public record KeptProxy(ByteString pem, long untilMillis) {
        @Override
        public String toString() {
            return "KeptProxy[until " + Instant.ofEpochMilli(untilMillis) + "]";
        }
    }

    /** A job as it was submitted. */
    public Optional<SubmitJobRequest> request(long job) {
        return run(
                "read",
                connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement("SELECT request FROM job WHERE id = ?")) {
                        statement.setLong(1, job);
                        try (ResultSet row = statement.executeQuery()) {
                            return row.next()
                                    ? Optional.of(SubmitJobRequest.parseFrom(row.getBytes(1)))
                                    : Optional.empty();
                        }
                    }
                });
    }

    /** A task as it was written down last, with the beginning of its output. */
    public Optional<TaskInfo> task(long job, int index) {
        return run(
                "read",
                connection -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement(
                                    "SELECT info FROM task WHERE job = ? AND index = ?")) {
                        statement.setLong(1, job);
                        statement.setInt(2, index);
                        try (ResultSet row = statement.executeQuery()) {
                            return row.next()
                                    ? Optional.of(TaskInfo.parseFrom(row.getBytes(1)))
                                    : Optional.empty();
                        }
                    }
                });
    }

    /** A task as it is to be kept, with its place in the order of finishing. */
    public record TaskRow(TaskInfo info, long finishOrder, String user, int slots) {
        public boolean hasEnded() {
            return TaskState.of(info.getState()).isFinal();
        }

        /** Its slots times its time. */
        public long slotMillis() {
            return slots * Math.max(0, info.getEnded() - info.getStarted());
        }
    }

    /**
     * How a job stands.
     *
     * @param halted why nothing more of it is started; empty while it is
     */
    public record JobRow(long id, String halted, boolean isDone) {}

    /**
     * Every job that is not done, and the newest of those that are, by number.
     *
     * @param doneBytesMax of these, about: the one that is past it is the last
     */
    public List<Job> load(int doneMax, long doneBytesMax) {
        return run(
                "load",
                connection -> {
                    List<Job> jobs = new ArrayList<>();
                    for (long id :
                            ids(connection, "SELECT id FROM job WHERE NOT done ORDER BY id DESC")) {
                        job(connection, id).ifPresent(jobs::add);
                    }
                    // One by one: all of them at once may be more than there is memory for.
                    long bytes = 0;
                    for (long id :
                            ids(
                                    connection,
                                    "SELECT id FROM job WHERE done ORDER BY id DESC LIMIT "
                                            + doneMax)) {
                        if (bytes > doneBytesMax) break;
                        Optional<Job> done = job(connection, id);
                        bytes += done.map(Job::bytes).orElse(0L);
                        done.ifPresent(jobs::add);
                    }
                    jobs.sort(Comparator.comparingLong(Job::id));
                    return jobs;
                });
    }

    private static List<Long> ids(Connection connection, String query) throws SQLException {
        List<Long> ids = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(query);
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                ids.add(row.getLong(1));
            }
        }
        return ids;
    }

    /** As it stands in the table; empty too if its rows make no job. */
    public Optional<Job> job(long id) {
        return run("load", connection -> job(connection, id));
    }

    private static Optional<Job> job(Connection connection, long id) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(
                        "SELECT id, user_name, request, submitted, halted, held FROM job WHERE id = ?")) {
            statement.setLong(1, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? restored(connection, row) : Optional.empty();
            }
        }
    }

    /** Those of these jobs that have ended. */
    public Set<Long> ended(List<Long> jobs) {
        return run(
                "read",
                connection -> {
                    Set<Long> ended = new HashSet<>();
                    try (PreparedStatement statement =
                            connection.prepareStatement(
                                    "SELECT id FROM job WHERE done AND id = ANY (?)")) {
                        statement.setArray(1, connection.createArrayOf("bigint", jobs.toArray()));
                        try (ResultSet row = statement.executeQuery()) {
                            while (row.next()) {
                                ended.add(row.getLong(1));
                            }
                        }
                    }
                    return ended;
                });
    }

    /**
     * Removes jobs that ended so long ago, with their tasks; what users have had stays.
     *
     * @return how many; a few at a time, so that no transaction lasts long
     */
    public int removeEnded(long epoch, Duration ago) {
        return run(
                "remove old jobs",
                connection -> {
                    requireEpoch(connection, epoch);
                    try (PreparedStatement statement =
                            connection.prepareStatement(
                                    "DELETE FROM job WHERE id IN (SELECT id FROM job WHERE done"
                                            + " AND ended < now() - make_interval(secs => ?) ORDER BY id LIMIT ?)")) {
                        statement.setDouble(1, ago.toSeconds());
                        statement.setInt(2, REMOVED_AT_ONCE);
                        return statement.executeUpdate();
                    }
                });
    }

    /** Nothing for rows that make no job: the others are not to wait for somebody to mend them. */
    private static Optional<Job> restored(Connection connection, ResultSet row)
            throws SQLException {
        long id = row.getLong(1);
        try {
            Job job =
                    Job.restored(
                            id,
                            row.getString(2),
                            SubmitJobRequest.parseFrom(row.getBytes(3)),
                            row.getLong(4),
                            row.getString(5),
                            tasks(connection, id));
            job.hold(row.getString(6));
            return Optional.of(job);
        } catch (InvalidProtocolBufferException | RuntimeException e) {
            log.error("job {} is left out: its rows cannot be read", id, e);
            return Optional.empty();
        }
    }

    private static List<Job.KeptTask> tasks(Connection connection, long job)
            throws SQLException, InvalidProtocolBufferException {
        List<Job.KeptTask> tasks = new ArrayList<>();
        try (PreparedStatement statement =
                connection.prepareStatement(
                        "SELECT info, state, finish_order FROM task WHERE job = ? ORDER BY index")) {
            statement.setLong(1, job);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    tasks.add(
                            new Job.KeptTask(
                                    TaskInfo.parseFrom(row.getBytes(1)),
                                    TaskState.of(row.getString(2)),
                                    row.getLong(3)));
                }
            }
        }
        return tasks;
    }

    private void requireEpoch(Connection connection, long epoch) throws SQLException {
        if (!fence.holds(connection, epoch)) {
            throw new FarmException(
                    ErrorKind.NOT_LEADER, "record", "jobs", "another scheduler has taken over");
        }
    }

    private <T> T run(String what, Work<T> work) {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                T result = work.on(connection);
                connection.commit();
                return result;
            } catch (SQLException | InvalidProtocolBufferException | RuntimeException e) {
                connection.rollback();
                throw e;
            }
        } catch (SQLException e) {
            throw unavailable(what, e);
        } catch (InvalidProtocolBufferException e) {
            throw new FarmException(ErrorKind.CORRUPT, what, "job table", firstLine(e), e);
        }
    }

    private static FarmException unavailable(String what, SQLException e) {
        return new FarmException(ErrorKind.UNAVAILABLE, what, "job table", firstLine(e), e);
    }

    @FunctionalInterface
    private interface Work<T> {
        T on(Connection connection) throws SQLException, InvalidProtocolBufferException;
    }

    @Override
    public void close() {
        pool.close();
    }
}

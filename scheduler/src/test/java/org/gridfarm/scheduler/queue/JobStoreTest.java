package org.gridfarm.scheduler.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.protocol.wire.TaskUsage;
import org.gridfarm.protocol.wire.UsageRow;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.TaskState;
import org.gridfarm.scheduler.queue.JobStore.JobRow;
import org.gridfarm.scheduler.queue.JobStore.KeptProxy;
import org.gridfarm.scheduler.queue.JobStore.TaskRow;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/** On a real PostgreSQL; every test has a database of its own. */
@SuppressWarnings("NullAway.Init") // set before each test
class JobStoreTest {
    private static final long BYTES_MAX = 1 << 20;

    private static EmbeddedPostgres server;
    private static int databases;

    private String url;
    private JobStore store;
    private long epoch;

    @BeforeAll
    static void startServer() throws IOException {
        server = EmbeddedPostgres.builder().setServerConfig("shared_buffers", "64MB").start();
    }

    @AfterAll
    static void stopServer() throws IOException {
        server.close();
    }

    @BeforeEach
    void open() throws SQLException {
        String name = "jobs" + ++databases;
        url = server.getJdbcUrl("postgres", "postgres");
        sql("CREATE DATABASE " + name);
        url = server.getJdbcUrl("postgres", name);
        store = JobStore.open(url, "postgres", "");
        epoch = store.takeOver("s1");
    }

    @AfterEach
    void close() {
        store.close();
    }

    private void sql(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, "postgres", "");
                Statement one = connection.createStatement()) {
            one.execute(statement);
        }
    }

    private static SubmitJobRequest request(long submission) {
        return SubmitJobRequest.newBuilder()
                .setSubmission(submission)
                .setName("j" + submission)
                .addTasks(TaskSpec.getDefaultInstance())
                .addTasks(TaskSpec.getDefaultInstance())
                .build();
    }

    private long submit(long submission) {
        return store.submit(epoch, "ann", request(submission), Optional.empty(), 77).id();
    }

    private static TaskRow row(long job, int index, TaskState state, long finishOrder) {
        return new TaskRow(
                TaskInfo.newBuilder()
                        .setJob(job)
                        .setIndex(index)
                        .setState(state.word())
                        .setNode("n1")
                        .setAttempts(1)
                        .build(),
                finishOrder,
                "ann",
                1);
    }

    private static void refused(ErrorKind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FarmException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    @Test
    void theSameSubmissionASecondTimeIsTheFirstOnesJob() {
        long first = submit(5);
        assertThat(submit(5)).isEqualTo(first);
        assertThat(submit(6)).isNotEqualTo(first);
        assertThat(store.load(10, BYTES_MAX)).extracting(Job::id).hasSize(2).contains(first);
    }

    @Test
    void theNumberOfSomebodyElsesSubmissionGivesNothingOfHisJob() {
        KeptProxy proxy = new KeptProxy(ByteString.copyFromUtf8("of mallory"), 1);
        long id = submit(5);
        refused(
                ErrorKind.NOT_PERMITTED,
                () -> store.submit(epoch, "mallory", request(5), Optional.of(proxy), 78));
        assertThat(store.job(id).orElseThrow().user()).isEqualTo("ann");
        assertThat(store.proxies()).isEmpty();
    }

    @Test
    void theNextSchedulerFindsWhatWasRecorded() {
        long id = submit(1);
        store.record(
                epoch,
                List.of(row(id, 0, TaskState.SUCCEEDED, 1), row(id, 1, TaskState.RUNNING, 0)),
                List.of(new JobRow(id, "too many failed", false)));
        store.close();
        store = JobStore.open(url, "postgres", "");
        assertThat(store.takeOver("s2")).isGreaterThan(epoch);
        Job job = store.load(0, BYTES_MAX).get(0);
        assertThat(job.user()).isEqualTo("ann");
        assertThat(job.halted()).isEqualTo("too many failed");
        assertThat(job.succeeded()).isEqualTo(1);
        assertThat(job.running()).hasSize(1);
        assertThat(job.isDone()).isFalse();
        assertThat(store.request(id)).contains(request(1));
        assertThat(store.task(id, 0).orElseThrow().getNode()).isEqualTo("n1");
        assertThat(store.task(id, 2)).isEmpty();
        assertThat(store.request(id + 1)).isEmpty();
    }

    /** A late word about an attempt cannot bring a task back whose end somebody was told. */
    @Test
    void anEndThatWasRecordedStays() {
        long id = submit(1);
        store.record(epoch, List.of(row(id, 0, TaskState.SUCCEEDED, 1)), List.of());
        store.record(epoch, List.of(row(id, 0, TaskState.RUNNING, 0)), List.of());
        assertThat(store.load(0, BYTES_MAX).get(0).succeeded()).isEqualTo(1);
        store.record(epoch, List.of(row(id, 1, TaskState.RUNNING, 0)), List.of());
        store.record(epoch, List.of(row(id, 1, TaskState.FAILED, 2)), List.of());
        assertThat(store.load(0, BYTES_MAX).get(0).failed()).isEqualTo(1);
    }

    /** With its name come the times after which a silent database is given up. */
    @Test
    void aDbaSeesWhoseConnectionsTheseAre() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, "postgres", "");
                Statement one = connection.createStatement();
                ResultSet row =
                        one.executeQuery(
                                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                        + " AND application_name = 'gridfarm-scheduler'")) {
            row.next();
            assertThat(row.getInt(1)).isPositive();
        }
    }

    /** What the database has of a scheduler that is stopped, or whose machine is gone. */
    @Test
    @Timeout(30)
    void aSchedulerThatHangsInATransactionDoesNotHoldUpTheNext() throws SQLException {
        long id = submit(1);
        try (Connection hanging = DriverManager.getConnection(url, "postgres", "");
                Statement statement = hanging.createStatement()) {
            hanging.setAutoCommit(false);
            hanging.setSchema("gridfarm_jobs");
            statement.execute("SELECT 1 FROM leader WHERE epoch = " + epoch + " FOR SHARE");
            statement.execute("UPDATE job SET halted = 'by one that hangs'");
            assertThat(store.takeOver("s2")).isEqualTo(epoch + 1);
            assertThatThrownBy(hanging::commit).isInstanceOf(SQLException.class);
        }
        Job job = store.load(0, BYTES_MAX).getFirst();
        assertThat(job.id()).isEqualTo(id);
        assertThat(job.halted()).isEmpty();
    }

    @Test
    void whoWasTakenOverWritesNothing() {
        long id = submit(1);
        long old = epoch;
        epoch = store.takeOver("s2");
        KeptProxy proxy = new KeptProxy(ByteString.copyFromUtf8("pem"), 1);
        refused(
                ErrorKind.NOT_LEADER,
                () -> store.submit(old, "ann", request(2), Optional.empty(), 0));
        refused(
                ErrorKind.NOT_LEADER,
                () ->
                        store.record(
                                old,
                                List.of(row(id, 0, TaskState.SUCCEEDED, 1)),
                                List.of(new JobRow(id, "cancelled", true))));
        refused(ErrorKind.NOT_LEADER, () -> store.keep(old, id, proxy));
        assertThat(store.load(10, BYTES_MAX)).extracting(Job::id).containsExactly(id);
        assertThat(store.task(id, 0)).isEmpty();
        assertThat(store.proxies()).isEmpty();
    }

    @Test
    void ofJobsThatAreDoneTheNewestAreLoaded() {
        long open = submit(1);
        long older = submit(2);
        long newer = submit(3);
        store.record(
                epoch,
                List.of(),
                List.of(new JobRow(older, "", true), new JobRow(newer, "", true)));
        assertThat(store.load(1, BYTES_MAX)).extracting(Job::id).containsExactly(open, newer);
        store.record(epoch, List.of(), List.of(new JobRow(newer, "", false)));
        assertThat(store.load(1, BYTES_MAX))
                .as("done once")
                .extracting(Job::id)
                .containsExactly(open, newer);
    }

    @Test
    void ofJobsThatAreDoneSoManyAreLoadedAsThereIsRoomFor() {
        List<JobRow> done =
                LongStream.rangeClosed(1, 5)
                        .mapToObj(i -> new JobRow(submit(i), "", true))
                        .toList();
        long open = submit(6);
        store.record(epoch, List.of(), done);
        long each = Job.bytes(request(1));
        assertThat(store.load(10, 2 * each - 1))
                .extracting(Job::id)
                .containsExactly(done.get(3).id(), done.get(4).id(), open);
        assertThat(store.load(10, 0)).hasSize(2);
    }

    @Test
    void aProxyIsKeptUntilItsJobIsDone() {
        KeptProxy first = new KeptProxy(ByteString.copyFromUtf8("one"), 1);
        KeptProxy second = new KeptProxy(ByteString.copyFromUtf8("two"), 2);
        long id = store.submit(epoch, "ann", request(1), Optional.of(first), 0).id();
        assertThat(store.proxies()).containsOnlyKeys(id).containsEntry(id, first);
        store.keep(epoch, id, second);
        assertThat(store.proxies()).containsEntry(id, second);
        store.record(epoch, List.of(), List.of(new JobRow(id, "", true)));
        assertThat(store.proxies()).isEmpty();
    }

    @Test
    void aJobWhoseRowsCannotBeReadDoesNotKeepTheOthersAway() throws SQLException {
        long broken = submit(1);
        long sound = submit(2);
        sql("UPDATE gridfarm_jobs.job SET request = '\\xff'::bytea WHERE id = " + broken);
        assertThat(store.load(10, BYTES_MAX)).extracting(Job::id).containsExactly(sound);
        refused(ErrorKind.CORRUPT, () -> store.request(broken));
    }

    /** Each task counts once, however often its end is written, and by a later scheduler too. */
    @Test
    void whatUsersHaveHadIsCountedOnceAndByTheDay() {
        long id = submit(1);
        long day = 86_400_000;
        store.record(epoch, List.of(row(id, 0, TaskState.RUNNING, 0)), List.of());
        assertThat(store.usage(LocalDate.EPOCH, LocalDate.of(2000, 1, 1), "")).isEmpty();
        store.record(
                epoch,
                List.of(
                        ended(id, 0, TaskState.SUCCEEDED, day - 2_000, day + 1_000, 2),
                        ended(id, 0, TaskState.FAILED, day - 2_000, day + 9_000, 2)),
                List.of());
        long next = store.takeOver("s2");
        store.record(
                next,
                List.of(
                        ended(id, 0, TaskState.SUCCEEDED, day - 2_000, day + 1_000, 2),
                        ended(id, 1, TaskState.CANCELLED, day, day + 500, 1)),
                List.of());
        long other = store.submit(next, "bob", request(2), Optional.empty(), 78).id();
        store.record(
                next,
                List.of(ended("bob", other, 0, TaskState.FAILED, day, 2 * day + 1, 1)),
                List.of());

        LocalDate first = LocalDate.ofEpochDay(1);
        assertThat(store.usage(first, first, "")).containsExactly(used(1, "ann", 2, 6_500));
        assertThat(store.usage(first, first.plusDays(1), ""))
                .containsExactly(used(1, "ann", 2, 6_500), used(2, "bob", 1, day + 1));
        assertThat(store.usage(first, first.plusDays(1), "bob"))
                .containsExactly(used(2, "bob", 1, day + 1));
        assertThat(store.usage(LocalDate.EPOCH, LocalDate.EPOCH, "")).isEmpty();
    }

    private static TaskRow ended(
            long job, int index, TaskState state, long started, long ended, int slots) {
        return ended("ann", job, index, state, started, ended, slots);
    }

    private static TaskRow ended(
            String user,
            long job,
            int index,
            TaskState state,
            long started,
            long ended,
            int slots) {
        TaskRow row = row(job, index, state, 1);
        return new TaskRow(
                row.info().toBuilder()
                        .setStarted(started)
                        .setEnded(ended)
                        .setInputBytes(10)
                        .setInputBytesLocal(7)
                        .setUsage(TaskUsage.newBuilder().setCpuMicros(5))
                        .build(),
                1,
                user,
                slots);
    }

    private static UsageRow used(long day, String user, long tasks, long slotMillis) {
        return UsageRow.newBuilder()
                .setDay(day)
                .setUser(user)
                .setTasks(tasks)
                .setSlotMillis(slotMillis)
                .setCpuMicros(5 * tasks)
                .setInputBytesLocal(7 * tasks)
                .setInputBytesRemote(3 * tasks)
                .build();
    }
}

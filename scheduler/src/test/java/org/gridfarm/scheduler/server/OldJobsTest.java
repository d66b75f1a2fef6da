package org.gridfarm.scheduler.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.After;
import org.gridfarm.protocol.wire.JobReply;
import org.gridfarm.protocol.wire.JobRequest;
import org.gridfarm.protocol.wire.SubmitJobReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.protocol.wire.WaitJobReply;
import org.gridfarm.protocol.wire.WaitJobRequest;
import org.gridfarm.scheduler.job.TaskState;
import org.gridfarm.scheduler.queue.JobStore;
import org.gridfarm.scheduler.queue.JobStore.JobRow;
import org.gridfarm.scheduler.queue.JobStore.TaskRow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Jobs that are in the table and not in memory any more. */
@SuppressWarnings("NullAway.Init") // set before each test
class OldJobsTest extends DispatcherFixture {
    private static final Identity ANN =
            new Identity("/CN=ann", Role.USER, List.of("ann"), Optional.empty(), false);

    private EmbeddedPostgres server;
    private JobStore store;
    private long epoch;
    private JobService service;

    @BeforeEach
    @SuppressWarnings("NullAway") // no call here needs proxies
    void open() throws IOException {
        server = EmbeddedPostgres.builder().setServerConfig("shared_buffers", "64MB").start();
        store = JobStore.open(server.getJdbcUrl("postgres", "postgres"), "postgres", "");
        epoch = store.takeOver("s1");
        service =
                new JobService(
                        dispatcher,
                        store,
                        epoch,
                        DispatcherTest::account,
                        events,
                        events,
                        Clock.system(),
                        null,
                        null);
    }

    @AfterEach
    void closeTable() throws IOException {
        store.close();
        server.close();
    }

    private long ended(long submission) {
        SubmitJobRequest request =
                SubmitJobRequest.newBuilder()
                        .setSubmission(submission)
                        .setName("old")
                        .addTasks(TaskSpec.getDefaultInstance())
                        .build();
        long id = store.submit(epoch, "ann", request, Optional.empty(), 77).id();
        TaskInfo task =
                TaskInfo.newBuilder()
                        .setJob(id)
                        .setState(TaskState.SUCCEEDED.word())
                        .setNode("n1")
                        .setAttempts(1)
                        .build();
        store.record(
                epoch, List.of(new TaskRow(task, 1, "ann", 1)), List.of(new JobRow(id, "", true)));
        return id;
    }

    private Object job(long id) {
        return Answers.answer(
                ANN, JobRequest.newBuilder().setJob(id).build(), JobService::job, service);
    }

    @Test
    void whoAsksForAnOldJobIsAnsweredFromTheTable() {
        long id = ended(1);
        JobReply reply = (JobReply) job(id);
        assertThat(reply.getJob().getState()).isEqualTo("succeeded");
        assertThat(reply.getJob().getName()).isEqualTo("old");
        assertThat(reply.getTasks(0).getNode()).isEqualTo("n1");
        WaitJobReply waited =
                (WaitJobReply)
                        Answers.answer(
                                ANN,
                                WaitJobRequest.newBuilder().setJob(id).build(),
                                JobService::await,
                                service);
        assertThat(waited.getFinishedList()).hasSize(1);
        assertThat(job(id + 1))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.NOT_FOUND));
    }

    @Test
    void manyOldJobsDoNotStayInMemory() {
        for (int i = 0; i < 2 * Limits.OLD_JOBS_RECALLED; i++) {
            assertThat(job(ended(i))).isInstanceOf(JobReply.class);
        }
        assertThat(asked(() -> dispatcher.jobs().all().size())).isEqualTo(Limits.OLD_JOBS_RECALLED);
    }

    private static SubmitJobRequest after(long submission, List<Long> jobs) {
        SubmitJobRequest.Builder request = job("", "").toBuilder().setSubmission(submission);
        jobs.forEach(id -> request.addAfter(After.newBuilder().setJob(id)));
        return request.build();
    }

    private Object submit(SubmitJobRequest request) {
        return Answers.answer(ANN, request, JobService::submit, service);
    }

    /** Together they may be more than there is memory for. */
    @Test
    void aJobComesAfterManyOldOnesWithoutBringingThemIntoMemory() {
        begin(List.of(), "n1");
        List<Long> old = new ArrayList<>();
        for (int i = 1; i <= Limits.OLD_JOBS_RECALLED + 1; i++) {
            old.add(ended(i));
        }
        assertThat(submit(after(100, old))).isInstanceOf(SubmitJobReply.class);
        assertThat(asked(() -> dispatcher.jobs().all())).hasSize(1);
        assertThat(submit(after(101, List.of(old.getFirst(), 1_000_000L))))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> {
                            assertThat(e.kind()).isEqualTo(ErrorKind.NOT_FOUND);
                            assertThat(e).hasMessageContaining("1000000");
                        });
    }

    /** Its sender has lost the answer, and asks again when it is not in memory any more. */
    @Test
    void aJobThatIsSubmittedAgainAfterItHasEndedIsNotRunAgain() {
        begin(List.of(), "n1");
        long id = ended(1);
        assertThat(submit(after(1, List.of())))
                .isEqualTo(SubmitJobReply.newBuilder().setJob(id).build());
        assertThat(asked(() -> dispatcher.find(id))).isEmpty();
    }

    @Test
    void whatEndedLongAgoIsRemovedAndWhatUsersHadStays() throws SQLException {
        long old = ended(1);
        long recent = ended(2);
        try (var connection =
                        DriverManager.getConnection(
                                server.getJdbcUrl("postgres", "postgres"), "postgres", "");
                var statement = connection.createStatement()) {
            statement.execute(
                    "UPDATE gridfarm_jobs.job SET ended = ended - interval '3 days' WHERE id = "
                            + old);
        }
        assertThat(store.removeEnded(epoch, Duration.ofDays(4))).isZero();
        assertThat(store.removeEnded(epoch, Duration.ofDays(2))).isEqualTo(1);
        assertThat(store.job(old)).isEmpty();
        assertThat(store.task(old, 0)).isEmpty();
        assertThat(store.job(recent)).isPresent();
        assertThat(store.usage(java.time.LocalDate.EPOCH, java.time.LocalDate.of(2000, 1, 1), ""))
                .singleElement()
                .satisfies(row -> assertThat(row.getTasks()).isEqualTo(2));
    }
}

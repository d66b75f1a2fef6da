package org.gridfarm.scheduler.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.scheduler.job.Job;
import org.junit.jupiter.api.Test;

import java.util.Collections;

/** Jobs that would take all of the scheduler's memory, at once or at its next start. */
class KnownJobsTest {
    private static final SubmitJobRequest REQUEST =
            SubmitJobRequest.newBuilder()
                    .setSubmission(1)
                    .addAllTasks(Collections.nCopies(1000, TaskSpec.getDefaultInstance()))
                    .build();
    private static final long EACH = Job.bytes(REQUEST);

    /** With room for sixteen of them, and for twelve by one user. */
    private final KnownJobs jobs = new KnownJobs(new JobRoom(32 * EACH));

    private Job job(long id, String user, boolean done) {
        Job job = new Job(id, user, REQUEST.toBuilder().setSubmission(id).build(), 0);
        while (done && job.hasUntaken()) {
            job.abandon(job.takeNext(), "", 0);
        }
        assertThat(job.isDone()).isEqualTo(done);
        job.durable();
        return job;
    }

    private long submissions = 1_000;

    private long submission() {
        return ++submissions;
    }

    private void refused(String user, String why) {
        assertThatThrownBy(() -> jobs.reserve(user, submission(), EACH))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.OVERLOADED))
                .hasMessageContaining(why);
    }

    @Test
    void aTaskIsNotForNothing() {
        assertThat(EACH).isBetween(250_000L, 300_000L);
    }

    @Test
    void oneUserHasAPartOfWhatJobsMayTakeUntilSomeHaveEnded() {
        for (int i = 1; i <= 10; i++) jobs.add(job(i, "mallory", false));
        jobs.reserve("mallory", 11, EACH);
        jobs.reserve("mallory", 12, EACH);
        refused("mallory", "your jobs that have not ended would take");
        for (int i = 0; i < 2; i++) {
            jobs.reserve("ann", submission(), EACH);
            jobs.reserve("bob", submission(), EACH);
        }
        refused("carol", "all jobs that have not ended would take");
        jobs.came("mallory", 11);
        jobs.add(job(11, "mallory", true));
        assertThatCode(() -> jobs.reserve("carol", submission(), EACH)).doesNotThrowAnyException();
        refused("bob", "all jobs");
    }

    /** The largest job that can be asked for, in a small heap. */
    @Test
    void oneJobAloneMayTakeWhatAllMay() {
        KnownJobs small = new KnownJobs(new JobRoom(5 * EACH / 2));
        small.reserve("ann", 1, EACH);
        assertThatThrownBy(() -> small.reserve("ann", 2, 1)).hasMessageContaining("your jobs");
        assertThatThrownBy(() -> small.reserve("bob", 2, EACH)).hasMessageContaining("all jobs");
        small.came("ann", 1);
        small.reserve("ann", 2, EACH);
    }

    @Test
    void ofThoseThatHaveEndedSoManyAreKeptAsThereIsRoomForAndTheNewestInAnyCase() {
        for (int i = 1; i <= 10; i++) jobs.add(job(i, "ann", true));
        jobs.add(job(11, "ann", false));
        jobs.forgetOld();
        assertThat(jobs.all()).extracting(Job::id).containsExactly(7L, 8L, 9L, 10L, 11L);
        for (int i = 21; i <= 25; i++) jobs.recall(job(i, "ann", true));
        assertThat(jobs.all()).extracting(Job::id).containsExactly(7L, 8L, 9L, 10L, 11L, 24L, 25L);
        KnownJobs small = new KnownJobs(new JobRoom(1));
        small.recall(job(1, "ann", true));
        small.recall(job(2, "ann", true));
        small.add(job(3, "ann", true));
        small.forgetOld();
        assertThat(small.all()).extracting(Job::id).containsExactly(2L, 3L);
    }

    /** Neither the table nor anybody who waits for it has all of it. */
    @Test
    void whatHasEndedAndIsNotWrittenDownIsKeptAndTakesRoom() {
        Job unwritten = new Job(1, "ann", REQUEST, 0);
        unwritten.cancel("cancelled", 0);
        jobs.add(unwritten);
        for (int i = 2; i <= 7; i++) jobs.add(job(i, "ann", true));
        for (int i = 8; i <= 18; i++) jobs.add(job(i, "ann", false));
        jobs.forgetOld();
        assertThat(jobs.find(1)).isPresent();
        assertThat(jobs.find(2)).isEmpty();
        refused("ann", "your jobs that have not ended would take");
        unwritten.durable();
        jobs.forgetOld();
        assertThat(jobs.find(1)).isEmpty();
        assertThatCode(() -> jobs.reserve("ann", submission(), EACH)).doesNotThrowAnyException();
    }

    /** Its sender has lost the answer, not the job. */
    @Test
    void aSubmissionThatIsSentAgainTakesNoMoreRoom() {
        KnownJobs small = new KnownJobs(new JobRoom(5 * EACH / 2));
        small.reserve("ann", 1, EACH);
        assertThatCode(() -> small.reserve("ann", 1, EACH)).doesNotThrowAnyException();
        assertThatThrownBy(() -> small.reserve("bob", 1, EACH)).hasMessageContaining("all jobs");
        assertThatThrownBy(() -> small.reserve("ann", 1, 2 * EACH))
                .as("another job by the same number")
                .hasMessageContaining("your jobs");
        small.came("ann", 1);
        assertThatThrownBy(() -> small.reserve("bob", 2, EACH)).hasMessageContaining("all jobs");
        small.add(new Job(1, "ann", REQUEST, 0));
        small.came("ann", 1);
        assertThatCode(() -> small.reserve("ann", 1, EACH)).doesNotThrowAnyException();
        assertThatThrownBy(() -> small.reserve("bob", 2, EACH)).hasMessageContaining("all jobs");
    }

    /** Or it would be run again: the table may not have had its end when it was asked. */
    @Test
    void aJobThatIsSentAgainIsNotForgottenUntilItsSenderIsAnswered() {
        jobs.add(job(1, "ann", true));
        jobs.reserve("ann", 1, EACH);
        for (int i = 2; i <= 10; i++) jobs.add(job(i, "ann", true));
        jobs.forgetOld();
        assertThat(jobs.find(1)).isPresent();
        assertThat(jobs.find(2)).isEmpty();
        jobs.came("ann", 1);
        assertThat(jobs.find(1)).isEmpty();
    }
}

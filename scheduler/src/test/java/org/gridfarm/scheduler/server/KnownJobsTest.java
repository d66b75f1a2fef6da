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
        Job job = new Job(id, user, REQUEST, 0);
        while (done && job.hasUntaken()) {
            job.abandon(job.takeNext(), "", 0);
        }
        assertThat(job.isDone()).isEqualTo(done);
        return job;
    }

    private void refused(String user, String why) {
        assertThatThrownBy(() -> jobs.reserve(user, EACH))
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
        jobs.reserve("mallory", EACH);
        jobs.reserve("mallory", EACH);
        refused("mallory", "your jobs that have not ended would take");
        for (int i = 0; i < 2; i++) {
            jobs.reserve("ann", EACH);
            jobs.reserve("bob", EACH);
        }
        refused("carol", "all jobs that have not ended would take");
        jobs.came("mallory", EACH);
        jobs.add(job(11, "mallory", true));
        assertThatCode(() -> jobs.reserve("carol", EACH)).doesNotThrowAnyException();
        refused("bob", "all jobs");
    }

    /** The largest job that can be asked for, in a small heap. */
    @Test
    void oneJobAloneMayTakeWhatAllMay() {
        KnownJobs small = new KnownJobs(new JobRoom(5 * EACH / 2));
        small.reserve("ann", EACH);
        assertThatThrownBy(() -> small.reserve("ann", 1)).hasMessageContaining("your jobs");
        assertThatThrownBy(() -> small.reserve("bob", EACH)).hasMessageContaining("all jobs");
        small.came("ann", EACH);
        small.reserve("ann", EACH);
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
}

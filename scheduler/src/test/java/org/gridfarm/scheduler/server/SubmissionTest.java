package org.gridfarm.scheduler.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskSpec;
import org.gridfarm.scheduler.job.Job;
import org.junit.jupiter.api.Test;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** What may be submitted, and what is told of it. */
class SubmissionTest {
    private static Identity person(String user, Role role) {
        return new Identity("/CN=" + user, role, List.of(user), Optional.empty(), false);
    }

    private static final Identity ALICE = person("alice", Role.USER);

    private static ByteString text(String text) {
        return ByteString.copyFromUtf8(text);
    }

    private static SubmitJobRequest request(Consumer<SubmitJobRequest.Builder> change) {
        SubmitJobRequest.Builder request =
                SubmitJobRequest.newBuilder().setSubmission(1).setName("j");
        change.accept(request);
        return request.build();
    }

    private static void refused(String why, Consumer<SubmitJobRequest.Builder> change) {
        assertThatThrownBy(() -> Submission.of(ALICE, request(change))).hasMessageContaining(why);
    }

    @Test
    void whatCouldOnlyFailLaterIsRefusedInOneLine() {
        assertThat(Submission.of(ALICE, request(_ -> {})).user()).isEqualTo("alice");
        refused("LD_PRELOAD", job -> job.putEnvironment("LD_PRELOAD", text("x")));
        refused("letters, digits", job -> job.putEnvironment("A B", text("x")));
        refused("begins with '/'", job -> job.setDirectory(text("in")));
        refused(
                "begins with '/'",
                job -> job.addTasks(TaskSpec.newBuilder().addInputs(text("in"))));
        refused(
                "at most 256 files",
                job ->
                        job.addTasks(
                                TaskSpec.newBuilder()
                                        .addAllLocals(Collections.nCopies(257, text("/in/one")))));
        refused("no pattern of names", job -> job.setNodePattern("n["));
        refused("zero byte", job -> job.setName("a\0"));
        refused("255", job -> job.setName("a".repeat(256)));
        refused("no submission number", job -> job.setSubmission(0));
        refused("halt", job -> job.setHalt("never ever"));
    }

    @Test
    void onlyPeopleWithAFullCredentialSubmit() {
        Identity host = new Identity("/CN=h", Role.SCHEDULER, List.of(), Optional.empty(), false);
        assertThatThrownBy(() -> Submission.of(host, request(_ -> {})))
                .hasMessageContaining("only people");
        assertThatThrownBy(() -> Submission.of(ALICE.asLimited(true), request(_ -> {})))
                .hasMessageContaining("limited proxy");
    }

    @Test
    void whatCameFromTheCommandIsToldToItsOwnerAndAdministratorsAlone() {
        Job job =
                new Job(
                        1,
                        "alice",
                        request(one ->
                                one.setName("true --password=hunter2")
                                        .addTasks(
                                                TaskSpec.newBuilder()
                                                        .addArgv(text("hunter2"))
                                                        .setArgument(text("hunter2")))
                                        .addTasks(TaskSpec.getDefaultInstance())),
                        0);
        job.start(job.takeNext(), "n1", "none", 0);
        job.finish(
                job.tasks().get(0),
                RunTaskReply.newBuilder()
                        .setExitCode(1)
                        .setFailure("hunter2")
                        .setStdout(text("hunter2"))
                        .setStderr(text("hunter2"))
                        .build(),
                0);
        for (Identity other :
                List.of(
                        person("mallory", Role.USER),
                        new Identity("/CN=h", Role.MOUNT, List.of(), Optional.empty(), false))) {
            JobView view = new JobView(other, job, job.info("hunter2"));
            assertThat(view.job().toString()).contains("alice").doesNotContain("hunter2");
            assertThat(view.tasks(job.tasks(), true).toString())
                    .contains("n1")
                    .doesNotContain("hunter2");
        }
        for (Identity own : List.of(ALICE, person("root", Role.ADMIN))) {
            TaskInfo task = new JobView(own, job, job.info("")).tasks(job.tasks(), true).get(0);
            assertThat(task.getReason() + task.getStdout().toStringUtf8())
                    .isEqualTo("hunter2hunter2");
            assertThat(new JobView(own, job, job.info("")).job().getName()).contains("hunter2");
        }
    }

    /** The answer has to fit into a frame. */
    @Test
    void outputsThatAreLargeComeInSeveralAnswers() {
        Job job =
                new Job(
                        1,
                        "alice",
                        request(one -> {
                            for (int i = 0; i < 4; i++) {
                                one.addTasks(TaskSpec.getDefaultInstance());
                            }
                        }),
                        0);
        RunTaskReply large =
                RunTaskReply.newBuilder()
                        .setStdout(ByteString.copyFrom(new byte[3 << 20]))
                        .setStderr(ByteString.copyFrom(new byte[3 << 20]))
                        .build();
        while (job.hasPending()) {
            var task = job.takeNext();
            job.start(task, "n1", "none", 0);
            job.finish(task, large, 0);
        }
        JobView view = new JobView(ALICE, job, job.info(""));
        assertThat(view.tasks(job.finished(), true)).hasSize(1);
        assertThat(view.tasks(job.finished(), false)).hasSize(4);
    }
}

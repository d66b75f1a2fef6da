package org.gridfarm.scheduler.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.RunTaskReply;
import org.gridfarm.protocol.wire.SubmitJobRequest;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.scheduler.job.Job;
import org.gridfarm.scheduler.job.Task;
import org.gridfarm.scheduler.job.TaskState;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Second attempts, and tasks of many slots. */
class DispatcherPlacesTest extends DispatcherFixture {
    /** Three of four have ended; the fourth goes on long after them. */
    private void startStraggler() {
        begin(List.of(), "n1", "n2");
        held.add("alice");
        submit(1, "alice", job("", "", "", "", "").toBuilder().setSpeculate(true).build());
        for (int i = 0; i < 3; i++) {
            String attempt = "1." + i + ".1";
            await().until(() -> outcomes.containsKey(attempt));
            end(attempt, 0);
        }
        await().until(() -> ran.containsKey("1.3.1"));
        await().until(() -> asked(() -> dispatcher.require(1).succeeded()) == 3);
        ahead = Duration.ofSeconds(30);
        await().until(() -> ran.containsKey("1.3.2"));
        assertThat(ran.get("1.3.2")).as("on another node").isNotEqualTo(ran.get("1.3.1"));
        assertThat(
                        asked(() ->
                                dispatcher
                                        .require(1)
                                        .tasks()
                                        .get(3)
                                        .info(false)
                                        .getSecond()
                                        .getAttempts()))
                .isEqualTo(2);
    }

    private void end(String attempt, int status) {
        Objects.requireNonNull(outcomes.get(attempt))
                .complete(RunTaskReply.newBuilder().setExitCode(status).build());
    }

    @Test
    void theSecondAttemptOfAStragglerCountsIfItIsFirst() {
        startStraggler();
        end("1.3.2", 0);
        awaitState(1, "succeeded");
        assertThat(killed).containsExactly("1.3.1");
        TaskInfo task = asked(() -> dispatcher.require(1).tasks().get(3).info(false));
        assertThat(task.getAttempts()).isEqualTo(2);
        assertThat(task.getSuperseded()).startsWith("attempt 1 on n").endsWith("was slower");
        assertThat(asked(() -> dispatcher.info(dispatcher.require(1)).getSecondWon())).isEqualTo(1);
        end("1.3.1", 0); // killed or not: it is of no account, and gives its slot back
        submit(2, "alice", job("", "", ""));
        await().until(() -> ran.containsKey("2.0.1") && ran.containsKey("2.1.1"));
        release();
    }

    @Test
    void aSecondAttemptThatFailsLeavesTheFirstAlone() {
        startStraggler();
        end("1.3.2", 1);
        await().until(() -> asked(() -> dispatcher.require(1).tasks().get(3).second().isEmpty()));
        assertThat(killed).isEmpty();
        assertThat(asked(() -> dispatcher.require(1).state())).isEqualTo("running");
        submit(2, "alice", job("", ""));
        await().until(() -> ran.containsKey("2.0.1")); // the slot is for others again
        end("2.0.1", 0);
        awaitState(2, "succeeded");
        end("1.3.1", 0);
        awaitState(1, "succeeded");
        assertThat(ran).as("one is enough").doesNotContainKey("1.3.3");
        assertThat(asked(() -> dispatcher.require(1).tasks().get(3).attempts())).isEqualTo(1);
        assertThat(asked(() -> dispatcher.info(dispatcher.require(1)).getSecondWon())).isZero();
    }

    @Test
    void aSchedulerThatStartsAgainGoesOnWithBothAttempts() {
        held.add("alice");
        SubmitJobRequest request = job("", "").toBuilder().setSpeculate(true).build();
        Job before = new Job(1, "alice", request, 0);
        Task task = before.takeNext();
        before.start(task, "n1", "none", 0);
        before.startSecond(task, "n2", "none", 0);
        Job restored =
                Job.restored(
                        1,
                        "alice",
                        request,
                        0,
                        "",
                        List.of(new Job.KeptTask(task.row(), TaskState.RUNNING, 0)));
        begin(List.of(restored), "n1", "n2");
        await().until(() -> ran.containsKey("1.0.1") && ran.containsKey("1.0.2"));
        assertThat(ran).containsEntry("1.0.1", "n1:1").containsEntry("1.0.2", "n2:1");
        end("1.0.2", 0);
        awaitState(1, "succeeded");
        assertThat(killed).containsExactly("1.0.1");
        end("1.0.1", 143);
    }

    /** Each slot that comes free would be taken by a small task at once. */
    @Test
    void aTaskOfManySlotsStartsThoughSmallOnesWaitForEachSlot() {
        nodes.add(
                NodeInfo.newBuilder()
                        .setName("n1")
                        .setAddress("n1:1")
                        .setState("up")
                        .setSlots(2)
                        .build());
        begin(List.of());
        held.addAll(Set.of("alice", "bob"));
        submit(1, "bob", job("", "", "", "", "", "", "", ""));
        await().until(() -> running.size() == 2);
        SubmitJobRequest.Builder large = job("", "").toBuilder();
        large.setTasks(0, large.getTasks(0).toBuilder().setSlots(2));
        submit(2, "alice", large.build());
        await().until(() ->
                asked(() -> dispatcher.info(dispatcher.require(2)).getWaiting())
                        .contains("waits for 2 slots on n1, which is kept for it"));
        assertThat(
                        asked(() ->
                                dispatcher
                                        .why(dispatcher.require(1), 0)
                                        .getNodes(0)
                                        .getAgainstList()))
                .contains("is kept for job 2, which needs 2 slots");
        running.removeFirst().complete(RunTaskReply.getDefaultInstance());
        await().until(() -> asked(() -> dispatcher.require(1).succeeded()) == 1);
        assertThat(running).as("the slot stays free").hasSize(1);
        running.removeFirst().complete(RunTaskReply.getDefaultInstance());
        await().until(() -> ran.containsKey("2.0.1"));
        release();
        release();
        awaitState(2, "succeeded");
    }
}

package org.gridfarm.client.cli.slurm;

import org.gridfarm.client.cli.run.Placements;
import org.gridfarm.protocol.wire.TaskInfo;
import org.gridfarm.protocol.wire.TaskSpec;

import java.util.Optional;

/** A task on its way through Slurm. Owned by {@link ViaSlurm}, whose thread alone changes it. */
final class ViaTask {
    /** Where it is. */
    enum Phase {
        /** Not in Slurm: not yet, or not any more because it is to be tried again. */
        HERE,
        /** In Slurm's queue. */
        QUEUED,
        RUNNING,
        OVER
    }

    final int index;
    final TaskSpec spec;
    final Placements.Located input;
    final Optional<Publishing> out;
    String preferred; // a node, or Preferences.ANY
    Phase phase = Phase.HERE;
    String slurmId = "";
    String node = ""; // of the farm, or as Slurm calls it
    int begun; // attempts before the one that is in Slurm
    int restarts; // of that one, by Slurm itself
    int failures;
    int lost;
    long queued; // milliseconds since 1970, as started
    long started;

    ViaTask(
            int index,
            TaskSpec spec,
            Placements.Located input,
            Optional<Publishing> out,
            String preferred) {
        this.index = index;
        this.spec = spec;
        this.input = input;
        this.out = out;
        this.preferred = preferred;
    }

    /** Number of the attempt that is in Slurm. */
    int attempt() {
        return begun + 1 + restarts;
    }

    boolean isInSlurm() {
        return phase == Phase.QUEUED || phase == Phase.RUNNING;
    }

    /** The one in Slurm is over, and will count as nothing. */
    void takeBack() {
        begun = attempt();
        restarts = 0;
        phase = Phase.HERE;
        slurmId = "";
        started = 0;
    }

    long localBytes() {
        return Math.min(input.bytes(), input.held().getOrDefault(node, 0L));
    }

    /** As the scheduler would tell of it. */
    TaskInfo.Builder info() {
        return TaskInfo.newBuilder()
                .setIndex(index)
                .setNode(node)
                .setInputBytes(input.bytes())
                .setInputBytesLocal(localBytes())
                .setLocality(locality())
                .setQueued(queued)
                .setArgument(
                        spec.getArgument().isEmpty() && spec.getInputsCount() > 0
                                ? spec.getInputs(0)
                                : spec.getArgument());
    }

    private String locality() {
        if (input.bytes() == 0) {
            return "none";
        }
        return localBytes() >= input.bytes() ? "local" : "remote";
    }
}

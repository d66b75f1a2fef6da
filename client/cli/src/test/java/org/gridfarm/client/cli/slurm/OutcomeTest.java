package org.gridfarm.client.cli.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;

import java.util.Optional;

class OutcomeTest {
    private static Outcome of(String state, int waitStatus, Optional<Spool.End> end) {
        return Outcome.of(
                Optional.of(new SlurmTask("1_0", state, waitStatus, 0, "n1", "why")), end, 2_000);
    }

    private static Optional<Spool.End> end(int status, long millis) {
        return Optional.of(new Spool.End(status, 1_000, 1_000 + millis, "n1", 0));
    }

    @Test
    void aTaskThatEndedItselfSaysHow() {
        assertEquals(new Outcome(false, 0, ""), of("COMPLETED", 0, end(0, 5)));
        assertEquals(new Outcome(false, 7, "exit status 7"), of("FAILED", 7 << 8, end(7, 5)));
        assertEquals(11, of("FAILED", 0, end(139, 5)).signal());
        assertEquals("timed out after 2.0 s", of("FAILED", 0, end(143, 2_001)).reason());
        assertEquals("out of memory", of("OUT_OF_MEMORY", 0, end(137, 5)).reason());
    }

    @Test
    void oneThatCouldNotIsToldBySlurm() {
        assertEquals(143, of("CANCELLED", 15, Optional.empty()).status());
        assertTrue(of("NODE_FAIL", 0, Optional.empty()).isLost());
        assertTrue(of("FAILED", 78 << 8, Optional.empty()).reason().contains("not mounted"));
        assertEquals(137, of("FAILED", 9, Optional.empty()).status());
        assertEquals(1, of("FAILED", 0, Optional.empty()).status());
        assertEquals(1, Outcome.of(Optional.empty(), Optional.empty(), 0).status());
        assertEquals(0, Outcome.of(Optional.empty(), end(0, 1), 0).status());
    }

    @Test
    void whatSqueuePrintsIsUnderstood() {
        String line =
                "86          |2           |NODE_FAIL           |35072     |1         |n2       |None      |";
        assertEquals(
                Optional.of(new SlurmTask("86_2", "NODE_FAIL", 35_072, 1, "n2", "")),
                SlurmTask.of(line));
        assertEquals(Optional.empty(), SlurmTask.of(""));
    }

    @Test
    void aHostWithoutSlurmSaysSo() {
        FarmException failure = assertThrows(FarmException.class, () -> Slurm.in("/nowhere"));
        assertEquals(
                "run --via slurm: not supported (sbatch is not installed on this host)",
                failure.getMessage());
        assertEquals(69, failure.kind().exitCode());
    }
}

package org.gridfarm.storagenode.tasks;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;

class TaskUserTest {
    private static final long UNCHANGED = 0xFFFF_FFFFL;

    private static void ask(long uid, long gid, long self, boolean allowRoot) {
        TaskUser.requireAllowed(
                "u",
                uid,
                gid,
                self,
                new TaskSettings(
                        1,
                        "",
                        Duration.ZERO,
                        Path.of("/tmp"),
                        1000,
                        allowRoot,
                        Path.of("/tmp"),
                        0,
                        1 << 30,
                        0));
    }

    private static void refused(String why, long uid, long gid, long self, boolean allowRoot) {
        assertThatThrownBy(() -> ask(uid, gid, self, allowRoot))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aNodeOfRootBecomesPeopleAndNobodyElse() {
        assertThatCode(() -> ask(1000, 100, 0, false)).doesNotThrowAnyException();
        assertThatCode(() -> ask(65534, 65534, 0, false)).doesNotThrowAnyException();
        refused("no tasks of root", 0, 0, 0, false);
        refused("below 1000", 999, 1000, 0, false);
        refused("below 1000", 1, 1, 0, true);
    }

    /** setresuid(-1) changes nothing, so the task would be root. */
    @Test
    void theNumberThatChangesNothingIsNobodys() {
        refused("nobody's number", UNCHANGED, 1000, 0, false);
        refused("nobody's number", 1000, UNCHANGED, 0, false);
    }

    @Test
    void anyOtherNodeRunsItsOwnAccountsTasks() {
        assertThatCode(() -> ask(998, 998, 998, false)).doesNotThrowAnyException();
        refused("cannot become uid 1000", 1000, 1000, 998, false);
        refused("cannot become uid 0", 0, 0, 998, true);
    }

    @Test
    void rootsOwnFarmRunsRootsTasks() {
        assertThatCode(() -> ask(0, 0, 0, true)).doesNotThrowAnyException();
    }
}

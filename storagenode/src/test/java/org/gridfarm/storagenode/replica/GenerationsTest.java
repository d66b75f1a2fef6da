package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.storagenode.disk.DataDirectory;
import org.gridfarm.storagenode.disk.PortableDisk;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class GenerationsTest {
    @TempDir Path root;

    /** Who empties files in a loop makes a generation each time. */
    @Test
    void whatIsTooMuchToBeRememberedIsLookedForOnTheDisk() throws Exception {
        SimClock clock = new SimClock();
        try (DataDirectory disk = DataDirectory.open(root, new PortableDisk(), clock, 0)) {
            Generations generations = new Generations(clock, List.of(disk));
            clock.advance(Generations.TICKET_LIFE_MAX.plusSeconds(1)); // the start is over
            ObjectKey first = new ObjectKey(1, 0, 5);
            generations.began(first);
            Files.createFile(disk.objects().make(first.slot()).resolve(first.fileName()));
            ObjectKey late = first.withGeneration(4);
            refused(generations, late);
            for (int i = 0; i < Generations.REMEMBERED_MAX; i++) {
                generations.began(new ObjectKey(100 + i, 0, 2));
            }
            refused(generations, late);
            refused(generations, new ObjectKey(100 + Generations.REMEMBERED_MAX - 1, 0, 1));
            clock.advance(Generations.TICKET_LIFE_MAX.plusSeconds(1));
            generations.began(new ObjectKey(2, 0, 2)); // the others are forgotten by time
            assertThatCode(() -> generations.refuseOlder(new ObjectKey(101, 0, 1)))
                    .doesNotThrowAnyException();
        }
    }

    private static void refused(Generations generations, ObjectKey key) {
        assertThatThrownBy(() -> generations.refuseOlder(key))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("content was replaced");
    }
}

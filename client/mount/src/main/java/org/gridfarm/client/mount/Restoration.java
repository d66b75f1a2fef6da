package org.gridfarm.client.mount;

import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.mount.takeover.Ledger;
import org.gridfarm.client.mount.takeover.OpenRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Brings back what a former process of this mount had open, before the first request is served. */
interface Restoration {
    Restoration NONE = (_, _) -> {};

    /**
     * Longer than a healthy farm needs; then the rest is served, and each file as it comes back.
     */
    Duration WAIT_MAX = Duration.ofSeconds(4);

    void carryOut(Files files, Locks locks);

    static Restoration from(Gridfarm farm, Ledger.Former former) {
        return (files, locks) -> carryOut(farm, former, files, locks);
    }

    private static void carryOut(Gridfarm farm, Ledger.Former former, Files files, Locks locks) {
        Logger log = LoggerFactory.getLogger(Restoration.class);
        long began = System.nanoTime();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (OpenRecord record : former.open()) {
            all.add(files.restore(record, false, farm::restore));
            locks.inherited(record.inode());
        }
        Set<Long> open = former.open().stream().map(OpenRecord::inode).collect(Collectors.toSet());
        for (OpenRecord record : former.leaving()) {
            files.restore(record, true, farm::restore);
            // The kernel does not ask again for the end of its locks. They are not told apart from
            // those of others who have the file open, and end with them.
            files.leave(
                    record.number(),
                    open.contains(record.inode())
                            ? CompletableFuture.completedFuture(null)
                            : locks.inheritedEnds(record.inode()));
        }
        all.add(farm.resume());
        CompletableFuture<Integer> broken =
                CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
                        .handle((_, _) -> {
                            long bad =
                                    all.stream()
                                            .filter(CompletableFuture::isCompletedExceptionally)
                                            .count();
                            return (int) bad;
                        })
                        .completeOnTimeout(-1, WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS);
        int bad = broken.join();
        long millis = (System.nanoTime() - began) / 1_000_000;
        if (bad < 0) {
            log.warn(
                    "the farm does not answer: {} open files come back later",
                    former.open().size());
        } else if (bad > 0) {
            log.warn("{} of {} open files could not be brought back", bad, former.open().size());
        } else {
            log.info("{} open files are back after {} ms", former.open().size(), millis);
        }
    }
}

package org.gridfarm.client.mount.own;

import com.google.errorprone.annotations.concurrent.GuardedBy;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.wire.MutateRequest;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Asks the leader for directories that were there before, in which programs go on changing names.
 * The change that makes it ask waits for the answer: so no change of names there is under way when
 * the directory becomes this mount's.
 *
 * <p>Thread-safe; calls its owner without holding its lock.
 */
final class Takeovers {
    private static final Logger log = LoggerFactory.getLogger(Takeovers.class);

    /** Whoever waits for longer has the leader decide; others may be slow to forget it. */
    private static final Duration WAITED_FOR = Duration.ofMillis(500);

    /** After a call that failed. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /**
     * A directory that a command would rather find here.
     *
     * @param alone one change is enough to ask for it
     */
    record Wanted(long directory, boolean alone) {}

    /** What decides, and asks. */
    interface Owner {
        /** For this command; none while this mount takes no directories. */
        List<Wanted> wanted(MutateRequest request);

        /** Asks for it; completes when it is this mount's, or is not going to be. */
        CompletableFuture<Taken> take(long directory);
    }

    /**
     * What came of it.
     *
     * @param mine it is this mount's now
     * @param pauseMillis asking again before that is of no use; 0: unknown
     */
    record Taken(boolean mine, int pauseMillis) {}

    private final Owner owner;
    private final Clock clock;

    @GuardedBy("this")
    private final Wishes wishes = new Wishes();

    @GuardedBy("this")
    private final Map<Long, CompletableFuture<Void>> underWay = new HashMap<>();

    @GuardedBy("this")
    private long taken;

    Takeovers(Owner owner, Clock clock) {
        this.owner = owner;
        this.clock = clock;
    }

    /** Completes, in any case, when the command may be looked at; null: it may be now. */
    @Nullable CompletableFuture<Void> before(MutateRequest request) {
        List<Wanted> wanted = owner.wanted(request);
        if (wanted.isEmpty()) return null;
        long now = clock.nanoTime();
        List<CompletableFuture<Void>> awaited = new ArrayList<>();
        Map<Long, CompletableFuture<Void>> begun = new LinkedHashMap<>();
        synchronized (this) {
            for (Wanted one : wanted) {
                boolean asks = wishes.changes(one.directory, one.alone, now);
                CompletableFuture<Void> answer = underWay.get(one.directory);
                if (answer == null && asks) {
                    answer = new CompletableFuture<>();
                    underWay.put(one.directory, answer);
                    begun.put(one.directory, answer);
                }
                if (answer != null) awaited.add(answer);
            }
        }
        begun.forEach(this::ask);
        if (awaited.isEmpty()) return null;
        CompletableFuture<Void> all =
                CompletableFuture.allOf(awaited.toArray(CompletableFuture[]::new));
        if (!all.isDone()) clock.after(WAITED_FOR, () -> all.complete(null));
        return all;
    }

    private void ask(long directory, CompletableFuture<Void> answer) {
        owner.take(directory)
                .whenComplete((came, thrown) -> {
                    boolean mine = came != null && came.mine;
                    if (thrown != null) {
                        log.debug("directory {} is not taken: {}", directory, thrown.getMessage());
                    }
                    Duration pause =
                            came != null && came.pauseMillis > 0
                                    ? Duration.ofMillis(came.pauseMillis)
                                    : PAUSE;
                    synchronized (this) {
                        underWay.remove(directory);
                        if (mine) {
                            taken++;
                            wishes.given(directory);
                        } else {
                            wishes.refused(directory, pause, clock.nanoTime());
                        }
                    }
                    answer.complete(null);
                });
    }

    /** So many became this mount's. */
    synchronized long taken() {
        return taken;
    }
}

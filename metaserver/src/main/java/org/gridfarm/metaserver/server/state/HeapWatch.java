package org.gridfarm.metaserver.server.state;

import org.gridfarm.protocol.env.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Looks at this process's heap for {@link HeapRoom}. The event thread looks at every tick; the room
 * and what is said of it may be asked by any thread.
 *
 * <p>What is in use at most: the pools of old objects as they are, and of young ones what their
 * last collection left. Only where that says that the heap may be full everything is collected,
 * which the virtual machine was about to do by itself.
 */
public final class HeapWatch {
    private static final Logger log = LoggerFactory.getLogger(HeapWatch.class);

    private static final long LOOK_EVERY_NANOS = Duration.ofMillis(100).toNanos();

    private final List<MemoryPoolMXBean> pools =
            ManagementFactory.getMemoryPoolMXBeans().stream()
                    .filter(pool -> pool.getType() == MemoryType.HEAP)
                    .toList();
    private final long max = Runtime.getRuntime().maxMemory();
    private final HeapRoom room;
    private volatile HeapRoom.Room told = HeapRoom.Room.AMPLE;
    private volatile long used;
    private final Clock clock;
    private long lookedAt;

    /**
     * @param fullPercent of the heap
     */
    public HeapWatch(int fullPercent, Clock clock) {
        this.clock = clock;
        this.lookedAt = clock.nanoTime() - LOOK_EVERY_NANOS;
        this.room = new HeapRoom(fullPercent / 100.0);
    }

    HeapRoom.Room room() {
        return told;
    }

    /** Percent of the heap in use, garbage among it perhaps. */
    public int percent() {
        return (int) (used * 100 / max);
    }

    /** What is wrong, for people; nothing where it is only doubtful. */
    public Optional<String> problem() {
        return isFull(told) ? Optional.of("the heap is full: " + remedy()) : Optional.empty();
    }

    /** Why something is refused. */
    String why() {
        return isFull(told)
                ? "the metaserver's heap is full: " + remedy()
                : "the metaserver's heap may be full: " + amount();
    }

    private String remedy() {
        return amount()
                + "; nothing new is taken until something is deleted or it is given more"
                + " (GF_HEAP)";
    }

    private String amount() {
        return (used >> 20) + " of " + (max >> 20) + " MB in use";
    }

    /** At a tick. */
    public void look(Events events) {
        long now = clock.nanoTime();
        if (now - lookedAt < LOOK_EVERY_NANOS) return;
        lookedAt = now;
        used = usedAtMost();
        room.seen(share());
        tell();
        if (room.asks(now)) {
            Thread.ofPlatform().daemon().name("gf-collect").start(() -> collect(events));
        }
    }

    private void collect(Events events) {
        long began = clock.nanoTime();
        System.gc();
        long took = clock.nanoTime() - began;
        events.submit(() -> {
            Runtime runtime = Runtime.getRuntime();
            used = Math.min(usedAtMost(), runtime.totalMemory() - runtime.freeMemory());
            room.collected(share(), clock.nanoTime(), took);
            tell();
        });
    }

    private double share() {
        return (double) used / max;
    }

    private void tell() {
        HeapRoom.Room now = room.room();
        if (now == told) return;
        boolean wasFull = isFull(told);
        told = now;
        if (isFull(now) && !wasFull) {
            log.warn("{}", problem().orElseThrow());
        } else if (wasFull && !isFull(now)) {
            log.info("the heap has room again: {}", amount());
        }
    }

    private static boolean isFull(HeapRoom.Room room) {
        return room == HeapRoom.Room.FULL || room == HeapRoom.Room.LAST;
    }

    private long usedAtMost() {
        long sum = 0;
        for (MemoryPoolMXBean pool : pools) {
            MemoryUsage left = pool.getCollectionUsage();
            // A threshold on usage is what pools have that keep old objects.
            boolean keeps = pool.isUsageThresholdSupported() || left == null;
            sum += keeps ? pool.getUsage().getUsed() : left.getUsed();
        }
        return sum;
    }
}

package org.gridfarm.protocol.rpc;

import io.netty.channel.EventLoop;
import io.netty.util.collection.LongObjectHashMap;

import org.gridfarm.protocol.env.Clock;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * The calls of one connection that wait for their answers, and their deadlines. Owned by the event
 * loop.
 *
 * <p>One timer watches all deadlines: it is set for the earliest known and looks through the table
 * when it fires. Most calls end long before their deadline, so a timer for each would cost more
 * than these rare looks.
 */
final class CallTable {
    private final EventLoop loop;
    private final Clock clock;
    private final BiConsumer<Long, PendingCall<?, ?, ?>> expired;
    private final LongObjectHashMap<PendingCall<?, ?, ?>> calls = new LongObjectHashMap<>();
    private @Nullable ScheduledFuture<?> timer;
    private long timerAt = Long.MAX_VALUE;
    private long lastId;

    CallTable(EventLoop loop, Clock clock, BiConsumer<Long, PendingCall<?, ?, ?>> expired) {
        this.loop = loop;
        this.clock = clock;
        this.expired = expired;
    }

    long add(PendingCall<?, ?, ?> call) {
        long id = ++lastId;
        calls.put(id, call);
        if (call.deadlineNanos != Long.MAX_VALUE
                && (timer == null || call.deadlineNanos - timerAt < 0)) watch(call.deadlineNanos);
        return id;
    }

    @Nullable PendingCall<?, ?, ?> remove(long id) {
        return calls.remove(id);
    }

    int size() {
        return calls.size();
    }

    /** Empties the table and stops the timer. */
    List<PendingCall<?, ?, ?>> removeAll() {
        List<PendingCall<?, ?, ?>> all = new ArrayList<>(calls.values());
        calls.clear();
        if (timer != null) timer.cancel(false);
        timer = null;
        return all;
    }

    private void watch(long at) {
        if (timer != null) timer.cancel(false);
        timerAt = at;
        timer = loop.schedule(this::look, Math.max(0, at - clock.nanoTime()), TimeUnit.NANOSECONDS);
    }

    private void look() {
        timer = null;
        long now = clock.nanoTime();
        boolean any = false;
        long next = 0;
        List<Long> due = new ArrayList<>();
        for (LongObjectHashMap.PrimitiveEntry<PendingCall<?, ?, ?>> entry : calls.entries()) {
            long at = entry.value().deadlineNanos;
            if (at == Long.MAX_VALUE) continue;
            if (at - now <= 0) {
                due.add(entry.key());
            } else if (!any || at - next < 0) {
                next = at;
                any = true;
            }
        }
        if (any) watch(next);
        for (long id : due) {
            PendingCall<?, ?, ?> call = calls.remove(id);
            if (call != null) expired.accept(id, call);
        }
    }
}

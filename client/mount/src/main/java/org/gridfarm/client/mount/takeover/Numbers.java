package org.gridfarm.client.mount.takeover;

import org.gridfarm.client.core.session.Inheritance;
import org.gridfarm.client.mount.fuse.Request;
import org.jspecify.annotations.Nullable;

import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * Ties the numbers of the farm's requests to those of the kernel's, so that a request of the kernel
 * that two processes carried out one after the other is one change to the metaserver. Thread-safe.
 */
public final class Numbers implements Inheritance {
    /** {@code FUSE_UNIQUE_RESEND} of linux/fuse.h. */
    private static final long RESENT_BIT = 1L << 63;

    private final @Nullable Ledger ledger;
    private final long session;
    private final long epoch;
    private final long predecessors;
    private final long lastSequence;
    private final ThreadLocal<@Nullable Request> serving = new ThreadLocal<>();
    private final ConcurrentSkipListSet<Long> unanswered = new ConcurrentSkipListSet<>();

    private Numbers(@Nullable Ledger ledger) {
        this.ledger = ledger;
        this.session = ledger == null ? 0 : ledger.session();
        this.epoch = ledger == null ? 0 : ledger.epoch();
        this.predecessors = ledger == null ? 0 : ledger.processes() - 1;
        this.lastSequence = ledger == null ? 0 : ledger.sequencesReserved();
    }

    /** Of a process after {@link Ledger#processBegins}. */
    public static Numbers of(Ledger ledger) {
        return new Numbers(ledger);
    }

    /** Of a mount that ends with its process. */
    public static Numbers unkept() {
        return new Numbers(null);
    }

    /** The kernel's number of a request, the same when it is sent again. */
    public static long of(Request request) {
        return request.unique() & ~RESENT_BIT;
    }

    /** Carries out what a request asks: the first number taken meanwhile is that request's. */
    public void serving(Request request, Runnable call) {
        if (ledger == null) {
            call.run();
            return;
        }
        serving.set(request);
        try {
            call.run();
        } finally {
            serving.set(null);
        }
    }

    @Override
    public long session() {
        return session;
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public long predecessors() {
        return predecessors;
    }

    @Override
    public void stands(long newSession, long newEpoch) {
        if (ledger != null) {
            ledger.session(newSession, newEpoch);
        }
    }

    @Override
    public long lastSequence() {
        return lastSequence;
    }

    @Override
    public long sequence(long fresh) {
        if (ledger == null) {
            return fresh;
        }
        ledger.sequenceUsed(fresh);
        Request request = serving.get();
        if (request == null) {
            return fresh;
        }
        serving.set(null); // what else the request needs has a number of its own
        long number = of(request); // the request is another's when it was answered
        long former = request.resent() ? ledger.unanswered().again(number) : 0;
        long sequence = former == 0 ? fresh : former;
        if (former == 0) {
            ledger.unanswered().add(number, fresh);
        }
        unanswered.add(sequence);
        request.afterAnswer(() -> answered(number, sequence));
        return sequence;
    }

    private void answered(long request, long sequence) {
        Objects.requireNonNull(ledger).unanswered().answered(request);
        unanswered.remove(sequence);
    }

    /** The kernel may have no answer yet though the metaserver gave one: it would ask again. */
    @Override
    public long firstUnanswered() {
        Iterator<Long> first = unanswered.iterator();
        return first.hasNext() ? first.next() : Long.MAX_VALUE;
    }

    @Override
    public long handle(long drawn) {
        Request request = serving.get();
        if (ledger == null || request == null) {
            return drawn;
        }
        return mixed(ledger.session() ^ mixed(of(request)));
    }

    /** A one-to-one scattering of 64 bits (the finaliser of SplitMix64). */
    private static long mixed(long bits) {
        long a = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
        long b = (a ^ (a >>> 27)) * 0x94d049bb133111ebL;
        return b ^ (b >>> 31);
    }
}

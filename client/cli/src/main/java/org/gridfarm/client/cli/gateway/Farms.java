package org.gridfarm.client.cli.gateway;

import org.gridfarm.client.cli.gateway.call.ShownToken;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A session of the farm for each account and for each token, opened when it is first needed and
 * ended when nobody has used it for a while or the metaservers refuse it. So each has a cache of
 * what he himself was told, and the metaserver judges every request as his own. Thread-safe.
 */
public final class Farms implements AutoCloseable {
    /** Each costs the metaserver leases and a connection. */
    private static final int ACCOUNTS_MAX = 200;

    private static final long FAILED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(Farms.class);

    private final Entrance entrance;
    private final int tokensMax;
    private final Map<Whose, Entry> entries = new HashMap<>(); // guarded by this
    private boolean closed; // guarded by this

    /** What a session is opened for; neither takes the other one's room. */
    private enum Kind {
        ACCOUNT("people", 200, Duration.ofMinutes(5)),

        /**
         * A token lives for minutes and hours and its holder may have many. Whoever comes by may
         * show what he likes, so only some are asked about at a time.
         */
        TOKEN("tokens", 32, Duration.ofMinutes(1));

        private final String words;
        private final int openingMax;
        private final long idleNanos;

        Kind(String words, int openingMax, Duration idle) {
            this.words = words;
            this.openingMax = openingMax;
            idleNanos = idle.toNanos();
        }
    }

    /**
     * @param account empty: of who runs the gateway, or the usual one of whose the token is
     */
    private record Whose(String account, Optional<ShownToken> token) {
        Kind kind() {
            return token.isPresent() ? Kind.TOKEN : Kind.ACCOUNT;
        }

        Gridfarm open(Entrance by) {
            return token.map(shown -> by.by(shown, account)).orElseGet(() -> by.as(account));
        }
    }

    /** Lock order: that of an entry, then this. */
    private static final class Entry {
        final ReentrantLock opening = new ReentrantLock();
        final Whose whose;
        volatile @Nullable Gridfarm farm; // written under opening
        @Nullable FarmException failure; // guarded by opening: of the last attempt
        long failedAt; // guarded by opening
        boolean stands; // guarded by Farms: it was opened, and counts among the sessions
        int users; // guarded by Farms
        long usedAt = System.nanoTime(); // guarded by Farms
        boolean ended; // guarded by Farms: its session is of no use any more

        Entry(Whose whose) {
            this.whose = whose;
        }

        boolean isOver() {
            Gridfarm now = farm;
            return ended || now != null && now.refusal().isPresent();
        }
    }

    /** The farm as somebody sees it, for one request. */
    public final class Lease implements AutoCloseable {
        private final Entry entry;
        private final Gridfarm farm;

        private Lease(Entry entry, Gridfarm farm) {
            this.entry = entry;
            this.farm = farm;
        }

        public Gridfarm farm() {
            return farm;
        }

        /** A session that the servers ended, or know no more, is not used again. */
        public void failed(ErrorKind kind) {
            if (kind == ErrorKind.SESSION_ENDED || kind == ErrorKind.NOT_AUTHENTICATED) {
                synchronized (Farms.this) {
                    entry.ended = true;
                }
            }
        }

        @Override
        public void close() {
            released(entry);
        }
    }

    /**
     * @param tokensMax of which there is a session at a time
     */
    Farms(Entrance entrance, int tokensMax) {
        this.entrance = entrance;
        this.tokensMax = tokensMax;
    }

    /** Where the farm's metaservers are. */
    public List<HostPort> metaservers() {
        return entrance.metaservers();
    }

    /**
     * @param account empty: of who runs the gateway
     * @throws FarmException UNAVAILABLE or another of its kind where no metaserver answers,
     *     OVERLOADED where too many people are here
     */
    Lease of(String account) {
        return of(new Whose(account, Optional.empty()));
    }

    /**
     * As whom the metaservers say the token is.
     *
     * @param account one of his; empty: the usual one
     * @throws FarmException as above; NOT_AUTHENTICATED where they refuse it, ACCESS_DENIED where
     *     the account is not his
     */
    Lease of(ShownToken token, String account) {
        return of(new Whose(account, Optional.of(token)));
    }

    private Lease of(Whose whose) {
        Entry entry = taken(whose);
        entry.opening.lock();
        try {
            Gridfarm farm = entry.farm;
            return new Lease(entry, farm == null ? opened(entry) : farm);
        } catch (RuntimeException e) {
            released(entry);
            throw e;
        } finally {
            entry.opening.unlock();
        }
    }

    /** Those who waited for an attempt that failed do not make one each. */
    private Gridfarm opened(Entry entry) {
        FarmException before = entry.failure;
        if (before != null && System.nanoTime() - entry.failedAt < FAILED_NANOS) throw before;
        try {
            Gridfarm farm = entry.whose.open(entrance);
            try {
                admit(entry);
            } catch (FarmException e) {
                farm.close();
                throw e;
            }
            log.info("a session for {} ({})", farm.user(), entry.whose.kind());
            entry.failure = null;
            entry.farm = farm;
            return farm;
        } catch (FarmException e) {
            entry.failure = e;
            entry.failedAt = System.nanoTime();
            throw e;
        }
    }

    private Entry taken(Whose whose) {
        Entry over = null;
        try {
            synchronized (this) {
                if (closed) throw ending();
                Entry known = entries.get(whose);
                if (known != null && known.isOver()) {
                    entries.remove(whose);
                    if (known.users == 0) over = known;
                    known = null;
                }
                if (known == null) requireRoomToOpen(whose.kind());
                Entry entry = known == null ? new Entry(whose) : known;
                entries.put(whose, entry);
                entry.users++;
                return entry;
            }
        } finally {
            if (over != null) end(over);
        }
    }

    private static FarmException ending() {
        return new FarmException(ErrorKind.UNAVAILABLE, "enter", "", "the gateway ends");
    }

    /** Who is not let in takes no room from those who are. Guarded by this. */
    private void requireRoomToOpen(Kind kind) {
        if (count(kind, entry -> !entry.stands) < kind.openingMax) return;
        entries.remove(
                leastUsed(kind, entry -> !entry.stands)
                        .orElseThrow(() ->
                                overloaded(
                                        kind.openingMax + " " + kind.words + " come in just now"))
                        .whose);
    }

    /** It is open, and takes the room of one that nobody uses where there is no other. */
    private void admit(Entry entry) {
        Kind kind = entry.whose.kind();
        int most = kind == Kind.TOKEN ? tokensMax : ACCOUNTS_MAX;
        Entry surplus = null;
        synchronized (this) {
            if (closed) throw ending();
            if (count(kind, other -> other.stands) >= most) {
                surplus =
                        leastUsed(kind, other -> other.stands)
                                .orElseThrow(() ->
                                        overloaded(
                                                most
                                                        + " "
                                                        + kind.words
                                                        + " are at work here already"));
                entries.remove(surplus.whose);
            }
            entry.stands = true;
        }
        if (surplus != null) end(surplus);
    }

    private static FarmException overloaded(String why) {
        return new FarmException(ErrorKind.OVERLOADED, "enter", "", why);
    }

    private Stream<Entry> of(Kind kind, Predicate<Entry> which) {
        return entries.values().stream().filter(entry -> entry.whose.kind() == kind).filter(which);
    }

    private long count(Kind kind, Predicate<Entry> which) {
        return of(kind, which).count();
    }

    /** Of those that nobody uses now. */
    private Optional<Entry> leastUsed(Kind kind, Predicate<Entry> which) {
        long now = System.nanoTime();
        return of(kind, which)
                .filter(entry -> entry.users == 0)
                .min(Comparator.comparingLong(entry -> entry.usedAt - now));
    }

    private void released(Entry entry) {
        boolean last;
        synchronized (this) {
            entry.users--;
            entry.usedAt = System.nanoTime();
            last = entry.users == 0 && entries.get(entry.whose) != entry;
        }
        if (last) end(entry);
    }

    /** Ends what nobody has used for a while or is of no use; to be called now and then. */
    void sweep() {
        List<Entry> idle = new ArrayList<>();
        synchronized (this) {
            long now = System.nanoTime();
            entries.values()
                    .removeIf(entry -> {
                        long most = entry.whose.kind().idleNanos;
                        boolean goes =
                                entry.users == 0 && (now - entry.usedAt > most || entry.isOver());
                        if (goes) idle.add(entry);
                        return goes;
                    });
        }
        idle.forEach(Farms::end);
    }

    private static void end(Entry entry) {
        entry.opening.lock();
        try {
            Gridfarm farm = entry.farm;
            entry.farm = null;
            if (farm != null) farm.close();
        } finally {
            entry.opening.unlock();
        }
    }

    @Override
    public void close() {
        List<Entry> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(entries.values());
            entries.clear();
        }
        all.forEach(Farms::end);
    }
}

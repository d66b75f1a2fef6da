package org.gridfarm.client.cli.gateway;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A session of the farm for each account, opened when it is first needed and ended when nobody has
 * used it for a while. So each has a cache of what he himself was told, and the metaserver judges
 * every request as his own. Thread-safe.
 */
public final class Farms implements AutoCloseable {
    /** Each costs the metaserver leases and a connection. */
    private static final int SESSIONS_MAX = 200;

    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long FAILED_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(Farms.class);

    private final ClientConfig config;
    private final Loops loops;
    private final ChannelSecurity security;
    private final Map<String, Entry> entries = new HashMap<>(); // guarded by this
    private boolean closed; // guarded by this

    /** Lock order: that of an entry, then this. */
    private static final class Entry {
        final ReentrantLock opening = new ReentrantLock();
        final String account;
        @Nullable Gridfarm farm; // guarded by opening
        @Nullable FarmException failure; // guarded by opening: of the last attempt
        long failedAt; // guarded by opening
        int users; // guarded by Farms
        long usedAt; // guarded by Farms
        boolean ended; // guarded by Farms: its session is of no use any more

        Entry(String account) {
            this.account = account;
        }
    }

    /** The farm as an account sees it, for one request. */
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

        /** A session that the servers ended is not used again. */
        public void failed(ErrorKind kind) {
            if (kind == ErrorKind.SESSION_ENDED) {
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

    Farms(ClientConfig config, Loops loops, ChannelSecurity security) {
        this.config = config;
        this.loops = loops;
        this.security = security;
    }

    /** Where the farm's metaservers are. */
    public List<HostPort> metaservers() {
        return config.metaservers();
    }

    /**
     * @param account empty: of who runs the gateway
     * @throws FarmException UNAVAILABLE or another of its kind where no metaserver answers,
     *     OVERLOADED where too many people are here
     */
    Lease of(String account) {
        Entry entry = taken(account);
        entry.opening.lock();
        try {
            Gridfarm farm = entry.farm;
            if (farm == null) {
                farm = opened(entry);
                entry.farm = farm;
            }
            return new Lease(entry, farm);
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
            Gridfarm farm = opened(entry.account);
            entry.failure = null;
            return farm;
        } catch (FarmException e) {
            entry.failure = e;
            entry.failedAt = System.nanoTime();
            throw e;
        }
    }

    private Gridfarm opened(String account) {
        Gridfarm farm =
                Gridfarm.open(
                        account.isEmpty() ? config : config.withAccount(account),
                        "gateway@" + ProcessHandle.current().pid(),
                        loops,
                        security);
        if (farm.user().startsWith("@")) {
            String user = farm.user();
            farm.close();
            throw new FarmException(
                    ErrorKind.BAD_CONFIGURATION,
                    "act as",
                    user,
                    "a gateway runs with a person's certificate, or with one that the grid-mapfile calls @gateway");
        }
        log.info("a session for {}", farm.user());
        return farm;
    }

    private Entry taken(String account) {
        Entry surplus = null;
        Entry entry;
        synchronized (this) {
            if (closed)
                throw new FarmException(
                        ErrorKind.UNAVAILABLE, "enter", account, "the gateway ends");
            Entry known = entries.get(account);
            if (known != null && known.ended) {
                entries.remove(account);
                if (known.users == 0) surplus = known;
                known = null;
            }
            if (known == null && entries.size() >= SESSIONS_MAX) surplus = leastUsed();
            entry = known == null ? new Entry(account) : known;
            entries.put(account, entry);
            entry.users++;
        }
        if (surplus != null) end(surplus);
        return entry;
    }

    /** Guarded by this. */
    private Entry leastUsed() {
        Entry found =
                entries.values().stream()
                        .filter(entry -> entry.users == 0)
                        .min(Comparator.comparingLong(entry -> entry.usedAt - System.nanoTime()))
                        .orElseThrow(() ->
                                new FarmException(
                                        ErrorKind.OVERLOADED,
                                        "enter",
                                        "",
                                        SESSIONS_MAX + " people are at work here already"));
        entries.remove(found.account);
        return found;
    }

    private void released(Entry entry) {
        boolean last;
        synchronized (this) {
            entry.users--;
            entry.usedAt = System.nanoTime();
            last = entry.users == 0 && entries.get(entry.account) != entry;
        }
        if (last) end(entry);
    }

    /** Ends what nobody has used for a while; to be called now and then. */
    void sweep() {
        List<Entry> idle = new ArrayList<>();
        synchronized (this) {
            long now = System.nanoTime();
            entries.values()
                    .removeIf(entry -> {
                        boolean goes = entry.users == 0 && now - entry.usedAt > IDLE_NANOS;
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

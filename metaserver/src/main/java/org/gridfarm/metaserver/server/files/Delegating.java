package org.gridfarm.metaserver.server.files;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.coherence.DataTouch;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.Concerned;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.metaserver.session.Delegations;
import org.gridfarm.metaserver.session.Rivals;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.DirectoryDelegation;
import org.gridfarm.protocol.wire.Empty;
import org.gridfarm.protocol.wire.FindNumberRequest;
import org.gridfarm.protocol.wire.GiveBackReply;
import org.gridfarm.protocol.wire.GiveBackRequest;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.SettingImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Directories that a session alone decides about, at the leader: gives them, and has them given
 * back before anybody else is told of what is in them or changes it. Event thread.
 *
 * <pre>
 *   the leader's --mkdir by a mount that wishes it, or DELEGATE--> delegated
 *   delegated --somebody else asks--> asked back --its session has shipped all, and answers--> the leader's
 *             \--its session gives it back, or ends--> the leader's
 * </pre>
 *
 * <p>A session that had it at a former leader and has not come to this one yet is waited for as
 * long as the grace period lasts.
 */
public final class Delegating {
    private static final Logger log = LoggerFactory.getLogger(Delegating.class);

    private static final long MILLI = 1_000_000;

    private final FarmState state;
    private final LeaderContext leader;

    private final DelegationBook book;
    private final Rivals rivals = new Rivals();

    /** A directory that is asked back. */
    private static final class Asked {
        final long since;
        final long session;

        /** What goes on when it is given back. */
        final List<Runnable> waiting = new ArrayList<>();

        boolean isNoted; // that it is overdue

        Asked(long since, long session) {
            this.since = since;
            this.session = session;
        }
    }

    private final Map<Long, Asked> asked = new HashMap<>();

    /** Of these, those whose sessions have not come to this leader yet. */
    private final Set<Long> awaited = new LinkedHashSet<>();

    public Delegating(FarmState state, LeaderContext leader) {
        this.state = state;
        this.leader = leader;
        this.book = new DelegationBook(state.monotonicNanos());
    }

    /**
     * @param cachesRecall all caches take from their clients what is delegated after it was known
     */
    public void register(HandlerTable table, FileOpens opens, BooleanSupplier cachesRecall) {
        table.first(this::holdsUp);
        table.on(MetadataMethods.GIVE_BACK, this::giveBack);
        table.on(MetadataMethods.FIND_NUMBER, this::find);
        new ExistingDirectories(state, opens, this, cachesRecall, leader).register(table);
    }

    // ---- giving

    /** Whether the directory that the caller makes is to be his; with limits nothing is refused. */
    boolean isWished(Caller caller, MakeDirectory mkdir) {
        return mkdir.getDelegate() && mayHaveMore(caller);
    }

    boolean mayHaveMore(Caller caller) {
        return caller.speaksForOthers()
                && state.quotas().limits().isEmpty()
                && state.delegations().size() < ServerLimits.DELEGATIONS_MAX
                && state.delegations().heldCount(caller.session())
                        < ServerLimits.DELEGATIONS_PER_SESSION_MAX;
    }

    /** From now on the caller decides about the directory, which has just been made. */
    DirectoryDelegation give(long directory, Caller caller, int numbersWanted) {
        leader.change(List.of(Delegations.begins(directory, caller.session())), 0);
        return given(directory, caller, numbersWanted);
    }

    /**
     * The same of a directory that was there before: what anybody else believes of it is recalled
     * along with the change.
     *
     * @param files in it
     */
    DirectoryDelegation takeOver(
            long directory, Collection<Long> files, Caller caller, int numbersWanted) {
        leader.change(
                List.of(Delegations.takesOver(directory, files, caller.session())),
                caller.session());
        return given(directory, caller, numbersWanted);
    }

    private DirectoryDelegation given(long directory, Caller caller, int numbersWanted) {
        rivals.given(directory, state.monotonicNanos());
        boolean first = state.delegations().heldCount(caller.session()) == 1;
        book.gave(caller, first, state.monotonicNanos());
        DirectoryDelegation.Builder given =
                DirectoryDelegation.newBuilder().setDirectory(directory);
        int numbers = Math.min(numbersWanted, ServerLimits.NUMBERS_AT_ONCE_MAX);
        if (numbers > 0) given.setFirstNumber(numbers(numbers)).setNumbers(numbers);
        return given.build();
    }

    /** Sets inode numbers aside; the first one. */
    long numbers(int wanted) {
        long first = state.nextNumber();
        leader.change(List.of(state.moreNumbers(wanted)), 0);
        return first;
    }

    /** With what the session needs to know to decide; without a delegation that is over by now. */
    MutateReply told(MutateReply reply, Caller caller) {
        long directory = reply.getDelegation().getDirectory();
        if (state.delegations().of(directory) != caller.session()) {
            return reply.toBuilder().clearDelegation().build();
        }
        return reply.toBuilder().setDelegation(told(reply.getDelegation(), caller)).build();
    }

    DirectoryDelegation told(DirectoryDelegation given, Caller caller) {
        DirectoryDelegation.Builder told = given.toBuilder().setRoot(caller.identity().root());
        state.namespace().exportInode(given.getDirectory(), told::addContent);
        String level = Integer.toString(state.namespace().defaultReplicas());
        told.addContent(
                Change.newBuilder()
                        .setSetting(
                                SettingImage.newBuilder()
                                        .setKey(Namespace.SETTING_REPLICAS)
                                        .setValue(ByteString.copyFromUtf8(level))));
        return told.build();
    }

    // ---- having given back

    /** True: the request is run again when what others decide about it is given back. */
    private boolean holdsUp(Caller caller, Exchange<?, ?> exchange, Runnable again) {
        return holdsUp(caller, exchange.request(), again);
    }

    /** The same of a request that has waited for something since it was looked at. */
    boolean holdsUp(Caller caller, Object request, Runnable again) {
        if (state.delegations().size() == 0) return false;
        Set<Long> others = Concerned.directories(state, caller, request);
        if (others.isEmpty()) return false;
        giveBack(others, caller.session(), again);
        return true;
    }

    /** The caller has changed a name in it. */
    void changed(long directory, Caller caller) {
        if (directory != 0) rivals.changed(directory, caller.session(), state.monotonicNanos());
    }

    boolean isAskedBack(long directory) {
        return asked.containsKey(directory);
    }

    Rivals rivals() {
        return rivals;
    }

    private void giveBack(Exchange<GiveBackRequest, GiveBackReply> exchange) {
        giveBack(
                exchange.request().getDirectoriesList(),
                () ->
                        exchange.reply(
                                GiveBackReply.newBuilder()
                                        .setSequence(leader.lastWithContent())
                                        .build()));
    }

    /**
     * Nobody here knows in whose directory an inode of that number would lie, so every session that
     * has one tells of what it has made.
     */
    private void find(Exchange<FindNumberRequest, Empty> exchange) {
        Caller caller = Callers.live(exchange, leader);
        long inode = exchange.request().getInode();
        Map<Long, List<DataTouch>> askers = new LinkedHashMap<>();
        if (!state.exists(inode) && inode < state.nextNumber()) {
            for (long session : state.delegations().sessions()) {
                if (session == caller.session()) continue;
                if (leader.isLive(session)) {
                    askers.put(session, List.of(DataTouch.ofDelegation(inode)));
                } else if (leader.inGrace()) {
                    throw new FarmException(
                            ErrorKind.NOT_READY,
                            "find",
                            Long.toHexString(inode),
                            "who may have made it has not come to this leader yet");
                }
            }
        }
        leader.recallData(
                askers,
                () -> {
                    returned(List.of(inode)); // it may be a directory of the one who told
                    leader.afterAllSoFar(() -> exchange.reply(Empty.getDefaultInstance()));
                });
    }

    /**
     * Everything that is delegated is given back: what the sessions decide by is about to change.
     */
    public void giveBackAll(Runnable then) {
        if (state.delegations().size() == 0) {
            then.run();
            return;
        }
        List<Long> all = new ArrayList<>();
        for (long session : state.delegations().sessions()) {
            all.addAll(state.delegations().heldBy(session));
        }
        giveBack(all, () -> giveBackAll(then)); // more may have been given meanwhile
    }

    /** Goes on when all of them are the leader's. */
    public void giveBack(Collection<Long> directories, Runnable then) {
        giveBack(directories, 0, then);
    }

    /**
     * @param by session that asks; 0: any
     */
    private void giveBack(Collection<Long> directories, long by, Runnable then) {
        int[] left = {1};
        Runnable one =
                () -> {
                    if (--left[0] == 0) then.run();
                };
        Map<Long, List<Long>> bySession = new LinkedHashMap<>();
        for (long directory : directories) {
            long session = state.delegations().of(directory);
            if (session == 0) continue;
            left[0]++;
            Asked back = asked.get(directory);
            if (back == null) {
                back = new Asked(state.monotonicNanos(), session);
                asked.put(directory, back);
                bySession.computeIfAbsent(session, s -> new ArrayList<>()).add(directory);
                book.recalls(1);
                if (session != by) rivals.askedBack(directory, back.since);
            }
            back.waiting.add(one);
        }
        bySession.forEach(this::ask);
        one.run();
    }

    private void ask(long session, List<Long> directories) {
        if (leader.isLive(session)) {
            leader.recallData(
                    Map.of(session, directories.stream().map(DataTouch::ofDelegation).toList()),
                    () -> returned(directories));
        } else if (leader.inGrace()) {
            awaited.addAll(directories);
        } else {
            returned(directories);
        }
    }

    /** They are the leader's from now on. */
    void returned(Collection<Long> directories) {
        List<Change> gone = new ArrayList<>();
        Set<Long> sessions = new LinkedHashSet<>();
        for (long directory : directories) {
            awaited.remove(directory);
            long session = state.delegations().of(directory);
            if (session == 0) continue;
            gone.add(Delegations.ends(directory));
            sessions.add(session);
        }
        leader.change(gone, 0);
        for (long session : sessions) {
            if (state.delegations().heldCount(session) == 0) book.forget(session);
        }
        for (long directory : directories) {
            Asked back = asked.remove(directory);
            if (back != null) back.waiting.forEach(Runnable::run);
        }
    }

    /**
     * What the session had not shipped is lost with it.
     *
     * @param evicted it did not end itself
     */
    public void ended(long session, boolean evicted) {
        List<Long> its = state.delegations().heldBy(session);
        if (evicted && !its.isEmpty()) {
            book.evicted(its.size());
            log.warn(
                    "{} is over and had {} directories of its own: what it had not told is lost",
                    book.name(session),
                    its.size());
        }
        returned(its);
        book.forget(session);
    }

    public void tick(boolean inGrace) {
        if (!inGrace) {
            for (long session : state.delegations().sessions()) {
                if (!leader.isLive(session)) ended(session, true);
            }
        }
        if (!asked.isEmpty()) noteOverdue();
        if (awaited.isEmpty()) return;
        Map<Long, List<Long>> come = new LinkedHashMap<>();
        for (long directory : List.copyOf(awaited)) {
            long session = state.delegations().of(directory);
            if (session != 0 && !leader.isLive(session)) continue;
            awaited.remove(directory);
            come.computeIfAbsent(session, s -> new ArrayList<>()).add(directory);
        }
        come.forEach((session, directories) -> {
            if (session == 0) returned(directories);
            else ask(session, directories);
        });
    }

    // ---- for people who look

    /** Once for each session, in the log: who waits is told nothing. */
    private void noteOverdue() {
        long now = state.monotonicNanos();
        Map<Long, Integer> bySession = new LinkedHashMap<>();
        for (Asked back : asked.values()) {
            if (back.isNoted || !isOverdue(back, now)) continue;
            back.isNoted = true;
            bySession.merge(back.session, 1, Integer::sum);
        }
        bySession.forEach((session, directories) ->
                log.warn(
                        "{} has not given back {} directories for {} s: whoever asks for them waits",
                        book.name(session),
                        directories,
                        ServerLimits.DELEGATION_OVERDUE.toSeconds()));
    }

    private static boolean isOverdue(Asked back, long now) {
        return now - back.since >= ServerLimits.DELEGATION_OVERDUE.toNanos();
    }

    DelegationBook book() {
        return book;
    }

    public DelegationFigures figures() {
        long now = state.monotonicNanos();
        int overdue = 0;
        long longest = 0;
        for (Asked back : asked.values()) {
            if (isOverdue(back, now)) overdue++;
            longest = Math.max(longest, now - back.since);
        }
        return book.figures(state.delegations().size(), overdue, longest / MILLI);
    }

    /**
     * What one session has.
     *
     * @param millis since when it has had something, as far as this leader knows
     * @param askedBack directories that it has not given back yet
     * @param waitMillis for how long the first of them
     * @param commands that it has shipped to this leader
     * @param wrong of these, refused or come to something else
     */
    public record Holding(
            List<Long> directories,
            long millis,
            int askedBack,
            long waitMillis,
            long commands,
            long wrong) {}

    /** By session. */
    public Map<Long, Holding> holdings() {
        long now = state.monotonicNanos();
        Map<Long, Integer> back = new HashMap<>();
        Map<Long, Long> longest = new HashMap<>();
        for (Asked one : asked.values()) {
            back.merge(one.session, 1, Integer::sum);
            longest.merge(one.session, now - one.since, Math::max);
        }
        Map<Long, Holding> holdings = new LinkedHashMap<>();
        for (long session : state.delegations().sessions()) {
            holdings.put(
                    session,
                    new Holding(
                            state.delegations().heldBy(session),
                            (now - book.since(session)) / MILLI,
                            back.getOrDefault(session, 0),
                            longest.getOrDefault(session, 0L) / MILLI,
                            book.commands(session),
                            book.wrong(session)));
        }
        return holdings;
    }
}

package org.gridfarm.metaserver.server.files;

import com.google.protobuf.InvalidProtocolBufferException;

import org.gridfarm.metaserver.coherence.DataTouch;
import org.gridfarm.metaserver.replica.Writing;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.Reach;
import org.gridfarm.metaserver.session.Outcomes;
import org.gridfarm.namespace.Decision;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DirectoryDelegation;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.Outcome;
import org.gridfarm.protocol.wire.SetAttributes;
import org.gridfarm.protocol.wire.WritingChain;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Map;

/**
 * MUTATE at the leader, and the commands of SHIP: answered before? else decide, apply to memory,
 * put into the open batch, and answer when that is complete. Event thread.
 *
 * <p>A refusal is an answer about memory, which may be ahead of what is durable: it waits, too, and
 * is not remembered, since repeating the question is harmless.
 */
public final class Mutations {
    private static final Logger log = LoggerFactory.getLogger(Mutations.class);

    private final FarmState state;
    private final FileOpens opens;
    private final LeaderContext leader;
    private final Privileges privileges;
    private final Reach reach;

    private final Delegating delegating;

    public Mutations(
            FarmState state,
            FileOpens opens,
            Reach reach,
            Delegating delegating,
            LeaderContext leader) {
        this.delegating = delegating;
        this.reach = reach;
        this.state = state;
        this.opens = opens;
        this.leader = leader;
        this.privileges = new Privileges(state, opens.files(), leader);
    }

    /** A command and whoever waits for its answer. */
    interface Asked {
        MutateRequest request();

        Caller caller();

        /** By whom the command was decided before; null: by nobody. */
        FarmState.@Nullable Decided decided();

        void reply(MutateReply reply);

        /** Nothing was changed, as memory says; that may not be durable yet. */
        void refused(FarmException why);

        void fail(FarmException why);
    }

    /** Somebody waits for the one command. */
    private record Call(Exchange<MutateRequest, MutateReply> exchange, LeaderContext leader)
            implements Asked {
        @Override
        public MutateRequest request() {
            return exchange.request();
        }

        @Override
        public Caller caller() {
            return Callers.of(exchange);
        }

        @Override
        public FarmState.@Nullable Decided decided() {
            return null;
        }

        @Override
        public void reply(MutateReply reply) {
            exchange.reply(reply);
        }

        @Override
        public void refused(FarmException why) {
            leader.afterAllSoFar(() -> exchange.fail(why));
        }

        @Override
        public void fail(FarmException why) {
            exchange.fail(why);
        }
    }

    public void mutate(Exchange<MutateRequest, MutateReply> exchange) {
        mutate(new Call(exchange, leader), false);
    }

    /** The same of a command that its session has decided. */
    void mutate(Asked asked) {
        mutate(asked, false);
    }

    /**
     * @param told other mounts have told what they had written of the file that is dated
     */
    private void mutate(Asked asked, boolean told) {
        MutateRequest request = asked.request();
        Caller caller = asked.caller();
        if (request.getSession() != caller.session() || !leader.isLive(caller.session())) {
            throw new FarmException(ErrorKind.SESSION_ENDED, operation(request), "");
        }
        for (long handle : request.getReleasedList()) {
            opens.close(caller.session(), handle, true);
        }
        Outcomes.Answered answered = state.outcomes().find(caller.session(), request.getSequence());
        if (answered != null) {
            boolean closes = request.hasCommit() && request.getCommit().getClose();
            // The client may have brought the file back to this leader before it asked again.
            if (closes) opens.close(caller.session(), request.getCommit().getHandle(), true);
            leader.afterCompletion(answered.batch(), () -> again(asked, caller, answered));
            return;
        }
        if (state.outcomes().isSettled(caller.session(), request.getSequence())) {
            throw new FarmException(
                    ErrorKind.INVALID,
                    operation(request),
                    "",
                    "a later command said that this one was answered");
        }
        leader.requireRoom(); // not in the middle: what is done by halves is not done again
        requireRoom(asked);
        Credentials who = caller.actingAs(request.hasCredentials(), request.getCredentials());
        try {
            Map<Long, List<DataTouch>> writers = told ? Map.of() : othersToTell(request);
            if (writers.isEmpty()) {
                execute(asked, caller, who, request);
            } else {
                requireAllowed(caller, who, asked); // who may not, disturbs nobody
                leader.recallData(writers, () -> mutateAfterAll(asked));
            }
        } catch (FarmException refused) {
            asked.refused(refused);
        }
    }

    private void mutateAfterAll(Asked asked) {
        // Its directory may have been delegated meanwhile.
        if (delegating.holdsUp(asked.caller(), asked.request(), () -> mutateAfterAll(asked)))
            return;
        try {
            mutate(asked, true);
        } catch (FarmException refused) {
            asked.fail(refused);
        }
    }

    /**
     * A mount may have written a file and not have told its commit yet. That would come after the
     * time that somebody sets now, and count for more. Whoever writes the file is asked to tell
     * first what is written there.
     */
    private Map<Long, List<DataTouch>> othersToTell(MutateRequest request) {
        return setsModificationTime(request)
                ? opens.othersToTell(request.getSetAttributes().getInode(), request.getSession())
                : Map.of();
    }

    /**
     * What is decided already is not refused because its session has its share: everything that
     * would make room comes behind it.
     */
    private void requireRoom(Asked asked) {
        MutateRequest request = asked.request();
        if (asked.decided() != null) {
            leader.bounds().requireRoomForDecided(request);
            return;
        }
        leader.bounds().requireRoomFor(request, state.outcomes());
        OpenRequest wish = openWish(request);
        if (wish != null) opens.requireRoom(asked.caller(), wish, operation(request));
    }

    private void execute(Asked asked, Caller caller, Credentials who, MutateRequest request) {
        MutateReply.Builder reply;
        List<WritingChain> place = List.of();
        if (request.hasCommit()) {
            if (!caller.speaksForOthers()) requireWay(caller, who, request);
            reply = MutateReply.newBuilder();
            var attributes = opens.commit(caller, who, request);
            reply.setAttributes(attributes);
        } else {
            Decision.Accepted accepted = requireAllowed(caller, who, asked);
            List<Change> graces = state.withinQuotas(accepted.changes(), who);
            if (accepted.created()) place = place(asked, caller, accepted);
            Attributes.Builder going = accepted.going(state.namespace());
            leader.change(accepted.changes(), caller.session());
            leader.change(graces, 0);
            delegating.changed(accepted.parent(), caller);
            delegating.changed(accepted.otherParent(), caller);
            DirectoryDelegation given = delegated(asked, caller, accepted.inode());
            if (setsModificationTime(request)) noteDated(accepted.inode());
            reply = accepted.reply(state.namespace(), going);
            reply.setAttributes(state.marked(reply.getAttributes()));
            if (given != null && asked.decided() == null) reply.setDelegation(given);
            if (!accepted.created()) requireOpenable(request, who, accepted.inode());
        }
        OpenRequest wish = openWish(request);
        long inode = reply.getAttributes().getInode();
        if (wish != null && !isPlaceless(asked, wish, place)) {
            opens.open(
                    caller,
                    who,
                    inode,
                    wish,
                    place,
                    () -> settle(asked, caller, request, reply, wish));
        } else {
            privileges.given(
                    request, caller.session(), () -> settle(asked, caller, request, reply, null));
        }
    }

    private static boolean setsModificationTime(MutateRequest request) {
        SetAttributes wish = request.getSetAttributes();
        return wish.hasMtime() || wish.getMtimeNow();
    }

    /** What was written before counts no more to who asks the nodes. */
    private void noteDated(long inode) {
        Writing record = state.record(inode);
        if (record != null) {
            leader.change(record.dated(state.image(inode).getCtime()).changes(), 0);
        }
    }

    /** Null: the directory that was made is the leader's, or it was none. */
    private @Nullable DirectoryDelegation delegated(Asked asked, Caller caller, long made) {
        MutateRequest request = asked.request();
        boolean mayDecide =
                asked.decided() != null || !leader.bounds().hasItsShare(caller.session());
        return mayDecide && request.hasMkdir() && delegating.isWished(caller, request.getMkdir())
                ? delegating.give(made, caller, request.getMkdir().getNumbers())
                : null;
    }

    private Decision.Accepted requireAllowed(Caller caller, Credentials who, Asked asked) {
        MutateRequest request = asked.request();
        if (!caller.speaksForOthers()) requireWay(caller, who, request);
        return state.decide(request, who, opens.files(), asked.decided());
    }

    /** To whatever the request names by number; what a commit names is open. */
    private void requireWay(Caller caller, Credentials who, MutateRequest request) {
        String operation = operation(request);
        for (long inode : Namespace.named(request)) {
            reach.require(caller, who, inode, operation);
        }
        boolean links = request.hasLink() && state.exists(request.getLink().getInode());
        if (links && !state.namespace().mayLink(request.getLink().getInode(), who)) {
            throw new FarmException(
                    ErrorKind.NOT_PERMITTED,
                    operation,
                    Long.toHexString(request.getLink().getInode()),
                    "only of own files, or of what may be read and written");
        }
    }

    /**
     * A file that cannot be opened for want of nodes is not made, either: asked again, its creation
     * would meet itself. One that its session has made already is not opened: the session hears
     * that when it asks where the file lies.
     */
    private List<WritingChain> place(Asked asked, Caller caller, Decision.Accepted accepted) {
        OpenRequest wish = openWish(asked.request());
        if (wish == null || !wish.getWrite()) return List.of();
        for (Change change : accepted.changes()) {
            if (change.hasInode() && change.getInode().getInode() == accepted.inode()) {
                return placed(asked, caller, change.getInode());
            }
        }
        return List.of();
    }

    private List<WritingChain> placed(Asked asked, Caller caller, InodeImage made) {
        try {
            return opens.place(caller, made);
        } catch (FarmException e) {
            boolean forGood = e.kind().retry() == Retry.NEVER;
            if (asked.decided() == null || !forGood) throw e;
            log.warn(
                    "inode {}, made by its mount: {}",
                    Long.toHexString(made.getInode()),
                    e.getMessage());
            return List.of();
        }
    }

    private static boolean isPlaceless(Asked asked, OpenRequest wish, List<WritingChain> place) {
        return asked.decided() != null && wish.getWrite() && place.isEmpty();
    }

    /** A create that found the file opens it: as OPEN does, if the mode bits allow it. */
    private void requireOpenable(MutateRequest request, Credentials who, long inode) {
        OpenRequest wish = openWish(request);
        if (wish == null) return;
        state.requireAccess(
                who, inode, (wish.getRead() ? 4 : 0) | (wish.getWrite() ? 2 : 0), "open");
    }

    private void settle(
            Asked asked,
            Caller caller,
            MutateRequest request,
            MutateReply.Builder reply,
            @Nullable OpenRequest wish) {
        long sequence = leader.openSequence();
        reply.setRevision(sequence);
        MutateReply answer = reply.build();
        leader.outcome(
                Outcome.newBuilder()
                        .setSession(caller.session())
                        .setSequence(request.getSequence())
                        .setSettled(request.getSettled())
                        .setReply(answer.toByteString())
                        .build());
        leader.afterCompletion(sequence, () -> send(asked, caller, answer, wish));
    }

    /**
     * What a former leader opened along with it nobody has open here: the client did not hear of
     * it, and cannot have brought it back.
     */
    private void again(Asked asked, Caller caller, Outcomes.Answered answered) {
        MutateRequest request = asked.request();
        OpenRequest wish = openWish(request);
        try {
            MutateReply reply = MutateReply.parseFrom(answered.outcome().getReply());
            if (wish != null && leader.isInherited(answered.batch())) {
                opens.open(
                        caller,
                        caller.actingAs(request.hasCredentials(), request.getCredentials()),
                        reply.getAttributes().getInode(),
                        wish,
                        () -> leader.afterAllSoFar(() -> send(asked, caller, reply, wish)));
            } else {
                send(asked, caller, reply, wish);
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("an outcome that cannot be read", e);
        } catch (FarmException e) {
            asked.fail(e);
        }
    }

    private void send(Asked asked, Caller caller, MutateReply reply, @Nullable OpenRequest wish) {
        if (wish == null) {
            asked.reply(reply.hasDelegation() ? delegating.told(reply, caller) : reply);
            return;
        }
        try {
            asked.reply(reply.toBuilder().setOpened(opens.reply(caller, wish.getHandle())).build());
        } catch (FarmException e) {
            asked.fail(e);
        }
    }

    /** Null: nothing is to be opened along with it. */
    private static @Nullable OpenRequest openWish(MutateRequest request) {
        OpenRequest wish =
                switch (request.getOperationCase()) {
                    case CREATE -> request.getCreate().getOpen();
                    case TEMPORARY -> request.getTemporary().getOpen();
                    default -> OpenRequest.getDefaultInstance();
                };
        return wish.getHandle() == 0 ? null : wish;
    }

    private static String operation(MutateRequest request) {
        return request.getOperationCase().name().toLowerCase(java.util.Locale.ROOT);
    }
}

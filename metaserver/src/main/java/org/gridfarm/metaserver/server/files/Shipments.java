package org.gridfarm.metaserver.server.files;

import org.gridfarm.metaserver.server.files.DelegationBook.Result;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.Callers;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HandlerTable;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.ServerLimits;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.api.ShippedAnswers;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.error.Retry;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.OpenedByShipment;
import org.gridfarm.protocol.wire.ShipReply;
import org.gridfarm.protocol.wire.ShipRequest;
import org.gridfarm.protocol.wire.ShippedCommand;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * SHIP at the leader: what a session has decided in directories that are delegated to it is decided
 * again, in the session's order, by what it decided it with. All of it happens in one go on the
 * event thread; it stops at the first command that is refused. A session that has its share by it,
 * or more, is asked for its directories: it decides nothing further that there is no room for.
 */
public final class Shipments {
    private static final Logger log = LoggerFactory.getLogger(Shipments.class);

    private final FarmState state;
    private final Mutations mutations;
    private final Delegating delegating;
    private final LeaderContext leader;

    public Shipments(
            FarmState state, Mutations mutations, Delegating delegating, LeaderContext leader) {
        this.state = state;
        this.mutations = mutations;
        this.delegating = delegating;
        this.leader = leader;
    }

    /** With the commands that come one by one. */
    public void register(HandlerTable table) {
        table.on(MetadataMethods.MUTATE, mutations::mutate).on(MetadataMethods.SHIP, this::ship);
    }

    private void ship(Exchange<ShipRequest, ShipReply> exchange) {
        Caller caller = Callers.live(exchange, leader);
        ShipRequest request = exchange.request();
        if (request.getSession() != caller.session()) {
            throw new FarmException(ErrorKind.SESSION_ENDED, "ship", "");
        }
        if (request.getCommandsCount() > MetadataMethods.SHIPPED_MAX) {
            throw new FarmException(
                    ErrorKind.INVALID, "ship", "", "more than " + MetadataMethods.SHIPPED_MAX);
        }
        leader.requireRoom();
        boolean has = state.delegations().heldCount(caller.session()) > 0;
        delegating.book().tookShipment(caller, has);
        Shipment shipment = new Shipment(exchange);
        for (ShippedCommand command : request.getCommandsList()) {
            if (!run(shipment, caller, command)) break;
        }
        if (shipment.isWhole()) {
            List<Long> own = state.delegations().heldBy(caller.session());
            Set<Long> returned = new HashSet<>(request.getReturnedList()); // as long as he likes
            delegating.returned(
                    request.getNothingOwn()
                            ? own
                            : own.stream().filter(returned::contains).toList());
        }
        int numbers = Math.min(request.getNumbers(), ServerLimits.NUMBERS_AT_ONCE_MAX);
        if (numbers > 0) {
            shipment.reply.setFirstNumber(delegating.numbers(numbers)).setNumbers(numbers);
        }
        if (leader.bounds().hasItsShare(caller.session())) {
            delegating.giveBack(state.delegations().heldBy(caller.session()), () -> {});
        }
        leader.afterAllSoFar(shipment::ended);
    }

    /** Whether the next one may follow. */
    private boolean run(Shipment shipment, Caller caller, ShippedCommand command) {
        boolean again = isAnswered(command.getRequest());
        Shipped shipped = new Shipped(shipment, caller, command, again);
        try {
            if (!again) requireDelegated(caller, command);
            mutations.mutate(shipped);
        } catch (FarmException e) {
            shipped.refused(e);
        }
        return shipment.reply.getRefusal() == 0;
    }

    private boolean isAnswered(MutateRequest request) {
        return state.outcomes().find(request.getSession(), request.getSequence()) != null;
    }

    private void requireDelegated(Caller caller, ShippedCommand command) {
        MutateRequest request = command.getRequest();
        for (long inode : Namespace.named(request)) {
            long directory = state.delegatedBy(inode);
            if (directory == 0 || state.delegations().of(directory) != caller.session()) {
                throw new FarmException(
                        ErrorKind.NOT_PERMITTED,
                        Namespace.operation(request),
                        Long.toHexString(inode),
                        "it is not delegated to the session that decided this");
            }
        }
    }

    /** Answered when all of its commands are, and all that was changed is known to everybody. */
    private static final class Shipment {
        final ShipReply.Builder reply = ShipReply.newBuilder();
        private final Exchange<ShipRequest, ShipReply> exchange;
        private int begun;
        private int over;
        private boolean ended;

        Shipment(Exchange<ShipRequest, ShipReply> exchange) {
            this.exchange = exchange;
        }

        boolean isWhole() {
            return reply.getRefusal() == 0;
        }

        void refused(FarmException why) {
            if (reply.getRefusal() == 0) {
                reply.setRefusal(why.kind().number()).setReason(String.valueOf(why.getMessage()));
            }
        }

        void over() {
            over++;
            answerIfOver();
        }

        void ended() {
            ended = true;
            answerIfOver();
        }

        private void answerIfOver() {
            if (ended && over == begun) exchange.reply(reply.setDone(begun).build());
        }
    }

    private final class Shipped implements Mutations.Asked {
        private final Shipment shipment;
        private final Caller caller;
        private final ShippedCommand command;
        private final boolean again;
        private final int index;

        /**
         * @param again it was answered before, and counts no second time
         */
        Shipped(Shipment shipment, Caller caller, ShippedCommand command, boolean again) {
            this.shipment = shipment;
            this.caller = caller;
            this.command = command;
            this.again = again;
            this.index = shipment.begun++;
        }

        @Override
        public MutateRequest request() {
            return command.getRequest();
        }

        @Override
        public Caller caller() {
            return caller;
        }

        @Override
        public FarmState.@Nullable Decided decided() {
            return new FarmState.Decided(command.getInode(), command.getTime());
        }

        @Override
        public void reply(MutateReply reply) {
            if (reply.hasOpened()) {
                long handle = request().getCreate().getOpen().getHandle();
                shipment.reply.addOpened(
                        OpenedByShipment.newBuilder()
                                .setHandle(handle)
                                .setOpened(reply.getOpened()));
            }
            boolean same = ShippedAnswers.digest(request(), reply) == command.getDigest();
            if (!again) count(same ? Result.SAME : Result.DIFFERENT);
            if (!same) {
                shipment.reply.addDifferent(index);
                log.error(
                        "session {} and the leader decided {} differently: {}",
                        Long.toHexString(caller.session()),
                        Namespace.operation(request()),
                        reply);
            }
            shipment.over();
        }

        /** At once, before the commands that follow. */
        @Override
        public void refused(FarmException why) {
            shipment.begun--;
            shipment.refused(why);
            if (why.kind().retry() == Retry.NEVER) {
                count(Result.REFUSED);
                log.error(
                        "session {} decided {}, which is refused: {}",
                        Long.toHexString(caller.session()),
                        Namespace.operation(request()),
                        why.getMessage());
            }
        }

        private void count(Result result) {
            delegating.book().decided(caller, result);
        }

        /** It was done, and what it opened is closed again: its next command said so. */
        @Override
        public void fail(FarmException why) {
            log.debug("what a shipment opened is not told: {}", why.getMessage());
            shipment.over();
        }
    }
}

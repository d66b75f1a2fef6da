package org.gridfarm.storagenode.objects;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.auth.ticket.ChainHash;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.Exchange;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.wire.ChainHeader;
import org.gridfarm.protocol.wire.ChainMember;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.storagenode.replica.ObjectKey;

import java.util.List;

/**
 * Lets requests in: the lease must hold, and their tickets give the right to what they ask of this
 * node and, through it, of others. Called on event loops. Thread-safe.
 */
public final class Admission {
    /**
     * Whoever may change an object, and what names him among its writers.
     *
     * @param client whom the ticket was made for
     */
    public record Writing(ObjectKey key, long client) {}

    private final Doorkeeper doorkeeper;
    private final NodeLease lease;
    private final NodeCounters counters;

    public Admission(Doorkeeper doorkeeper, NodeLease lease, NodeCounters counters) {
        this.doorkeeper = doorkeeper;
        this.lease = lease;
        this.counters = counters;
    }

    /** Not to change anything. */
    public ObjectKey toSee(
            Exchange<?, ?> exchange, ObjectId id, ByteString ticket, Doorkeeper.Right right) {
        lease.require(exchange.method().name());
        ObjectKey key = ObjectKey.of(id);
        Doorkeeper.Shown unused = admit(exchange.peer(), key, ticket, right);
        return key;
    }

    /** What may be asked of what its own client has done to it. */
    Writing toSeeOwn(Exchange<?, ?> exchange, ObjectId id, ByteString ticket) {
        lease.require(exchange.method().name());
        ObjectKey key = ObjectKey.of(id);
        return new Writing(
                key, admit(exchange.peer(), key, ticket, Doorkeeper.Right.STAT).client());
    }

    /**
     * What may be read, as the caller's ticket says.
     *
     * @param staged what the file that the replica is to be made of is shown as, if there is one
     */
    public record Reading(ObjectKey key, long staged) {}

    /** To read its bytes. */
    public Reading toRead(Exchange<?, ?> exchange, ObjectId id, ByteString ticket) {
        lease.require(exchange.method().name());
        ObjectKey key = ObjectKey.of(id);
        return new Reading(key, admit(exchange.peer(), key, ticket, Doorkeeper.Right.READ).nonce());
    }

    /**
     * Here and at all members behind. INVALID without a fence: a chain that its writer has left
     * could not be told from the one of now.
     */
    public Writing toChange(Exchange<?, ?> exchange, ChainHeader chain) {
        return admitAll(exchange, chain, false);
    }

    /**
     * To make the chain agree.
     *
     * @param hereAlone nothing is to be sent on, nor taken for sent: the members behind may be left
     *     out
     */
    public Writing toSync(Exchange<?, ?> exchange, ChainHeader chain, boolean hereAlone) {
        return admitAll(exchange, chain, hereAlone && chain.getRestCount() == 0);
    }

    private Writing admitAll(Exchange<?, ?> exchange, ChainHeader chain, boolean hereAlone) {
        Peer caller = exchange.peer();
        String operation = exchange.method().name();
        lease.require(operation);
        ObjectKey key = ObjectKey.of(chain.getObject());
        List<ChainMember> rest = chain.getRestList();
        Doorkeeper.Shown shown = admit(caller, key, chain.getTicket(), Doorkeeper.Right.WRITE);
        ForwardQueue.requireShort(rest);
        if (chain.getFence() == 0) {
            throw new FarmException(
                    ErrorKind.INVALID, operation, key.toString(), "the request has no fence");
        }
        if (!hereAlone && !doorkeeper.isNode(caller) && hash(rest) != shown.nonce()) {
            throw refused(key, "the members that are named are not those of the chain");
        }
        admitBeyond(caller, key, rest);
        return new Writing(key, shown.client());
    }

    private static long hash(List<ChainMember> members) {
        ChainHash hash = new ChainHash();
        members.forEach(member -> hash.add(member.getNode(), member.getJoining()));
        return hash.value();
    }

    /** What is to be read elsewhere for the caller, or here. */
    public void toReadFrom(
            Exchange<?, ?> exchange, ObjectId id, List<ChainMember> replicas, String self) {
        ObjectKey key = ObjectKey.of(id);
        ForwardQueue.requireShort(replicas);
        admitBeyond(exchange.peer(), key, replicas);
        for (ChainMember replica : replicas) {
            if (replica.getNode().equals(self)) {
                Doorkeeper.Shown unused =
                        admit(exchange.peer(), key, replica.getTicket(), Doorkeeper.Right.READ);
            }
        }
    }

    /**
     * Just before something is done: what waited too long is not done at all, since its sender has
     * gone on without us.
     */
    void stillWanted(Exchange<?, ?> exchange) {
        lease.require(exchange.method().name());
        if (exchange.millisLeft() == 0) {
            throw new FarmException(
                    ErrorKind.TIMED_OUT,
                    exchange.method().name(),
                    "",
                    "it waited too long for its turn");
        }
    }

    private Doorkeeper.Shown admit(
            Peer caller, ObjectKey key, ByteString ticket, Doorkeeper.Right right) {
        try {
            return doorkeeper.admit(caller, key, ticket, right);
        } catch (FarmException e) {
            counters.refusedTickets.increment();
            throw e;
        }
    }

    private void admitBeyond(Peer caller, ObjectKey key, List<ChainMember> members) {
        try {
            doorkeeper.admitBeyond(caller, key, members);
        } catch (FarmException e) {
            counters.refusedTickets.increment();
            throw e;
        }
    }

    private FarmException refused(ObjectKey key, String why) {
        counters.refusedTickets.increment();
        return new FarmException(ErrorKind.TICKET_REFUSED, "access object", key.toString(), why);
    }
}

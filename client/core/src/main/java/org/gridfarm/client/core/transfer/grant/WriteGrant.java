package org.gridfarm.client.core.transfer.grant;

import java.util.List;

/**
 * The grant of the node on this host to write into its file, from the first use to the last close
 * of a writer, as pure steps. {@code P} is one connection to that node: what it granted ends with
 * it.
 *
 * <pre>
 *            Ask, Claim       Ask             Granted           Refused    Disconnected  StruckOff
 * Staged     Claiming, Call   Claiming, Call  -                 -          -             Lost
 * Claiming   Ask: Await if at the same        Held, Watch       Staged     -             Lost
 * Held       Ask: Known if at the same,       -                 -          Away          Lost
 *            else Renewing, Call                                           RenewSoon
 * Away       Ask: Renewing, Call              -                 -          -             Lost
 * Renewing   Ask: Await if at the same,       Held (renewed)    Away       -             Lost
 *            else Renewing, Call              Watch
 * Lost       Ask: Refuse                      -                 -          -             -
 * </pre>
 *
 * <p>Claim is Ask of a file that is no replica yet, along with another call: where there is nothing
 * to claim it changes nothing and answers Busy. LastWriterClosed makes any of them Ended, in which
 * what is under way goes on as before; what is granted then is given back. Shipped changes what the
 * rest of the chain may lack.
 */
public sealed interface WriteGrant<P> {
    /** No replica yet: its node knows of an empty file and of no object. */
    record Staged<P>(Shipping shipping) implements WriteGrant<P> {}

    /** Asked to make the object's replica of it. */
    record Claiming<P>(P at, Shipping shipping) implements WriteGrant<P> {}

    /** Granted over this connection. */
    record Held<P>(P at, Shipping shipping) implements WriteGrant<P> {}

    /** The connection has ended, and the grant with it. */
    record Away<P>(Shipping shipping) implements WriteGrant<P> {}

    /** Asked anew. */
    record Renewing<P>(P at, Shipping shipping) implements WriteGrant<P> {}

    /**
     * The file is no replica any more, since the node was struck off. Its bytes are still there.
     */
    record Lost<P>(Shipping shipping) implements WriteGrant<P> {}

    /** Its last writer has closed the file. */
    record Ended<P>(WriteGrant<P> before) implements WriteGrant<P> {
        @Override
        public Shipping shipping() {
            return before.shipping();
        }
    }

    /** What the rest of the chain may lack. */
    Shipping shipping();

    /**
     * @param renewals how often the node has forgotten what it had shipped
     * @param shipped so many renewals there had been before the last sync that shipped everything
     */
    record Shipping(int renewals, int shipped) {
        /** True while the rest of the chain may lack any block. */
        public boolean mustShipAll() {
            return renewals > shipped;
        }

        Shipping renewed() {
            return new Shipping(renewals + 1, shipped);
        }

        Shipping shippedSince(int since) {
            return new Shipping(renewals, Math.max(shipped, since));
        }
    }

    /** What happens. */
    sealed interface Event<P> {
        /** The node at the end of this connection is to know of the writing. */
        record Ask<P>(P at) implements Event<P> {}

        /** The same, if it is a staged file that nobody has claimed. */
        record Claim<P>(P at) implements Event<P> {}

        record Granted<P>(P at) implements Event<P> {}

        /** Or no answer, or another file. */
        record Refused<P>(P at) implements Event<P> {}

        record Disconnected<P>(P at) implements Event<P> {}

        record StruckOff<P>() implements Event<P> {}

        /** A sync that began after so many renewals has shipped everything. */
        record Shipped<P>(int since) implements Event<P> {}

        record LastWriterClosed<P>() implements Event<P> {}
    }

    /** What is to be done. */
    enum Effect {
        /** Call the node that was asked for. */
        CALL,
        /**
         * Wait for the answer to the call that is under way: a second grant would be one too many.
         */
        AWAIT,
        /** It is granted there already. */
        KNOWN,
        /** There is nothing to be claimed, or it is being claimed. */
        BUSY,
        /** It will not be had again. */
        REFUSE,
        /** Tell of the end of the connection. */
        WATCH,
        /** Ask anew, unasked. */
        RENEW_SOON,
        /** Nobody writes any more: the grant that has just come is not needed. */
        GIVE_BACK
    }

    record Step<P>(WriteGrant<P> next, List<Effect> effects) {}

    /** Neither ended nor lost: it is worth asking for. */
    default boolean isWanted() {
        return !(this instanceof Ended) && !isLost();
    }

    default boolean isLost() {
        return this instanceof Lost || (this instanceof Ended<P> ended && ended.before.isLost());
    }

    /** The step out of this state. */
    default Step<P> step(Event<P> event) {
        if (this instanceof Ended<P> ended) {
            return afterEnd(ended, event);
        }
        if (event instanceof Event.Ask<P> ask) {
            return asked(ask.at());
        }
        if (event instanceof Event.Claim<P> claim) {
            return this instanceof Staged ? asked(claim.at()) : to(this, Effect.BUSY);
        }
        if (event instanceof Event.Granted<P> granted) {
            return granted(granted.at());
        }
        if (event instanceof Event.Refused<P> refused) {
            return refused(refused.at());
        }
        if (event instanceof Event.Disconnected<P> gone) {
            return this instanceof Held<P> held && held.at.equals(gone.at())
                    ? to(new Away<>(held.shipping), Effect.RENEW_SOON)
                    : to(this);
        }
        if (event instanceof Event.Shipped<P> shipped) {
            return to(with(shipping().shippedSince(shipped.since())));
        }
        return to(event instanceof Event.StruckOff ? new Lost<>(shipping()) : new Ended<>(this));
    }

    private static <P> Step<P> afterEnd(Ended<P> ended, Event<P> event) {
        if (event instanceof Event.LastWriterClosed) {
            return to(ended);
        }
        Step<P> step = ended.before.step(event);
        List<Effect> effects =
                event instanceof Event.Granted
                        ? List.of(Effect.GIVE_BACK)
                        : step.effects.stream().filter(e -> e != Effect.RENEW_SOON).toList();
        return new Step<>(new Ended<>(step.next), effects);
    }

    private Step<P> asked(P at) {
        if (this instanceof Staged) {
            return to(new Claiming<>(at, shipping()), Effect.CALL);
        }
        if (this instanceof Claiming<P> claiming) {
            return claiming.at.equals(at)
                    ? to(this, Effect.AWAIT)
                    : to(new Claiming<>(at, shipping()), Effect.CALL);
        }
        if (this instanceof Renewing<P> renewing && renewing.at.equals(at)) {
            return to(this, Effect.AWAIT);
        }
        if (this instanceof Held<P> held && held.at.equals(at)) {
            return to(this, Effect.KNOWN);
        }
        return isLost() ? to(this, Effect.REFUSE) : to(new Renewing<>(at, shipping()), Effect.CALL);
    }

    private Step<P> granted(P at) {
        if (this instanceof Claiming<P> claiming && claiming.at.equals(at)) {
            // It has been shipped to nobody, and the node counts all of it as changed.
            return to(new Held<>(at, shipping()), Effect.WATCH);
        }
        return this instanceof Renewing<P> renewing && renewing.at.equals(at)
                ? to(new Held<>(at, shipping().renewed()), Effect.WATCH)
                : to(this);
    }

    private Step<P> refused(P at) {
        if (this instanceof Claiming<P> claiming && claiming.at.equals(at)) {
            return to(new Staged<>(shipping()));
        }
        return this instanceof Renewing<P> renewing && renewing.at.equals(at)
                ? to(new Away<>(shipping()))
                : to(this);
    }

    private WriteGrant<P> with(Shipping now) {
        if (this instanceof Staged) {
            return new Staged<>(now);
        }
        if (this instanceof Claiming<P> claiming) {
            return new Claiming<>(claiming.at, now);
        }
        if (this instanceof Held<P> held) {
            return new Held<>(held.at, now);
        }
        if (this instanceof Renewing<P> renewing) {
            return new Renewing<>(renewing.at, now);
        }
        return this instanceof Away ? new Away<>(now) : new Lost<>(now);
    }

    private static <P> Step<P> to(WriteGrant<P> next, Effect... effects) {
        return new Step<>(next, List.of(effects));
    }
}

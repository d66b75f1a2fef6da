package org.gridfarm.client.core.transfer.sending;

import org.gridfarm.client.core.transfer.sending.ChainEvent.Head;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A {@link ChainState} that is told, and tells, something else than what is so. */
final class Planted {
    /** What is wrong. */
    enum Plant {
        NOTHING,
        LATER_COMMANDS_GO_FIRST,
        WHAT_IS_LOOKED_FOR_IS_OVERTAKEN,
        DONE_BEFORE_THE_RECORD,
        DONE_WHERE_NOBODY_HAS_IT,
        APPENDS_ARE_NOT_LOOKED_FOR,
        APPENDS_THAT_THE_HEAD_HAS_ARE_DONE, // whoever looks is wrong
        FAILURES_ARE_FORGOTTEN,
        THE_TIME_THAT_IS_OVER_ENDS_WHAT_IS_UNDER_WAY,
        SENT_WHILE_MENDING,
        THE_FENCE_STAYS
    }

    private static final long FIRST_FENCE = 1;
    private static final long HIGHEST = 1_000_000;
    private static final Duration ATTEMPT = Duration.ofSeconds(1);

    private final ChainState state = new ChainState(FIRST_FENCE);
    private final Plant plant;
    private final Set<Long> told = new HashSet<>(); // ended already
    private final Set<Long> overtaken = new HashSet<>();
    private int returnsToSwallow;
    private long fence = FIRST_FENCE;

    Planted(Plant plant) {
        this.plant = plant;
    }

    Phase phase() {
        return state.phase();
    }

    List<ChainAction> step(ChainEvent event, long now) {
        if (event instanceof ChainEvent.Mended mended) {
            fence = mended.fence();
        }
        switch (plant) {
            case LATER_COMMANDS_GO_FIRST:
                return state.step(turned(event), now).stream().map(Planted::turned).toList();
            case WHAT_IS_LOOKED_FOR_IS_OVERTAKEN:
                return overtaking(event, now);
            case DONE_BEFORE_THE_RECORD:
                return early(event, now);
            case DONE_WHERE_NOBODY_HAS_IT:
                return state.step(withGhost(event), now);
            case APPENDS_ARE_NOT_LOOKED_FOR:
                return withoutLooks(state.step(event, now), now);
            case FAILURES_ARE_FORGOTTEN:
                return state.step(event, now).stream()
                        .filter(action -> !(action instanceof ChainAction.Fail))
                        .toList();
            case THE_TIME_THAT_IS_OVER_ENDS_WHAT_IS_UNDER_WAY:
                return endingAtOnce(event, now);
            case SENT_WHILE_MENDING:
                return eagerly(event, now);
            case THE_FENCE_STAYS:
                return state.step(event, now).stream().map(Planted::firstFence).toList();
            default:
                return state.step(event, now);
        }
    }

    private static ChainEvent turned(ChainEvent event) {
        if (event instanceof ChainEvent.Submitted e) {
            return new ChainEvent.Submitted(
                    HIGHEST - e.number(), e.deadlineAt(), e.claims(), e.movesWhenFull());
        }
        if (event instanceof ChainEvent.NotDone e) {
            return new ChainEvent.NotDone(HIGHEST - e.number());
        }
        if (event instanceof ChainEvent.Answered e) {
            return new ChainEvent.Answered(HIGHEST - e.number(), e.head(), e.outcome());
        }
        if (event instanceof ChainEvent.Failed e) {
            return new ChainEvent.Failed(HIGHEST - e.number(), e.head(), e.failure());
        }
        return event instanceof ChainEvent.Due e ? new ChainEvent.Due(HIGHEST - e.number()) : event;
    }

    private static ChainAction turned(ChainAction action) {
        if (action instanceof ChainAction.Send a) {
            return new ChainAction.Send(HIGHEST - a.number(), a.fence(), a.deadline());
        }
        if (action instanceof ChainAction.Look a) {
            return new ChainAction.Look(HIGHEST - a.number(), a.fence(), a.deadline());
        }
        if (action instanceof ChainAction.Complete a) {
            return new ChainAction.Complete(HIGHEST - a.number(), a.outcome());
        }
        if (action instanceof ChainAction.Fail a) {
            return new ChainAction.Fail(HIGHEST - a.number(), a.failure());
        }
        return action instanceof ChainAction.Wake a
                ? new ChainAction.Wake(HIGHEST - a.number(), a.after())
                : action;
    }

    /** Whoever looks goes on at once, and sends what was looked for whenever that is known. */
    private List<ChainAction> overtaking(ChainEvent event, long now) {
        if (event instanceof ChainEvent.NotDone e && overtaken.remove(e.number())) {
            return List.of(new ChainAction.Send(e.number(), fence, ATTEMPT));
        }
        if (event instanceof ChainEvent.Sent && returnsToSwallow > 0) {
            returnsToSwallow--;
            return List.of();
        }
        List<ChainAction> actions = new ArrayList<>(state.step(event, now));
        while (!actions.isEmpty()
                && actions.get(actions.size() - 1) instanceof ChainAction.Look look) {
            overtaken.add(look.number());
            returnsToSwallow++;
            actions.addAll(state.step(new ChainEvent.Sent(), now));
        }
        return actions;
    }

    private List<ChainAction> early(ChainEvent event, long now) {
        List<ChainAction> actions = new ArrayList<>();
        for (ChainAction action : state.step(event, now)) {
            boolean again =
                    (action instanceof ChainAction.Complete c && told.remove(c.number()))
                            || (action instanceof ChainAction.Fail f && told.remove(f.number()));
            if (!again) {
                actions.add(action);
            }
        }
        if (event instanceof ChainEvent.Answered e && e.outcome().getFailuresCount() > 0) {
            told.add(e.number());
            actions.add(0, new ChainAction.Complete(e.number(), e.outcome()));
        }
        return actions;
    }

    private static ChainEvent withGhost(ChainEvent event) {
        if (!(event instanceof ChainEvent.Answered e)) {
            return event;
        }
        Set<String> holders = new HashSet<>(e.head().holders());
        holders.add("nobody");
        return new ChainEvent.Answered(e.number(), new Head(e.head().node(), holders), e.outcome());
    }

    private List<ChainAction> withoutLooks(List<ChainAction> actions, long now) {
        List<ChainAction> all = new ArrayList<>();
        for (ChainAction action : actions) {
            if (action instanceof ChainAction.Look look) {
                all.addAll(state.step(new ChainEvent.NotDone(look.number()), now));
            } else {
                all.add(action);
            }
        }
        return all;
    }

    private List<ChainAction> endingAtOnce(ChainEvent event, long now) {
        List<ChainAction> actions = new ArrayList<>(state.step(event, now));
        if (event instanceof ChainEvent.Due e && actions.isEmpty() && told.add(e.number())) {
            actions.add(
                    new ChainAction.Fail(
                            e.number(), new FarmException(ErrorKind.TIMED_OUT, "write", "")));
        }
        return actions;
    }

    private List<ChainAction> eagerly(ChainEvent event, long now) {
        List<ChainAction> actions = new ArrayList<>(state.step(event, now));
        boolean mending = phase() instanceof Phase.Mending || phase() instanceof Phase.Moving;
        if (event instanceof ChainEvent.Submitted e && mending) {
            actions.add(new ChainAction.Send(e.number(), fence, ATTEMPT));
        }
        return actions;
    }

    private static ChainAction firstFence(ChainAction action) {
        return action instanceof ChainAction.Send a
                ? new ChainAction.Send(a.number(), FIRST_FENCE, a.deadline())
                : action;
    }
}

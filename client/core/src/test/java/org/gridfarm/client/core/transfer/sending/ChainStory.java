package org.gridfarm.client.core.transfer.sending;

import org.gridfarm.client.core.transfer.sending.ChainEvent.Head;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.MemberFailure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Steps of a {@link ChainState} in words. */
final class ChainStory {
    private static final Duration DEADLINE = Duration.ofSeconds(10);

    private final ChainState state = new ChainState(1);
    private long now;
    private String head = "n1";
    private Set<String> holders = Set.of("n1", "n2");

    String phase() {
        return name(state.phase());
    }

    /** Returns the state after it and the actions; nothing where it is no event. */
    String take(String line) {
        String[] words = line.split("\\s+");
        if (words[0].equals("chain")) {
            chain(words);
            return "";
        }
        if (words[0].equals("after")) {
            now += Duration.parse("PT" + words[1]).toNanos();
            return "";
        }
        List<String> after = new ArrayList<>(List.of(""));
        state.step(event(words), now).forEach(action -> after.add(shown(action)));
        after.set(0, phase());
        return String.join(", ", after);
    }

    /** The head first; with a plus: who joins. */
    private void chain(String[] words) {
        head = words[1];
        Set<String> all = new LinkedHashSet<>(List.of(words).subList(1, words.length));
        all.removeIf(name -> name.startsWith("+"));
        holders = all;
    }

    private ChainEvent event(String[] words) {
        Head at = new Head(head, holders);
        switch (words[0]) {
            case "submit":
                List<String> how = List.of(words).subList(2, words.length);
                return new ChainEvent.Submitted(
                        number(words),
                        now + DEADLINE.toNanos(),
                        how.contains("claiming"),
                        !how.contains("staying"));
            case "found":
                return new ChainEvent.Found(at);
            case "not-found":
                return new ChainEvent.NotFound(at, failure(words[1]));
            case "no-chain":
                return new ChainEvent.NotFound(null, failure(words[1]));
            case "not-done":
                return new ChainEvent.NotDone(number(words));
            case "sent":
                return new ChainEvent.Sent();
            case "answered":
                return new ChainEvent.Answered(number(words), at, outcome(words));
            case "failed":
                return new ChainEvent.Failed(number(words), at, failure(words[2]));
            case "mended":
                return new ChainEvent.Mended(number(words));
            case "not-mended":
                return new ChainEvent.NotMended(failure(words[1]));
            case "paused":
                return new ChainEvent.Paused();
            case "due":
                return new ChainEvent.Due(number(words));
            default:
                throw new AssertionError(String.join(" ", words));
        }
    }

    private static long number(String[] words) {
        return Long.parseLong(words[1]);
    }

    private static FarmException failure(String kind) {
        return new FarmException(ErrorKind.valueOf(kind), "write", "");
    }

    /** answered 1, or answered 1 but n2 NO_SPACE. */
    private static ChainOutcome outcome(String[] words) {
        ChainOutcome.Builder outcome = ChainOutcome.newBuilder();
        for (int i = 3; i < words.length; i += 2) {
            outcome.addFailures(
                    MemberFailure.newBuilder()
                            .setNode(words[i])
                            .setErrorKind(ErrorKind.valueOf(words[i + 1]).number()));
        }
        return outcome.build();
    }

    private static String name(Object of) {
        return of.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    static String shown(ChainAction action) {
        if (action instanceof ChainAction.Find find) {
            return "find " + find.pass().name().toLowerCase(Locale.ROOT);
        }
        if (action instanceof ChainAction.Send send) {
            return "send " + send.number() + " at " + send.fence();
        }
        if (action instanceof ChainAction.Look look) {
            return "look for " + look.number();
        }
        if (action instanceof ChainAction.Complete complete) {
            return "complete " + complete.number();
        }
        if (action instanceof ChainAction.Fail fail) {
            return "fail " + fail.number() + " " + fail.failure().kind();
        }
        if (action instanceof ChainAction.Mend mend) {
            String how = mend.remedy() == ChainAction.Remedy.MOVE ? "move" : "mend";
            List<String> words = new ArrayList<>(List.of(how));
            words.addAll(new TreeSet<>(mend.failed()));
            return String.join(" ", words);
        }
        if (action instanceof ChainAction.Wake wake) {
            return "wake " + wake.number() + " after " + wake.after().toString().substring(2);
        }
        if (action instanceof ChainAction.Trust trust) {
            return "trust " + trust.node();
        }
        if (action instanceof ChainAction.Suspect suspect) {
            return "suspect " + suspect.node();
        }
        return name(action);
    }
}

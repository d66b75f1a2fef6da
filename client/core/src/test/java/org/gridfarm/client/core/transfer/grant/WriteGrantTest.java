package org.gridfarm.client.core.transfer.grant;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.Story;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Away;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Claiming;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Effect;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Ended;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Event;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Held;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Lost;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Renewing;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Shipping;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Staged;
import org.gridfarm.client.core.transfer.grant.WriteGrant.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** The table of {@link WriteGrant}, row by row; the stories that it comes from; and at random. */
class WriteGrantTest {
    private static final long SEED = 20261126;
    private static final int RUNS = 2_000;
    private static final int STEPS = 60;

    /** A story: each line an event, the state after it, and what is to be done. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "table-staged",
                "table-claiming",
                "table-held",
                "table-away",
                "table-renewing",
                "table-lost",
                "an-answer-that-comes-after-the-close",
                "a-node-that-was-away-has-forgotten-what-it-shipped",
                "a-claim-whose-answer-is-lost"
            })
    void goesAsTold(String story) throws IOException {
        WriteGrant<String> now = new Staged<>(new Shipping(0, 0));
        for (String line : Story.lines(WriteGrantTest.class, story)) {
            String[] words = line.split("\\s+", 2);
            if (words[0].equals("start")) {
                now = start(words[1]);
                continue;
            }
            String[] parts = line.split("->");
            Step<String> step = now.step(event(parts[0].strip()));
            now = step.next();
            assertThat(shown(step)).as(line).isEqualTo(parts[1].strip());
        }
    }

    private static WriteGrant<String> start(String text) {
        String[] words = text.split("\\s+");
        Shipping none = new Shipping(0, 0);
        switch (words[0]) {
            case "staged":
                return new Staged<>(none);
            case "claiming":
                return new Claiming<>(words[1], none);
            case "held":
                return new Held<>(words[1], none);
            case "away":
                return new Away<>(none);
            case "renewing":
                return new Renewing<>(words[1], none);
            case "lost":
                return new Lost<>(none);
            default:
                throw new AssertionError(text);
        }
    }

    private static Event<String> event(String text) {
        String[] words = text.split("\\s+");
        switch (words[0]) {
            case "ask":
                return new Event.Ask<>(words[1]);
            case "claim":
                return new Event.Claim<>(words[1]);
            case "granted":
                return new Event.Granted<>(words[1]);
            case "refused":
                return new Event.Refused<>(words[1]);
            case "disconnected":
                return new Event.Disconnected<>(words[1]);
            case "shipped":
                return new Event.Shipped<>(Integer.parseInt(words[1]));
            case "struck-off":
                return new Event.StruckOff<>();
            case "closed":
                return new Event.LastWriterClosed<>();
            default:
                throw new AssertionError(text);
        }
    }

    private static String shown(Step<String> step) {
        List<String> words = new ArrayList<>(List.of(shown(step.next())));
        step.effects().forEach(e -> words.add(e.name().toLowerCase(Locale.ROOT).replace('_', '-')));
        return String.join(", ", words);
    }

    private static String shown(WriteGrant<String> grant) {
        if (grant instanceof Ended<String> ended) {
            return "ended " + shown(ended.before());
        }
        String name = grant.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        if (grant instanceof Claiming<String> claiming) {
            name += " " + claiming.at();
        } else if (grant instanceof Held<String> held) {
            name += " " + held.at();
        } else if (grant instanceof Renewing<String> renewing) {
            name += " " + renewing.at();
        }
        return grant.shipping().mustShipAll() ? name + " all" : name;
    }

    /** A node that answers, refuses and goes away, and writers who ask as they like. */
    @Test
    void holdsWhatItPromisesWhateverComes() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int run = 0; run < RUNS; run++) {
            long seed = random.nextLong();
            try {
                new World(seed).run();
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private static final class World {
        private final SplittableRandom random;
        private final List<String> story = new ArrayList<>();
        private final List<String> calls = new ArrayList<>(); // under way
        private WriteGrant<String> grant;
        private int connection = 1;
        private int renewedAt; // so many renewals there were when the node last forgot
        private boolean ended;
        private boolean struck;

        World(long seed) {
            random = new SplittableRandom(seed);
            grant =
                    random.nextBoolean()
                            ? new Staged<>(new Shipping(0, 0))
                            : new Held<>(node(), new Shipping(random.nextInt(2), 0));
            renewedAt = grant.shipping().renewals();
            story.add(shown(grant));
        }

        private String node() {
            return "n#" + connection;
        }

        void run() {
            for (int i = 0; i < STEPS; i++) {
                act();
            }
            while (!calls.isEmpty()) {
                answer(random.nextBoolean());
            }
            WriteGrant<String> last = grant instanceof Ended<String> e ? e.before() : grant;
            assertThat(last instanceof Claiming || last instanceof Renewing).as(told()).isFalse();
        }

        private void act() {
            switch (random.nextInt(9)) {
                case 0, 1 -> call(take(new Event.Ask<>(node())));
                case 2 -> call(take(new Event.Claim<>(node())));
                case 3, 4 -> answer(true);
                case 5 -> answer(false);
                case 6 -> disconnect();
                case 7 -> shipped();
                default -> rare();
            }
        }

        private void rare() {
            if (random.nextInt(10) == 0) {
                struck = true;
                take(new Event.StruckOff<>());
            } else if (random.nextInt(10) == 0) {
                ended = true;
                take(new Event.LastWriterClosed<>());
            }
        }

        private void call(List<Effect> effects) {
            if (effects.contains(Effect.CALL)) {
                assertThat(calls)
                        .as("a second grant would never be given back: " + told())
                        .doesNotContain(node());
                calls.add(node());
            }
            assertThat(struck && effects.contains(Effect.CALL)).as(told()).isFalse();
        }

        private void answer(boolean well) {
            if (calls.isEmpty()) {
                return;
            }
            String at = calls.remove(0);
            boolean good = well && at.equals(node());
            boolean forgot = good && renewing(at);
            List<Effect> effects = take(good ? new Event.Granted<>(at) : new Event.Refused<>(at));
            if (forgot) {
                renewedAt = grant.shipping().renewals();
                assertThat(grant.shipping().mustShipAll()).as(told()).isTrue();
            }
            assertThat(effects.contains(Effect.GIVE_BACK)).as(told()).isEqualTo(good && ended);
            assertThat(effects.contains(Effect.WATCH) && ended).as(told()).isFalse();
        }

        private boolean renewing(String at) {
            WriteGrant<String> now = grant instanceof Ended<String> e ? e.before() : grant;
            return now instanceof Renewing<String> r && r.at().equals(at);
        }

        /** What was asked over it fails. */
        private void disconnect() {
            String gone = node();
            connection++;
            if (calls.remove(gone)) {
                take(new Event.Refused<>(gone));
            }
            take(new Event.Disconnected<>(gone));
            WriteGrant<String> now = grant instanceof Ended<String> e ? e.before() : grant;
            assertThat(now instanceof Held).as("held of whom? " + told()).isFalse();
        }

        private void shipped() {
            int since = random.nextInt(grant.shipping().renewals() + 1);
            boolean before = grant.shipping().mustShipAll();
            take(new Event.Shipped<>(since));
            assertThat(grant.shipping().mustShipAll())
                    .as("only a sync that began after it has everything: " + told())
                    .isEqualTo(before && since < renewedAt);
        }

        private List<Effect> take(Event<String> event) {
            Step<String> step = grant.step(event);
            grant = step.next();
            story.add(event + " -> " + shown(step));
            assertThat(grant.isLost()).as(told()).isEqualTo(struck);
            assertThat(grant.isWanted()).as(told()).isEqualTo(!struck && !ended);
            return step.effects();
        }

        private String told() {
            return String.join("\n", story);
        }
    }
}

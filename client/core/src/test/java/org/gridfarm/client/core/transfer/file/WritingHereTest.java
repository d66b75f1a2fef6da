package org.gridfarm.client.core.transfer.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.known.Place;
import org.gridfarm.client.core.transfer.local.AttachedNode;
import org.gridfarm.client.core.transfer.local.GrantOwner;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.local.LocalWriting.By;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/** The table of {@link WritingHere}, the kinds of {@link Content} that come of it; at random. */
@SuppressWarnings("NullAway") // no node is called
class WritingHereTest {
    private static final long SEED = 20261128;
    private static final int RUNS = 2_000;
    private static final int STEPS = 60;

    /** What the metaserver has said. */
    private static final class Owner implements GrantOwner {
        private boolean othersWrote;

        @Override
        public CompletableFuture<Layout> layout() {
            return CompletableFuture.failedFuture(new AssertionError("nobody asks"));
        }

        @Override
        public boolean haveOthersWritten() {
            return othersWrote;
        }
    }

    private static final Owner OWNER = new Owner();
    private static final Map<By, LocalWriting> FILES = new EnumMap<>(By.class);

    @TempDir private static Path disk;

    @BeforeAll
    static void files() throws IOException {
        for (By by : By.values()) {
            FILES.put(by, file(by));
        }
    }

    private static LocalWriting file(By by) throws IOException {
        Path path = Files.createTempFile(disk, "replica", "");
        SimClock clock = new SimClock();
        return new LocalWriting(
                AttachedNode.of("n1", List.of(), null, clock),
                OWNER,
                LocalReplica.open(
                        OpenLocalReply.newBuilder().setPath(path.toString()).build(), true, null),
                false,
                by);
    }

    // ---- the table
    // -----------------------------------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    state      | granted    | changedUnseen | doubted    | settled | ended  | lastWriterLeft
                    sent       | here       | unsure        | unsure     | sent    | sent   | sent
                    unsure     | hereunsure | unsure        | unsure     | sent    | unsure | sent
                    here       | here       | here          | hereunsure | here    | sent   | sent
                    hereunsure | hereunsure | hereunsure    | hereunsure | here    | unsure | sent
                    """)
    void aStepLeadsWhereTheTableSays(
            String state,
            String granted,
            String changedUnseen,
            String doubted,
            String settled,
            String ended,
            String lastWriterLeft) {
        WritingHere from = state(state);
        assertThat(from.granted(FILES.get(By.KERNEL))).isEqualTo(state(granted));
        assertThat(from.changedUnseen()).isEqualTo(state(changedUnseen));
        assertThat(from.doubted()).isEqualTo(state(doubted));
        assertThat(from.settled()).isEqualTo(state(settled));
        assertThat(from.ended()).isEqualTo(state(ended));
        assertThat(from.lastWriterLeft()).isEqualTo(state(lastWriterLeft));
    }

    private static WritingHere state(String name) {
        WritingHere.Chains chains =
                name.endsWith("unsure") ? WritingHere.Chains.UNSURE : WritingHere.Chains.AGREED;
        return new WritingHere(name.startsWith("here") ? FILES.get(By.KERNEL) : null, chains);
    }

    // ---- what comes of it
    // ----------------------------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            useHeadersInDisplayName = true,
            textBlock =
                    """
                    by           | mode         | here      | content
                                 | EXCLUSIVE    | ONLY      | sent
                                 | WRITE_SHARED | ELSEWHERE | sent
                    KERNEL       | EXCLUSIVE    | ONLY      | plain only
                    KERNEL       | EXCLUSIVE    | HEAD      | plain
                    KERNEL       | EXCLUSIVE    | ELSEWHERE | plain lacks
                    KERNEL       | WRITE_SHARED | ONLY      | both
                    KERNEL       | WRITE_SHARED | HEAD      | both
                    KERNEL       | WRITE_SHARED | ELSEWHERE | both lacks
                    KERNEL       | READ_SHARED  | HEAD      | both
                    MAPPINGS     | EXCLUSIVE    | ONLY      | compared
                    MAPPINGS     | EXCLUSIVE    | ELSEWHERE | compared
                    MAPPINGS     | WRITE_SHARED | ELSEWHERE | compared
                    THREADS      | EXCLUSIVE    | ONLY      | plain only
                    THREADS_ANEW | WRITE_SHARED | ONLY      | both
                    """)
    void theContentIsOneOfFour(By by, DataMode mode, Place here, String content) {
        WritingHere writing = WritingHere.NONE;
        if (by != null) {
            writing = writing.granted(FILES.get(by));
        }
        assertThat(shown(writing.content(mode, here))).isEqualTo(content);
        assertThat(shown(writing.doubted().content(mode, here))).isEqualTo(content);
    }

    private static String shown(Content content) {
        String name = content.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        if (content instanceof Content.Plain plain && plain.isOnly()) {
            name += " only";
        }
        return content instanceof Content.Whole whole && whole.lacksWhatIsSent()
                ? name + " lacks"
                : name;
    }

    /** What went on elsewhere is not to be mixed with what is here. */
    @Test
    void aFileThatOthersHaveOvertakenIsNotWrittenBesideTheChain() throws IOException {
        LocalWriting file = file(By.KERNEL);
        Content content =
                WritingHere.NONE.granted(file).content(DataMode.WRITE_SHARED, Place.ELSEWHERE);
        file.lose();
        assertThat(shown(content)).as("all of it is here").isEqualTo("both lacks");
        OWNER.othersWrote = true;
        assertThat(shown(content)).isEqualTo("both");
        OWNER.othersWrote = false;
    }

    @Test
    void aReplicaIsTheOnlyOneAsLongAsTheLayoutHolds() {
        assertThat(Place.ONLY.unconfirmed()).isEqualTo(Place.HEAD);
        assertThat(Place.HEAD.unconfirmed()).isEqualTo(Place.HEAD);
        assertThat(Place.ELSEWHERE.unconfirmed()).isEqualTo(Place.ELSEWHERE);
    }

    // ---- at random
    // -----------------------------------------------------------------------------------------------------------------------------

    /** Writers who come and go, grants, failures, and whoever asks. */
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
        private WritingHere writing = WritingHere.NONE;
        private boolean owed; // some change was doubted, and nobody has asked since

        World(long seed) {
            random = new SplittableRandom(seed);
        }

        void run() {
            for (int i = 0; i < STEPS; i++) {
                act();
                look();
            }
        }

        private void act() {
            switch (random.nextInt(8)) {
                case 0, 1 -> granted(any(By.values()));
                case 2 -> {
                    owed |= !writing.isHere();
                    take("changed unseen", writing.changedUnseen());
                }
                case 3 -> {
                    owed = true;
                    take("doubted", writing.doubted());
                }
                case 4 -> {
                    assertThat(writing.isUnsure()).as(told()).isEqualTo(owed);
                    owed = false;
                    take("settled", writing.settled());
                }
                case 5 -> take("ended", writing.ended());
                case 6 -> {
                    owed = false;
                    take("last writer left", writing.lastWriterLeft());
                    assertThat(writing).as(told()).isEqualTo(WritingHere.NONE);
                }
                default -> look();
            }
            assertThat(writing.isUnsure()).as(told()).isEqualTo(owed);
        }

        private void granted(By by) {
            LocalWriting before = writing.file();
            take("granted to " + by, writing.granted(FILES.get(by)));
            assertThat(writing.file())
                    .as("all who write it have the same file: " + told())
                    .isSameAs(before == null ? FILES.get(by) : before);
        }

        private void look() {
            DataMode mode = any(DataMode.EXCLUSIVE, DataMode.WRITE_SHARED, DataMode.READ_SHARED);
            Place here = any(Place.values());
            Content content = writing.content(mode, here);
            String seen = mode + ", " + here + ": " + shown(content) + "\n" + told();
            assertThat(content.file()).as(seen).isSameAs(writing.file());
            assertThat(content instanceof Content.Sent).as(seen).isEqualTo(!writing.isHere());
            if (content instanceof Content.Plain) {
                assertThat(mode)
                        .as("others would not see it: " + seen)
                        .isEqualTo(DataMode.EXCLUSIVE);
            }
            if (content instanceof Content.Whole whole) {
                assertThat(whole.file().isCompared()).as(seen).isFalse();
                assertThat(whole.lacksWhatIsSent() && here != Place.ELSEWHERE)
                        .as("the head has this very file, which would be written twice: " + seen)
                        .isFalse();
            }
        }

        @SafeVarargs
        private <T> T any(T... of) {
            return of[random.nextInt(of.length)];
        }

        private void take(String step, WritingHere next) {
            writing = next;
            story.add(step + " -> " + (next.isHere() ? "here " : "sent ") + next.chains());
        }

        private String told() {
            return String.join("\n", story);
        }
    }
}

package org.gridfarm.client.core.transfer.file;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.client.core.transfer.local.LocalReplica;
import org.gridfarm.client.core.transfer.local.LocalWriting;
import org.gridfarm.client.core.transfer.local.LocalWriting.By;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DataMode;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.OpenReply;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.StagedFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Where the bytes of an opened file go while handles come and go, modes are lowered, chains change,
 * and its plain file is given and left: at random.
 */
@SuppressWarnings("NullAway") // nobody is called
class OpenInodeContentTest {
    private static final long SEED = 20261128;
    private static final int RUNS = 500;
    private static final int STEPS = 80;
    private static final String HERE = "n1";

    /** Members of the file's chain, the head first. */
    private static final List<List<String>> CHAINS =
            List.of(List.of(HERE), List.of(HERE, "n2"), List.of("n2", HERE), List.of("n2", "n3"));

    @TempDir private Path disk;

    @Test
    void holdsWhatItPromisesWhateverComes() throws IOException {
        SplittableRandom random = new SplittableRandom(SEED);
        LocalReplica granted = granted();
        LocalReplica staged = staged();
        for (int run = 0; run < RUNS; run++) {
            long seed = random.nextLong();
            try {
                new World(seed, granted, staged).run();
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    /** What was written into it before is not known, so it always counts as changed. */
    private LocalReplica granted() throws IOException {
        Path path = Files.write(disk.resolve("granted"), new byte[10]);
        return LocalReplica.openAgain(
                OpenLocalReply.newBuilder().setPath(path.toString()).build(), 0, 0, null);
    }

    private LocalReplica staged() throws IOException {
        Path path = Files.write(disk.resolve("staged"), new byte[10]);
        return LocalReplica.staged(
                StagedFile.newBuilder().setNumber(1).setPath(path.toString()).build());
    }

    private static final class World {
        private final SplittableRandom random;
        private final LocalReplica granted;
        private final LocalReplica staged;
        private final Wiring wiring = Wirings.attachedTo(HERE, new SimClock());
        private final OpenInode open = new OpenInode(7, wiring);
        private final List<FarmFileHandle> handles = new ArrayList<>();
        private final List<String> story = new ArrayList<>();
        private List<String> chain = CHAINS.get(3);
        private boolean layoutHolds = true;
        private int generation = 1;
        private long version = 1;
        private boolean isHere;
        private boolean compared;
        private boolean unsure;

        World(long seed, LocalReplica granted, LocalReplica staged) {
            this.random = new SplittableRandom(seed);
            this.granted = granted;
            this.staged = staged;
        }

        void run() {
            for (int i = 0; i < STEPS; i++) {
                act();
                look();
            }
            while (!handles.isEmpty()) {
                close();
                look();
            }
            assertThat(open.takeUnsure()).as(told()).isFalse();
        }

        private void act() {
            switch (random.nextInt(11)) {
                case 0 -> open(OpenFlags.READ_WRITE);
                case 1 -> open(OpenFlags.READ);
                case 2 -> close();
                case 3 -> refreshed();
                case 4 -> recalled();
                case 5, 6 -> given();
                case 7 -> givenToThreads();
                case 8 -> wroteUnseen();
                case 9 -> failed();
                default -> asked();
            }
        }

        private boolean hasWriter() {
            return handles.stream().anyMatch(handle -> handle.flags().write());
        }

        private void open(OpenFlags flags) {
            if (handles.size() > 3) {
                return;
            }
            boolean keepsChain = !flags.write() && hasWriter();
            FarmFileHandle handle =
                    new FarmFileHandle(
                            wiring, null, open, version, flags, Credentials.getDefaultInstance());
            handles.add(handle);
            OpenReply reply = keepsChain ? reply(mode()) : taken();
            open.opened(handle, reply);
            story.add("opened " + (flags.write() ? "to write " : "to read ") + state());
        }

        private void close() {
            if (handles.isEmpty()) {
                return;
            }
            open.closed(handles.remove(random.nextInt(handles.size())));
            if (!hasWriter()) {
                isHere = false;
                unsure = false;
            }
            story.add("closed " + state());
        }

        private void refreshed() {
            if (!handles.isEmpty()) {
                open.refreshed(taken());
                story.add("refreshed " + state());
            }
        }

        /** An answer of the leader whose layout counts. */
        private OpenReply taken() {
            chain = CHAINS.get(random.nextInt(CHAINS.size()));
            if (random.nextInt(10) == 0) {
                generation++;
                isHere &= open.layoutNow().getObjectsCount() == 0; // was replaced
            }
            layoutHolds = true;
            return reply(mode());
        }

        private DataMode mode() {
            return random.nextInt(3) == 0 ? DataMode.WRITE_SHARED : DataMode.EXCLUSIVE;
        }

        private OpenReply reply(DataMode mode) {
            ObjectLocation.Builder object =
                    ObjectLocation.newBuilder()
                            .setObject(ObjectId.newBuilder().setGeneration(generation));
            chain.forEach(node -> object.addReplicas(Replica.newBuilder().setNode(node)));
            return OpenReply.newBuilder()
                    .setMode(mode)
                    .setAttributes(
                            Attributes.newBuilder()
                                    .setVersion(version++)
                                    .setSize(1 << 20)
                                    .setGeneration(generation))
                    .setLayout(Layout.newBuilder().addObjects(object))
                    .build();
        }

        private void recalled() {
            boolean drop = random.nextBoolean();
            layoutHolds &= !drop;
            open.recalled(
                    random.nextBoolean() ? DataMode.WRITE_SHARED : DataMode.DATA_MODE_UNSPECIFIED,
                    drop);
            story.add("recalled " + state());
        }

        private void given() {
            if (!hasWriter()) {
                return;
            }
            LocalReplica file = random.nextBoolean() ? granted : staged;
            LocalWriting before = open.content().file();
            open.grantedLocally(file);
            if (!isHere) {
                isHere = true;
                compared = file.isClaimed() && !chain.get(0).equals(HERE);
            } else {
                assertThat(open.content().file()).as(told()).isSameAs(before);
            }
            story.add("given " + state());
        }

        private void givenToThreads() {
            boolean may = open.grantedHere(granted, open.layoutNow(), By.THREADS);
            if (may) {
                assertThat(isHere).as(told()).isFalse();
                assertThat(hasWriter()).as(told()).isTrue();
                isHere = true;
                compared = false;
                assertThat(open.content() instanceof Content.Plain plain && plain.isOnly())
                        .as(told())
                        .isTrue();
                story.add("given to threads " + state());
            }
        }

        private void wroteUnseen() {
            if (hasWriter()) {
                open.wroteLocally();
                unsure |= !isHere;
                story.add("wrote unseen " + state());
            }
        }

        private void failed() {
            LocalWriting here = open.content().file();
            if (here != null && random.nextBoolean()) {
                open.changing(1);
                assertThat(open.leftHere(here)).as(told()).isTrue();
                open.changing(-1);
                isHere = false;
                unsure = true;
            } else {
                open.writeFailed();
                unsure |= hasWriter();
            }
            story.add("failed " + state());
        }

        /** No node has told of a sum: only to ask the chain tells whether it agrees. */
        private void asked() {
            assertThat(open.takeUnsure()).as(told()).isEqualTo(unsure || isHere);
            unsure = false;
            story.add("asked " + state());
        }

        private void look() {
            Content content = open.content();
            String seen = content + "\n" + told();
            assertThat(content instanceof Content.Sent).as(seen).isEqualTo(!isHere);
            if (!hasWriter()) {
                assertThat(content).as("nobody writes: " + seen).isEqualTo(Content.SENT);
            }
            assertThat(content instanceof Content.Compared).as(seen).isEqualTo(isHere && compared);
            if (content instanceof Content.Plain plain) {
                assertThat(open.mode()).as(seen).isEqualTo(DataMode.EXCLUSIVE);
                assertThat(plain.isOnly())
                        .as(seen)
                        .isEqualTo(layoutHolds && chain.equals(List.of(HERE)));
            }
            if (content instanceof Content.Both) {
                assertThat(open.mode()).as(seen).isNotEqualTo(DataMode.EXCLUSIVE);
            }
            if (content instanceof Content.Whole whole) {
                assertThat(whole.lacksWhatIsSent())
                        .as("only a head has what goes down the chain at once: " + seen)
                        .isEqualTo(!chain.get(0).equals(HERE));
            }
        }

        private String state() {
            return open.mode()
                    + " "
                    + chain
                    + (layoutHolds ? "" : " recalled")
                    + " generation "
                    + generation
                    + (isHere ? " here" : " sent")
                    + (unsure ? " unsure" : "");
        }

        private String told() {
            return String.join("\n", story);
        }
    }
}

package org.gridfarm.metaserver.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.util.Objects.requireNonNull;

import org.gridfarm.metaserver.coherence.DataTouch;
import org.gridfarm.metaserver.server.nodes.ChainChoice;
import org.gridfarm.metaserver.server.state.Bounds;
import org.gridfarm.metaserver.server.state.Caller;
import org.gridfarm.metaserver.server.state.ClientLimits;
import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.metaserver.server.state.HeapWatch;
import org.gridfarm.metaserver.server.state.Layouts;
import org.gridfarm.metaserver.server.state.LeaderContext;
import org.gridfarm.metaserver.server.state.NodeLink;
import org.gridfarm.metaserver.server.state.TicketMaker;
import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.Entropy;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.Outcome;
import org.gridfarm.protocol.wire.WritingChain;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A file for which room was found is opened there, whatever happens to nodes in between. */
class FilePlaceTest {
    private static final Credentials ROOT = Credentials.getDefaultInstance();
    private static final Identity MOUNT =
            new Identity("/O=Test/CN=mount", Role.MOUNT, List.of(), Optional.empty(), false);
    private static final Caller CALLER = new Caller(MOUNT, 7, ROOT, "test", "", 0);
    private static final OpenRequest WRITE =
            OpenRequest.newBuilder().setWrite(true).setHandle(70).build();

    private final FarmState state =
            new FarmState(Clock.system(), Entropy.seeded(1), Duration.ofMinutes(1).toNanos());
    private final Deque<String> up = new ArrayDeque<>();
    private final FileOpens opens =
            new FileOpens(
                    state,
                    new OpenFiles(),
                    new Layouts(state, new TicketMaker(state, Clock.system())),
                    this::nextThatIsUp,
                    new Memory());

    private List<String> nextThatIsUp(
            InodeImage image,
            int stripe,
            int copies,
            ChainChoice.Beside beside,
            Set<String> holding,
            List<WritingChain> others) {
        if (up.isEmpty()) throw new FarmException(ErrorKind.UNAVAILABLE, "place", "");
        return List.of(up.pop());
    }

    private InodeImage file(int stripes) {
        return InodeImage.newBuilder()
                .setInode(2)
                .setType(FileType.REGULAR)
                .setGeneration(1)
                .setStripeCount(stripes)
                .build();
    }

    @Test
    void isAskedForOnce() {
        up.addAll(List.of("n1", "n2", "n3"));
        List<WritingChain> place = opens.place(CALLER, file(3));
        assertThat(up).isEmpty();

        state.apply(Change.newBuilder().setInode(file(3)).build());
        opens.open(CALLER, ROOT, 2, WRITE, place, () -> {});
        assertThat(requireNonNull(state.writing(2)).getChainsList())
                .extracting(chain -> chain.getStripe() + " " + chain.getNodes(0))
                .containsExactly("0 n1", "1 n2", "2 n3");
    }

    @Test
    void isLookedForByAnOpenOfAFileThatExists() {
        state.apply(Change.newBuilder().setInode(file(1)).build());
        assertThatThrownBy(() -> opens.open(CALLER, ROOT, 2, WRITE, () -> {}))
                .isInstanceOf(FarmException.class);
        up.add("n1");
        opens.open(CALLER, ROOT, 2, WRITE, () -> {});
        assertThat(requireNonNull(state.writing(2)).getChains(0).getNodesList())
                .containsExactly("n1");
    }

    /** Applies changes and makes nothing durable. */
    private final class Memory implements LeaderContext {
        @Override
        public void requireRoom() {}

        @Override
        public void change(List<Change> changes, long origin) {
            changes.forEach(state::apply);
        }

        @Override
        public Bounds bounds() {
            return new Bounds(ClientLimits.ofHeap(1L << 30), new HeapWatch(95, Clock.system()));
        }

        @Override
        public void outcome(Outcome outcome) {}

        @Override
        public void hasSomething(long session) {}

        @Override
        public long openSequence() {
            return 1;
        }

        @Override
        public long lastWithContent() {
            return 1;
        }

        @Override
        public void afterCompletion(long sequence, Runnable answer) {
            answer.run();
        }

        @Override
        public boolean isInherited(long sequence) {
            return false;
        }

        @Override
        public void afterAllSoFar(Runnable answer) {
            answer.run();
        }

        @Override
        public void recallData(Map<Long, List<DataTouch>> bySession, Runnable done) {
            done.run();
        }

        @Override
        public boolean isLive(long session) {
            return true;
        }

        @Override
        public boolean inGrace() {
            return false;
        }

        @Override
        public void reclaims() {}

        @Override
        public void whenApplied(long sequence, Runnable answer) {
            answer.run();
        }

        @Override
        public @Nullable NodeLink node(String name) {
            return null;
        }
    }
}

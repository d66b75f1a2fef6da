package org.gridfarm.metaserver.server.nodes;

import org.gridfarm.metaserver.server.state.FarmState;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Those who wait for copies: of a level, or at a node. Event thread. */
final class CopyWaits {
    /** How waiting ends. */
    interface Waiter {
        void done();

        void failed(FarmException why);
    }

    private record Wait(long inode, String node, Waiter waiter, BooleanSupplier givenUp) {}

    private final FarmState state;
    private final List<Wait> waits = new ArrayList<>();

    CopyWaits(FarmState state) {
        this.state = state;
    }

    /** Until the file has as many live copies as it wants. */
    void forLevel(long inode, Waiter waiter, BooleanSupplier givenUp) {
        waits.add(new Wait(inode, "", waiter, givenUp));
    }

    /** Until all of the file lies at the node. */
    void forCopy(long inode, String node, Waiter waiter, BooleanSupplier givenUp) {
        waits.add(new Wait(inode, node, waiter, givenUp));
    }

    /** A copy of a file that is to lie at a node. */
    record Wanted(long inode, String node) {}

    /** The copies at a node that somebody waits for, each once. */
    Set<Wanted> wanted() {
        Set<Wanted> wanted = new LinkedHashSet<>();
        for (Wait wait : waits) {
            if (!wait.node().isEmpty() && !wait.givenUp().getAsBoolean()) {
                wanted.add(new Wanted(wait.inode(), wait.node()));
            }
        }
        return wanted;
    }

    void release() {
        end(this::isSettled, Waiter::done);
    }

    /** A copy to the node has failed: those who wait for that copy are told. */
    void failed(String node, long inode, FarmException why) {
        end(w -> w.node().equals(node) && w.inode() == inode, waiter -> waiter.failed(why));
    }

    private void end(java.util.function.Predicate<Wait> which, Consumer<Waiter> how) {
        List<Wait> due = new ArrayList<>();
        waits.removeIf(w -> {
            if (w.givenUp().getAsBoolean()) return true;
            return which.test(w) && due.add(w);
        });
        due.forEach(w -> how.accept(w.waiter()));
    }

    private boolean isSettled(Wait wait) {
        if (!state.exists(wait.inode())) return true;
        InodeImage image = state.image(wait.inode());
        if (wait.node().isEmpty()) return state.liveCopies(image) >= state.level(image);
        for (int stripe = 0; stripe < Math.max(1, image.getStripeCount()); stripe++) {
            List<ReplicaImage> rows = state.rows(image.getInode(), stripe, image.getGeneration());
            boolean there =
                    rows.stream()
                            .anyMatch(row ->
                                    row.getNode().equals(wait.node())
                                            && row.getState() == ReplicaState.VALID);
            if (!there && !rows.isEmpty()) return false;
        }
        return true;
    }
}

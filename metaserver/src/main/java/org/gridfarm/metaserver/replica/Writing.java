package org.gridfarm.metaserver.replica;

import org.gridfarm.protocol.attributes.WriteTimes;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.layout.Striping;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ObjectCommit;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.SealObjectReply;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;

/**
 * The record of a file that is open for writing, and all that can become of it. Each stripe has a
 * chain of nodes that take every write. What was promised is at the nodes whose rows are VALID: the
 * members of the chain, once a commit has named them.
 *
 * <table>
 * <caption>What happens, and what follows</caption>
 * <tr><th>step</th><th>chain</th><th>rows</th></tr>
 * <tr><td>{@link #without}</td><td>goes on with the others</td><td>of those that left: STALE</td></tr>
 * <tr><td>{@link #rescued}</td><td>others; the former ones are its committed ones</td>
 *     <td>stay, until a commit names the new members</td></tr>
 * <tr><td>{@link #joinedBy}</td><td>a node that is being filled, behind the members</td><td>none</td></tr>
 * <tr><td>{@link #committed}</td><td>its members that hold the content, and those that joined and do</td>
 *     <td>of holders: VALID; of all others: STALE</td></tr>
 * <tr><td>{@link #moved}</td><td>the nodes it moved to</td>
 *     <td>of the former ones: STALE; of the new ones: VALID if something was promised</td></tr>
 * <tr><td>{@link #ended}</td><td>none</td><td>of nodes that were being filled: STALE</td></tr>
 * <tr><td>{@link #putOff}</td><td>as it was, with nobody being filled and no writer</td><td>as they were</td></tr>
 * <tr><td>{@link #sealed}</td><td>none</td>
 *     <td>of the next generation: VALID like the first of the holders that answered, else STALE</td></tr>
 * </table>
 *
 * <p>Pure and immutable: a step gives the record as it is then, and {@link #changes} what makes it
 * so.
 */
public final class Writing {
    private final InodeImage image;
    private final IntFunction<List<ReplicaImage>> rows;
    private final WritingImage before;
    private final WritingImage now;
    private final List<Change> changes;

    private Writing(
            InodeImage image,
            IntFunction<List<ReplicaImage>> rows,
            WritingImage before,
            WritingImage now,
            List<Change> changes) {
        this.image = image;
        this.rows = rows;
        this.before = before;
        this.now = now;
        this.changes = changes;
    }

    /**
     * @param rows of each stripe, of the image's generation
     */
    public static Writing of(
            InodeImage image, WritingImage noted, IntFunction<List<ReplicaImage>> rows) {
        return new Writing(image, rows, noted, noted, List.of());
    }

    public WritingImage now() {
        return now;
    }

    /** All that the steps so far change; empty: nothing. */
    public List<Change> changes() {
        List<Change> all = new ArrayList<>(changes);
        if (!now.equals(before)) all.add(FileChanges.writing(now));
        return all;
    }

    private Writing with(WritingImage next, List<Change> more) {
        List<Change> all = new ArrayList<>(changes);
        all.addAll(more);
        return new Writing(image, rows, before, next, all);
    }

    private Writing with(int stripe, UnaryOperator<WritingChain> step, List<Change> more) {
        WritingImage.Builder next = now.toBuilder().clearChains();
        for (WritingChain chain : now.getChainsList()) {
            next.addChains(chain.getStripe() == stripe ? step.apply(chain) : chain);
        }
        return with(next.build(), more);
    }

    // ---- what is asked of it
    // ---------------------------------------------------------------------------------------------------------------

    public WritingChain chain(int stripe) {
        for (WritingChain chain : now.getChainsList()) {
            if (chain.getStripe() == stripe) return chain;
        }
        return WritingChain.newBuilder().setStripe(stripe).build();
    }

    /** The nodes that have what was committed of a chain, if anything was, the head first. */
    public static List<String> holders(WritingChain chain) {
        return chain.getCommittedCount() > 0 ? chain.getCommittedList() : chain.getNodesList();
    }

    /** Of some stripe, what was committed is at nodes that are not in its chain. */
    public boolean isBetweenChains() {
        return now.getChainsList().stream().anyMatch(chain -> chain.getCommittedCount() > 0);
    }

    /** A commit told of a content of this stripe that somebody may read. */
    public boolean isPromised(int stripe) {
        return isPromised(image, rows.apply(stripe));
    }

    /**
     * Bytes were committed of an object, whether a good copy of them is left or not.
     *
     * @param rows of the object
     */
    public static boolean isPromised(InodeImage image, List<ReplicaImage> rows) {
        if (image.getSize() == 0) return false;
        for (ReplicaImage row : rows) {
            switch (row.getState()) {
                case VALID, LOST, CORRUPT -> {
                    return true;
                }
                default -> {}
            }
        }
        return false;
    }

    /** The members that are left without those that failed. */
    public List<String> left(int stripe, Collection<String> failed) {
        List<String> left = new ArrayList<>(chain(stripe).getNodesList());
        left.removeAll(failed);
        return left;
    }

    /** Nodes that are no choice for {@link #rescued}. */
    public Set<String> spent(int stripe, Collection<String> failed) {
        Set<String> spent = new HashSet<>(failed);
        spent.addAll(chain(stripe).getNodesList());
        spent.addAll(chain(stripe).getJoiningList());
        rows.apply(stripe).forEach(row -> spent.add(row.getNode()));
        return spent;
    }

    // ---- writers
    // ---------------------------------------------------------------------------------------------------------------

    public Writing writtenBy(long session) {
        return now.getWritersList().contains(session)
                ? this
                : with(now.toBuilder().addWriters(session).build(), List.of());
    }

    /**
     * Some write no more, and others do.
     *
     * @param settled nothing is left of what they changed that no commit told of
     */
    public Writing writersLeft(LongPredicate gone, boolean settled) {
        WritingImage.Builder next = now.toBuilder().clearWriters();
        for (long session : now.getWritersList()) {
            if (!gone.test(session)) next.addWriters(session);
        }
        return with(next.setUnsettled(now.getUnsettled() || !settled).build(), List.of());
    }

    // ---- chains
    // ---------------------------------------------------------------------------------------------------------------

    /** Some failed, and others of the chain are left. */
    public Writing without(int stripe, Collection<String> failed) {
        WritingChain chain = chain(stripe);
        List<String> joining = new ArrayList<>(chain.getJoiningList());
        joining.removeAll(failed);
        List<Change> gone = new ArrayList<>();
        for (String node : failed) {
            if (chain.getNodesList().contains(node) || chain.getJoiningList().contains(node)) {
                gone.add(FileChanges.row(image, stripe, node, ReplicaState.STALE));
            }
        }
        return with(
                stripe,
                was ->
                        was.toBuilder()
                                .clearNodes()
                                .addAllNodes(left(stripe, failed))
                                .clearJoining()
                                .addAllJoining(joining)
                                .build(),
                gone);
    }

    /**
     * All members failed, and the writer, who has the whole content, brings it to others. Until a
     * commit says that it has, what was committed counts where it is: the writer may end before.
     */
    public Writing rescued(int stripe, List<String> chosen) {
        WritingChain chain = chain(stripe);
        List<String> kept = new ArrayList<>(chain.getCommittedList());
        if (kept.isEmpty() && isPromised(stripe)) {
            for (String node : chain.getNodesList()) { // the head first
                if (state(stripe, node) == ReplicaState.VALID) kept.add(node);
            }
        }
        List<String> former = new ArrayList<>(chain.getNodesList());
        former.addAll(chain.getJoiningList());
        List<Change> gone = new ArrayList<>();
        for (String node : former) {
            if (kept.contains(node)) continue;
            gone.add(FileChanges.row(image, stripe, node, ReplicaState.STALE));
        }
        return with(
                stripe,
                was ->
                        WritingChain.newBuilder()
                                .setStripe(stripe)
                                .addAllNodes(chosen)
                                .addAllCommitted(kept)
                                .build(),
                gone);
    }

    private @Nullable ReplicaState state(int stripe, String node) {
        for (ReplicaImage row : rows.apply(stripe)) {
            if (row.getNode().equals(node)) return row.getState();
        }
        return null;
    }

    /** It is filled from now on, at the end of the chain. */
    public Writing joinedBy(int stripe, String node) {
        return with(stripe, chain -> chain.toBuilder().addJoining(node).build(), List.of());
    }

    /** Everything there is was copied from the members, which are full, to others. */
    public Writing moved(int stripe, List<String> to) {
        WritingChain chain = chain(stripe);
        boolean promised =
                chain.getCommittedCount() == 0
                        && rows.apply(stripe).stream()
                                .anyMatch(row -> row.getState() == ReplicaState.VALID);
        List<Change> changed = new ArrayList<>();
        List<String> former = new ArrayList<>(chain.getNodesList());
        former.addAll(chain.getJoiningList());
        for (String node : former) {
            changed.add(FileChanges.row(image, stripe, node, ReplicaState.STALE));
        }
        if (promised) {
            for (String node : to) {
                changed.add(FileChanges.row(image, stripe, node, ReplicaState.VALID));
            }
        }
        return with(
                stripe,
                was -> was.toBuilder().clearNodes().addAllNodes(to).clearJoining().build(),
                changed);
    }

    /** The node does not have what it should: it is a member no more where there is another one. */
    public Writing lostAt(int stripe, String node) {
        List<String> left = left(stripe, List.of(node));
        if (left.isEmpty() || left.size() == chain(stripe).getNodesCount()) return this;
        return with(
                stripe,
                chain -> chain.toBuilder().clearNodes().addAllNodes(left).build(),
                List.of());
    }

    // ---- what is told of the content
    // ---------------------------------------------------------------------------------------------------------------

    /**
     * A commit names who holds the content; stripes that it does not name stay as they are.
     *
     * @throws FarmException STALE: no member of a chain is among them
     */
    public Writing committed(List<ObjectCommit> objects) {
        Writing next = this;
        for (ObjectCommit object : objects) {
            int stripe = object.getStripe();
            if (now.getChainsList().stream().noneMatch(chain -> chain.getStripe() == stripe)) {
                continue;
            }
            next = next.committed(chain(stripe), new HashSet<>(object.getHoldersList()));
        }
        return next;
    }

    private Writing committed(WritingChain chain, Set<String> holders) {
        if (chain.getNodesList().stream().noneMatch(holders::contains)) {
            // It moved to other nodes, or from failed ones, while the commit was on its way.
            throw new FarmException(
                    ErrorKind.STALE,
                    "commit",
                    Long.toHexString(image.getInode()),
                    "no member of its chain holds the content");
        }
        int stripe = chain.getStripe();
        List<Change> changed = new ArrayList<>();
        WritingChain.Builder kept = WritingChain.newBuilder().setStripe(stripe);
        for (String node : chain.getNodesList()) {
            ReplicaState wanted = holders.contains(node) ? ReplicaState.VALID : ReplicaState.STALE;
            if (wanted == ReplicaState.VALID) kept.addNodes(node);
            if (state(stripe, node) != wanted) {
                changed.add(FileChanges.row(image, stripe, node, wanted));
            }
        }
        for (String node : chain.getJoiningList()) {
            if (holders.contains(node)) {
                kept.addNodes(node);
                changed.add(FileChanges.row(image, stripe, node, ReplicaState.VALID));
            } else {
                kept.addJoining(node);
            }
        }
        for (String node : chain.getCommittedList()) { // by now the members have more
            if (!kept.getNodesList().contains(node)) {
                changed.add(FileChanges.row(image, stripe, node, ReplicaState.STALE));
            }
        }
        return with(stripe, was -> kept.build(), changed);
    }

    /**
     * Nobody writes any more, and a commit told of everything. What a node that was being filled
     * has got is not all, and goes when there are copies enough.
     */
    public Writing ended() {
        List<Change> gone = new ArrayList<>();
        for (WritingChain chain : now.getChainsList()) {
            for (String node : chain.getJoiningList()) {
                gone.add(FileChanges.row(image, chain.getStripe(), node, ReplicaState.STALE));
            }
        }
        return with(over(), gone);
    }

    private WritingImage over() {
        return WritingImage.newBuilder().setInode(now.getInode()).setGone(true).build();
    }

    /** Somebody has set the modification time: what was written before does not count. */
    public Writing dated(long nanos) {
        return with(now.toBuilder().setToldUntil(nanos).build(), List.of());
    }

    /**
     * Who holds it is silent: the file is as it was committed until they answer. Its size is asked
     * of nobody, and nobody joins.
     */
    public Writing putOff() {
        if (now.getWritersCount() == 0) return this;
        WritingImage.Builder left = now.toBuilder().clearWriters();
        left.getChainsBuilderList().forEach(WritingChain.Builder::clearJoining);
        return with(left.build(), FileChanges.joiningGone(now));
    }

    /**
     * The holders have moved what they have to the next generation, and said what it is: the answer
     * of the first one is the truth. Where none of them has anything, what was committed stays as
     * it is, to be read when who holds it returns.
     *
     * @param answers by stripe and node
     * @param nanos the time of the change
     */
    public Writing sealed(Map<Integer, Map<String, SealObjectReply>> answers, long nanos) {
        InodeImage.Builder sealed =
                image.toBuilder()
                        .setGeneration(image.getGeneration() + 1)
                        .setVersion(image.getVersion() + 1)
                        .setCtime(nanos);
        Striping striping =
                new Striping(Math.max(1, image.getStripeCount()), image.getStripeUnit());
        long told = WriteTimes.told(now.getToldUntil(), image.getMtime(), image.getCtime());
        List<Change> changed = new ArrayList<>();
        boolean anything = false;
        boolean hadRows = false;
        long size = 0;
        long allocated = 0;
        for (WritingChain chain : now.getChainsList()) {
            int stripe = chain.getStripe();
            Map<String, SealObjectReply> given = answers.getOrDefault(stripe, Map.of());
            for (ReplicaImage row : rows.apply(stripe)) {
                changed.add(FileChanges.gone(row));
                hadRows = true;
            }
            if (chain.getCommittedCount() > 0) {
                for (String node : chain.getNodesList()) { // a part may have come there
                    changed.add(FileChanges.gone(image, stripe, node));
                }
            }
            SealObjectReply truth = first(holders(chain), given);
            if (truth == null) continue;
            anything = true;
            size = Math.max(size, striping.fileSize(stripe, truth.getSize()));
            allocated += truth.getAllocated();
            given.forEach((node, reply) -> {
                if (!reply.getPresent()) return;
                boolean same =
                        reply.getSize() == truth.getSize()
                                && reply.getDigest().equals(truth.getDigest());
                changed.add(
                        FileChanges.row(
                                sealed.build(),
                                stripe,
                                node,
                                same ? ReplicaState.VALID : ReplicaState.STALE));
            });
            if (truth.getMtime() > told) sealed.setMtime(truth.getMtime());
            if (now.getChainsCount() == 1) sealed.setDigest(truth.getDigest());
            else sealed.clearDigest();
        }
        if (!anything && (image.getSize() > 0 || hadRows)) {
            return with(over(), FileChanges.joiningGone(now));
        }
        changed.addAll(FileChanges.joiningGone(now));
        changed.addFirst(
                Change.newBuilder().setInode(sealed.setSize(size).setAllocated(allocated)).build());
        return with(over(), changed);
    }

    private static @Nullable SealObjectReply first(
            List<String> nodes, Map<String, SealObjectReply> given) {
        for (String node : nodes) {
            SealObjectReply reply = given.get(node);
            if (reply != null && reply.getPresent()) return reply;
        }
        return null;
    }
}

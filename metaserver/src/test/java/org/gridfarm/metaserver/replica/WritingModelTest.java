package org.gridfarm.metaserver.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.property.Dice;
import org.gridfarm.campaign.property.Property;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A file of one stripe that is written while its nodes fall silent, others join, take over and are
 * filled, and its writer ends at any point: what a commit has told is at some node that counts, and
 * at no node that counts is less.
 */
class WritingModelTest {
    private static final long INODE = 7;
    private static final int STEPS = 300;

    /** Not all of a content: a node that is being filled. */
    private static final int PART = -1;

    /** Size of the content after so many writes. */
    private static final int UNIT = 10;

    private final Map<String, Boolean> nodes = new TreeMap<>(); // whether it is up
    private final Map<String, Integer> disk = new HashMap<>(); // writes that it has
    private final Map<String, ReplicaState> rows = new TreeMap<>();
    private @Nullable WritingImage noted;
    private InodeImage image = InodeImage.newBuilder().setInode(INODE).setGeneration(1).build();
    private int written;
    private int promised;
    private boolean uncommitted;
    private Dice dice = new Dice(0);

    @Property(tries = 400)
    void whatACommitHasToldIsSomewhereThatCounts(Dice chance) {
        dice = chance;
        for (int i = 1; i <= 6; i++) nodes.put("n" + i, true);
        for (int i = 0; i < STEPS; i++) {
            step();
            check();
        }
    }

    private void check() {
        rows.forEach((node, state) -> {
            if (state == ReplicaState.VALID) {
                assertThat(disk.getOrDefault(node, 0))
                        .as("what %s has, which counts, of %d promised writes", node, promised)
                        .isGreaterThanOrEqualTo(promised);
            }
        });
        if (promised > 0) {
            assertThat(rows).as("after %d writes", promised).containsValue(ReplicaState.VALID);
        }
    }

    private void step() {
        if (noted == null) {
            nodes.replaceAll((node, up) -> true); // so that it can be opened
            begin();
            return;
        }
        if (noted.getWritersCount() == 0) { // nobody but who seals it has to do with it
            nodes.put(dice.oneOf(List.copyOf(nodes.keySet())), true);
            end();
            return;
        }
        switch (dice.below(10)) {
            case 0, 1, 2 -> write();
            case 3, 4 -> commit();
            case 5 -> nodes.put(dice.oneOf(List.copyOf(nodes.keySet())), dice.once(2));
            case 6 -> join();
            case 7 -> fill();
            case 8 -> move();
            default -> end();
        }
    }

    private Writing record() {
        return Writing.of(image, Objects.requireNonNull(noted), stripe -> images());
    }

    private List<ReplicaImage> images() {
        List<ReplicaImage> all = new ArrayList<>();
        rows.forEach((node, state) ->
                all.add(
                        ReplicaImage.newBuilder()
                                .setInode(INODE)
                                .setGeneration(image.getGeneration())
                                .setNode(node)
                                .setState(state)
                                .build()));
        return all;
    }

    private void apply(List<Change> changes) {
        for (Change change : changes) {
            if (change.hasInode()) {
                image = change.getInode();
                rows.clear(); // those of the former generation; each has a change of its own
            } else if (change.hasReplica()) {
                if (change.getReplica().getGeneration() == image.getGeneration()) {
                    rows.put(change.getReplica().getNode(), change.getReplica().getState());
                }
            } else if (change.hasReplicaGone()) {
                if (change.getReplicaGone().getGeneration() == image.getGeneration()) {
                    rows.remove(change.getReplicaGone().getNode());
                    disk.remove(change.getReplicaGone().getNode());
                }
            } else if (change.hasWriting()) {
                noted = change.getWriting().getGone() ? null : change.getWriting();
            }
        }
    }

    private WritingChain chain() {
        return record().chain(0);
    }

    private void begin() {
        List<String> members = new ArrayList<>();
        rows.forEach((node, state) -> {
            if (state == ReplicaState.VALID) members.add(node);
        });
        while (members.isEmpty()) members.addAll(some(Set.of())); // the leader chooses one at least
        noted =
                WritingImage.newBuilder()
                        .setInode(INODE)
                        .setGeneration(image.getGeneration())
                        .addWriters(1)
                        .addChains(WritingChain.newBuilder().addAllNodes(members))
                        .build();
    }

    /** One node or two that are up. */
    private List<String> some(Set<String> without) {
        List<String> some = new ArrayList<>();
        for (String node : nodes.keySet()) {
            if (isUp(node) && !without.contains(node) && some.size() < 2 && !dice.once(3)) {
                some.add(node);
            }
        }
        return some;
    }

    private boolean isUp(String node) {
        return Boolean.TRUE.equals(nodes.get(node));
    }

    /** Only who has all members behind it goes on; and each member has all of it then. */
    private void write() {
        if (!mend()) return;
        written++;
        uncommitted = true;
        for (String node : chain().getNodesList()) {
            // The writer brings the content to a new member, and may end before it has.
            if (disk.getOrDefault(node, 0) != PART) disk.put(node, written);
        }
        for (String node : chain().getJoiningList()) disk.put(node, PART);
    }

    /** Members that are down leave; where none is left the writer takes others, or waits. */
    private boolean mend() {
        List<String> failed = new ArrayList<>();
        for (String node : chain().getNodesList()) if (!isUp(node)) failed.add(node);
        for (String node : chain().getJoiningList()) if (!isUp(node)) failed.add(node);
        if (failed.isEmpty()) return true;
        Writing record = record();
        if (!record.left(0, failed).isEmpty()) {
            apply(record.without(0, failed).changes());
            return true;
        }
        List<String> chosen = some(record.spent(0, failed));
        if (chosen.isEmpty()) return false;
        apply(record.rescued(0, chosen).changes());
        for (String node : chosen) disk.put(node, written > 0 ? PART : 0);
        return true;
    }

    private void commit() {
        if (!mend()) return;
        for (String node : chain().getNodesList()) disk.put(node, written); // brought there by now
        List<String> holders = new ArrayList<>(chain().getNodesList());
        for (String node : chain().getJoiningList()) {
            if (disk.getOrDefault(node, 0) == written) holders.add(node);
        }
        List<Change> changes = new ArrayList<>();
        image = image.toBuilder().setSize((long) written * UNIT).build();
        changes.addAll(
                record().committed(
                                List.of(ObjectCommit.newBuilder().addAllHolders(holders).build()))
                        .changes());
        promised = written;
        uncommitted = false;
        apply(changes);
    }

    private void join() {
        if (chain().getJoiningCount() > 0 || record().isBetweenChains()) return;
        Set<String> taken = record().spent(0, List.of());
        List<String> free = nodes.keySet().stream().filter(n -> !taken.contains(n)).toList();
        if (free.isEmpty()) return;
        String node = dice.oneOf(free);
        disk.put(node, PART);
        apply(record().joinedBy(0, node).changes());
    }

    private void fill() {
        for (String node : chain().getJoiningList()) if (isUp(node)) disk.put(node, written);
    }

    /** From full nodes to others; all is copied before. */
    private void move() {
        if (!chain().getNodesList().stream().allMatch(this::isUp)) return;
        List<String> to = some(record().spent(0, List.of()));
        if (to.isEmpty()) return;
        int has = disk.getOrDefault(chain().getNodes(0), 0);
        for (String node : to) disk.put(node, has);
        apply(record().moved(0, to).changes());
    }

    /** The writer closes, or is lost. */
    private void end() {
        if (!uncommitted && !record().isBetweenChains() && dice.once(2)) {
            apply(record().ended().changes());
            return;
        }
        Map<String, SealObjectReply> answers = new TreeMap<>();
        for (String node : Writing.holders(chain())) {
            if (isUp(node)) answers.put(node, seal(node));
        }
        if (answers.isEmpty()) {
            apply(record().putOff().changes());
            return; // until one of them is up
        }
        int truth = UNIT;
        for (String node : Writing.holders(chain())) {
            if (answers.containsKey(node)) {
                truth = Math.max(0, disk.getOrDefault(node, 0)); // a part is something, too
                break;
            }
        }
        Map<String, Integer> kept = new HashMap<>(disk);
        kept.keySet().retainAll(new TreeSet<>(answers.keySet()));
        kept.replaceAll((node, has) -> Math.max(0, has)); // a part is the content now
        apply(record().sealed(Map.of(0, answers), 1).changes());
        disk.clear();
        disk.putAll(kept);
        written = truth;
        uncommitted = false;
        assertThat(written)
                .as("what is left of %d writes", promised)
                .isGreaterThanOrEqualTo(promised);
    }

    private SealObjectReply seal(String node) {
        return SealObjectReply.newBuilder()
                .setPresent(true)
                .setSize(Math.max(0, disk.getOrDefault(node, 0)) * (long) UNIT)
                .build();
    }
}

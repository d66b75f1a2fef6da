package org.gridfarm.metaserver.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.property.Dice;
import org.gridfarm.campaign.property.Property;
import org.gridfarm.namespace.Content;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.FoundObject;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaKey;
import org.gridfarm.protocol.wire.ReplicaState;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Nodes that start again, tell what they have and seal files meanwhile, in every order: a file
 * whose content some node has is neither deleted nor given up as lost.
 */
class RollCallModelTest {
    private static final int FILES = 6;
    private static final int STEPS = 400;

    /** What a node or the leader still has to take up; in any order, but lost when a node dies. */
    private interface Letter {
        void arrive();
    }

    private static final class Node {
        final String name;
        final Map<Long, Integer> disk = new TreeMap<>(); // inode, generation
        final List<Letter> mail = new ArrayList<>(); // both ways
        final Deque<Long> toWalk = new ArrayDeque<>();
        final Map<Long, Integer> page = new HashMap<>();
        RollCall rollCall = new RollCall(true);
        boolean up;
        boolean walking;
        boolean draining;

        Node(String name) {
            this.name = name;
        }
    }

    private static final class File {
        int generation = 1;
        boolean written; // left by its writer, to be sealed
        final Set<String> owed = new HashSet<>(); // asked to seal, no answer yet
        final Set<String> sealed = new HashSet<>();
        boolean asked;
    }

    private final Map<String, Node> nodes = new TreeMap<>();
    private final Map<Long, File> files = new TreeMap<>();
    private final Set<String> asking = new HashSet<>();
    private final ReplicaMap map =
            new ReplicaMap(
                    new Files() {
                        @Override
                        public @Nullable Content content(long inode) {
                            return RollCallModelTest.this.content(inode);
                        }

                        @Override
                        public boolean isWritten(long inode) {
                            return file(inode).written;
                        }

                        @Override
                        public String name(long inode) {
                            return "file " + inode;
                        }
                    });

    private Content content(long inode) {
        return new Content(inode, file(inode).generation, 100, 100, 1, 1, "");
    }

    private File file(long inode) {
        File file = files.get(inode);
        if (file == null) throw new IllegalStateException("no file " + inode);
        return file;
    }

    private static ObjectId object(long inode, int generation) {
        return ObjectId.newBuilder().setInode(inode).setGeneration(generation).build();
    }

    // ---- the farm -----------------------------------------------------------------------------

    private void begin(Dice dice) {
        for (String name : List.of("n1", "n2")) {
            Node node = new Node(name);
            nodes.put(name, node);
            map.nodeIs(name, NodeState.SUSPECT);
        }
        for (long inode = 1; inode <= FILES; inode++) {
            files.put(inode, new File());
            for (Node node : nodes.values()) {
                boolean second = node.name.equals("n2");
                if (second ? inode % 3 == 0 : true) {
                    node.disk.put(inode, 1);
                    row(inode, node, ReplicaState.VALID);
                }
            }
        }
        for (Node node : nodes.values()) start(node, dice);
    }

    private void start(Node node, Dice dice) {
        node.up = true;
        node.rollCall = new RollCall(true);
        node.page.clear();
        node.toWalk.clear();
        for (long inode : files.keySet()) {
            if (dice.once(2)) node.toWalk.addFirst(inode);
            else node.toWalk.addLast(inode);
        }
        node.walking = true;
        map.nodeIs(node.name, NodeState.SUSPECT);
    }

    private void die(Node node, Dice dice) {
        node.up = false;
        node.walking = false;
        node.mail.clear();
        asking.remove(node.name);
        map.nodeIs(node.name, dice.once(2) ? NodeState.SUSPECT : NodeState.DOWN);
        files.forEach((inode, file) -> {
            if (file.owed.remove(node.name)) settled(inode);
        });
    }

    /** One directory entry after the other; one that is renamed just then may not be met at all. */
    private void walk(Node node, Dice dice) {
        Long inode = node.toWalk.poll();
        if (inode == null) {
            node.walking = false;
            Map<Long, Integer> page = Map.copyOf(node.page);
            node.mail.add(() -> inventory(node, page));
            return;
        }
        Integer generation = node.disk.get(inode);
        if (generation != null && !(file(inode).written && dice.once(2))) {
            node.page.put(inode, generation);
        }
    }

    private void inventory(Node node, Map<Long, Integer> page) {
        page.forEach((inode, generation) -> {
            node.rollCall.shows(object(inode, generation));
            ReplicaImage row = rowAt(inode, node, generation);
            if (row == null) delete(node, inode, generation);
            else if (row.getState() == ReplicaState.LOST) row(inode, node, ReplicaState.VALID);
        });
        List<ReplicaImage> rows = new ArrayList<>();
        for (long inode : files.keySet()) {
            map.rows(inode).stream().filter(r -> r.getNode().equals(node.name)).forEach(rows::add);
        }
        node.rollCall.ends(rows);
        askForMissing(node);
    }

    private void askForMissing(Node node) {
        if (node.rollCall.isOver()) {
            map.nodeIs(node.name, node.draining ? NodeState.DRAINING : NodeState.UP);
            return;
        }
        List<ObjectId> some = node.rollCall.missing(2);
        ask(
                node,
                some,
                () -> {
                    node.rollCall.answered(some);
                    askForMissing(node);
                });
    }

    private void ask(Node node, List<ObjectId> objects, Runnable answered) {
        node.mail.add(() -> {
            List<FoundObject> found = new ArrayList<>();
            for (ObjectId asked : objects) {
                Integer generation = node.disk.get(asked.getInode());
                if (generation != null) {
                    found.add(
                            FoundObject.newBuilder()
                                    .setObject(object(asked.getInode(), generation))
                                    .build());
                }
            }
            node.mail.add(() -> {
                objects.forEach(object -> judge(node, object, found));
                answered.run();
            });
        });
    }

    private void judge(Node node, ObjectId object, List<FoundObject> found) {
        long inode = object.getInode();
        ReplicaImage row = rowAt(inode, node, object.getGeneration());
        Sighting.Known known = new Sighting.Known(content(inode), file(inode).written, map);
        switch (Sighting.of(row, known, found)) {
            case PASSED, STANDS -> {}
            case FOUND -> row(inode, node, ReplicaState.VALID);
            case LOST -> row(inode, node, ReplicaState.LOST);
            case SEAL_AGAIN -> file(inode).written = true;
            case GONE -> {
                gone(inode, node, object.getGeneration());
                delete(node, inode, object.getGeneration());
            }
            case DAMAGED -> throw new AssertionError("nothing is in quarantine");
        }
    }

    /** As somebody lost interest in the middle of an append. */
    private void leave(long inode) {
        file(inode).written = true;
        map.touched(inode);
    }

    /** As when those who might answer were removed for a while: it stays as it was committed. */
    private void giveUp(long inode) {
        file(inode).written = false;
        map.touched(inode);
    }

    private boolean noHolderIsUp(long inode) {
        return map.rows(inode).stream().noneMatch(row -> node(row.getNode()).up);
    }

    private void seal(long inode) {
        File file = file(inode);
        file.asked = true;
        file.sealed.clear();
        for (ReplicaImage row : map.rows(inode)) {
            Node node = nodes.get(row.getNode());
            if (node != null && node.up) {
                file.owed.add(node.name);
                int generation = file.generation;
                node.mail.add(() -> sealAt(node, inode, generation));
            }
        }
        settled(inode);
    }

    private void sealAt(Node node, long inode, int generation) {
        Integer has = node.disk.get(inode);
        boolean present = has != null && (has == generation || has == generation + 1);
        if (present) node.disk.put(inode, generation + 1);
        node.mail.add(() -> {
            if (file(inode).generation != generation || !file(inode).owed.remove(node.name)) return;
            if (present) file(inode).sealed.add(node.name);
            settled(inode);
        });
    }

    private void settled(long inode) {
        File file = file(inode);
        if (!file.asked || !file.owed.isEmpty()) return;
        file.asked = false;
        if (file.sealed.isEmpty()) {
            boolean allSaidNo = map.rows(inode).stream().allMatch(row -> node(row.getNode()).up);
            if (allSaidNo) giveUp(inode); // else it is tried again
            return;
        }
        for (ReplicaImage row : map.rows(inode)) {
            gone(inode, node(row.getNode()), row.getGeneration());
        }
        file.generation++;
        file.written = false;
        for (String name : file.sealed) row(inode, node(name), ReplicaState.VALID);
        map.touched(inode);
    }

    private Node node(String name) {
        Node node = nodes.get(name);
        if (node == null) throw new IllegalStateException("no node " + name);
        return node;
    }

    private void delete(Node node, long inode, int generation) {
        boolean ahead = file(inode).written && generation > file(inode).generation;
        if (ahead || isLastHope(inode)) return;
        node.mail.add(() -> node.disk.remove(inode, generation));
    }

    private boolean isLastHope(long inode) {
        return map.rows(inode).stream()
                .noneMatch(row ->
                        row.getState() == ReplicaState.VALID
                                && map.nodeState(row.getNode()).isReadable());
    }

    private void look() {
        map.settle(100);
        for (long inode : map.list(Problem.LOST, 0, 100)) {
            for (ReplicaImage row : map.rows(inode)) {
                Node node = node(row.getNode());
                boolean due = row.getState() == ReplicaState.LOST && node.up;
                if (due && node.rollCall.isOver() && asking.add(node.name)) {
                    ask(node, List.of(RollCall.object(row)), () -> asking.remove(node.name));
                }
            }
        }
    }

    // ---- rows ---------------------------------------------------------------------------------

    private @Nullable ReplicaImage rowAt(long inode, Node node, int generation) {
        for (ReplicaImage row : map.rows(inode, 0, generation)) {
            if (row.getNode().equals(node.name)) return row;
        }
        return null;
    }

    private void row(long inode, Node node, ReplicaState state) {
        map.apply(
                Change.newBuilder()
                        .setReplica(
                                ReplicaImage.newBuilder()
                                        .setInode(inode)
                                        .setGeneration(file(inode).generation)
                                        .setNode(node.name)
                                        .setState(state))
                        .build());
    }

    private void gone(long inode, Node node, int generation) {
        map.apply(
                Change.newBuilder()
                        .setReplicaGone(
                                ReplicaKey.newBuilder()
                                        .setInode(inode)
                                        .setGeneration(generation)
                                        .setNode(node.name))
                        .build());
    }

    // ---- the test -----------------------------------------------------------------------------

    @Property(tries = 150)
    void whatANodeHasIsNeitherDeletedNorLost(Dice dice) {
        begin(dice);
        Set<Long> destroyed = new HashSet<>();
        for (int i = 0; i < STEPS; i++) {
            step(dice, destroyed);
            contentIsThere(destroyed);
        }
        comeToRest(dice);
        contentIsThere(destroyed);
        for (long inode : files.keySet()) {
            boolean there = isSomewhere(inode);
            assertThat(map.standing(inode)).as("file %d: %s", inode, map.rows(inode)).isNotNull();
            // A copy that no row tells of is not taken for the content, only kept.
            boolean lost = destroyed.contains(inode) ? isListed(Problem.LOST, inode) : !there;
            assertThat(isListed(Problem.LOST, inode))
                    .as("file %d, at %s: %s", inode, disks(inode), map.rows(inode))
                    .isEqualTo(lost);
            assertThat(lost || there).isTrue();
            assertThat(isListed(Problem.AWAY, inode)).isFalse();
        }
    }

    private void step(Dice dice, Set<Long> destroyed) {
        Node node = dice.oneOf(List.copyOf(nodes.values()));
        long inode = 1 + dice.below(FILES);
        switch (dice.below(12)) {
            case 0 -> {
                if (node.up && dice.once(3)) die(node, dice);
            }
            case 1 -> {
                if (!node.up) start(node, dice);
            }
            case 2, 3 -> {
                if (node.walking) walk(node, dice);
            }
            case 4 -> {
                if (file(inode).written && !file(inode).asked && noHolderIsUp(inode)) giveUp(inode);
                else leave(inode);
            }
            case 5, 6 -> {
                if (file(inode).written && !file(inode).asked) seal(inode);
            }
            case 7 -> look();
            case 8 -> {
                node.draining = dice.once(2);
                if (node.up && node.rollCall.isOver()) {
                    map.nodeIs(node.name, node.draining ? NodeState.DRAINING : NodeState.UP);
                }
            }
            case 9 -> {
                if (dice.once(30) && node.disk.remove(inode) != null) destroyed.add(inode);
            }
            default -> deliver(node, dice);
        }
    }

    private static void deliver(Node node, Dice dice) {
        if (!node.mail.isEmpty()) node.mail.remove(dice.below(node.mail.size())).arrive();
    }

    /** All nodes answer from now on, and nobody writes. */
    private void comeToRest(Dice dice) {
        for (Node node : nodes.values()) {
            if (node.up) die(node, dice);
            start(node, dice);
        }
        for (int looks = 0; looks < 3; looks++) {
            untilNothingIsUnderWay(dice);
            look();
        }
        untilNothingIsUnderWay(dice);
        files.values().forEach(file -> file.written = false); // what nobody has waits for ever
        files.keySet().forEach(map::touched);
        map.settle(100);
    }

    private void untilNothingIsUnderWay(Dice dice) {
        boolean busy = true;
        for (int round = 0; busy; round++) {
            assertThat(round).as("it does not come to rest").isLessThan(10_000);
            for (long inode : files.keySet()) {
                File file = file(inode);
                if (file.written && !file.asked && isSomewhere(inode)) seal(inode);
            }
            busy = false;
            for (Node node : nodes.values()) {
                if (node.walking) walk(node, dice);
                deliver(node, dice);
                busy |= node.walking || !node.mail.isEmpty();
            }
            busy |= files.keySet().stream().anyMatch(i -> file(i).written && isSomewhere(i));
        }
    }

    private boolean isSomewhere(long inode) {
        return nodes.values().stream().anyMatch(n -> isContent(n.disk.get(inode), inode));
    }

    private void contentIsThere(Set<Long> destroyed) {
        for (long inode : files.keySet()) {
            if (destroyed.contains(inode)) continue;
            assertThat(nodes.values())
                    .as("file %d, at %s: %s", inode, disks(inode), map.rows(inode))
                    .anyMatch(node -> isContent(node.disk.get(inode), inode));
        }
    }

    /** Of this generation, or of the one that a seal under way makes of it. */
    private boolean isContent(@Nullable Integer generation, long inode) {
        int now = file(inode).generation;
        return generation != null && (generation == now || generation == now + 1);
    }

    private String disks(long inode) {
        StringBuilder text = new StringBuilder();
        nodes.forEach((name, node) -> text.append(name + "=" + node.disk.get(inode) + " "));
        return text.toString();
    }

    private boolean isListed(Problem problem, long inode) {
        for (long listed : map.list(problem, 0, 100)) {
            if (listed == inode) return true;
        }
        return false;
    }
}

package org.gridfarm.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.property.Dice;
import org.gridfarm.campaign.property.Property;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DirectoryEntry;
import org.gridfarm.protocol.wire.ReadDirectoryReply;
import org.gridfarm.protocol.wire.SetAttributes;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

class NamespaceModelTest {
    private static final int OPERATIONS = 600;
    private static final List<String> NAMES =
            List.of("a", "b", "c", "d", "e", "a much longer name than eight bytes");
    private static final List<Integer> MODES =
            List.of(0777, 0755, 0700, 0644, 01777, 02775, 06755, 0000, 0070, 02770, 02644);

    private final Farm farm = new Farm();
    private final NaiveTree model = new NaiveTree(farm.clock);
    private final List<Long> known = new ArrayList<>(List.of(Namespace.ROOT));

    @Property(tries = 60)
    void everyOperationDoesWhatTheNaiveTreeDoes(Dice dice) {
        farm.chmod(Namespace.ROOT, 01777);
        model.chmod(node(Namespace.ROOT), 01777, Farm.ROOT, farm.clock);
        for (int i = 0; i < OPERATIONS; i++) {
            farm.as(dice.oneOf(Farm.ROOT, Farm.ALICE, Farm.ALICE, Farm.BOB, Farm.BOB));
            Step step = step(dice);
            @Nullable ErrorKind seen = outcome(step.real());
            @Nullable ErrorKind wanted = step.model().get();
            assertThat(seen)
                    .as("operation %d: %s as %d", i, step.text(), farm.who.getUid())
                    .isEqualTo(wanted);
            if (i % 20 == 0) {
                compare();
            }
        }
        compare();
        assertThat(farm.state.inconsistencies(10)).isEmpty();
        assertThat(namesKnown(farm.state)).as("nobody walks a directory to know").isTrue();
    }

    /**
     * Whether it is known of every file with several names where it has how many; what is known is
     * what a walk counts.
     */
    private static boolean namesKnown(Namespace state) {
        boolean[] all = {true};
        state.forEachInode(directory -> {
            if (directory.isDirectory()) {
                all[0] &= namesKnown(directory);
            }
        });
        return all[0];
    }

    private static boolean namesKnown(Inode directory) {
        Map<Inode, Integer> names = new HashMap<>();
        for (int i = 0; i < directory.entries().end(); i++) {
            Entry entry = directory.entries().at(i);
            if (entry != null && !entry.inode.isDirectory() && entry.inode.nlink > 1) {
                names.merge(entry.inode, 1, Integer::sum);
            }
        }
        boolean all = true;
        for (Map.Entry<Inode, Integer> walked : names.entrySet()) {
            int known = walked.getKey().namesIn(directory.number);
            assertThat(known).isIn(-1, walked.getValue());
            all &= known > 0;
        }
        return all;
    }

    @Property(tries = 20)
    void replayingAllChangesGivesTheSameState(Dice dice) {
        for (int i = 0; i < OPERATIONS; i++) {
            farm.as(dice.oneOf(Farm.ROOT, Farm.ROOT, Farm.ALICE));
            outcome(step(dice).real());
            if (dice.once(20) && known.size() > 1) {
                long inode = dice.oneOf(known);
                outcome(() ->
                        farm.setXattr(inode, "user.x" + dice.below(3), new byte[dice.below(10)]));
                farm.open.add(dice.oneOf(known));
            }
        }
        Namespace replayed = new Namespace();
        farm.journal.forEach(replayed::apply);
        assertThat(replayed.digest()).isEqualTo(farm.state.digest());
        assertThat(replayed.inodeCount()).isEqualTo(farm.state.inodeCount());
        assertThat(replayed.orphans()).isEqualTo(farm.state.orphans());
        assertThat(namesKnown(replayed)).isTrue();
        int half = farm.journal.size() / 2;
        farm.journal.subList(half, farm.journal.size()).forEach(replayed::apply);
        assertThat(replayed.digest())
                .as("applied again over a newer state")
                .isEqualTo(farm.state.digest());
        namesKnown(replayed);
        Namespace copied = new Namespace();
        long[] inodes = farm.state.inodeNumbers();
        for (long inode : inodes) {
            farm.state.exportInode(inode, copied::apply);
        }
        for (long inode : inodes) {
            farm.state.exportEntries(inode, copied::apply);
        }
        assertThat(copied.digest()).as("copied").isEqualTo(farm.state.digest());
        assertThat(namesKnown(copied)).isTrue();
    }

    @Property(tries = 20)
    void aCopyMadeWhileChangesGoOnEndsInTheSameState(Dice dice) {
        for (int i = 0; i < 300; i++) {
            outcome(step(dice).real());
        }
        int before = farm.journal.size();
        List<Change> rows = new ArrayList<>();
        long[] inodes = farm.state.inodeNumbers();
        for (long inode : inodes) {
            farm.state.exportInode(inode, rows::add);
            outcome(step(dice).real());
        }
        for (long inode : inodes) {
            long cookie = 0;
            do {
                cookie = farm.state.exportEntries(inode, cookie, 2, rows::add);
                outcome(step(dice).real());
            } while (cookie != 0);
        }
        Namespace copy = new Namespace();
        rows.forEach(copy::apply);
        farm.journal.subList(before, farm.journal.size()).forEach(copy::apply);
        assertThat(copy.digest()).isEqualTo(farm.state.digest());
        assertThat(copy.inodeCount()).isEqualTo(farm.state.inodeCount());
        assertThat(copy.inconsistencies(10)).isEmpty();
        namesKnown(copy);
    }

    @Property(tries = 30)
    void aListingInPagesMissesNothingThatStays(Dice dice) {
        List<String> staying = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            farm.create(Namespace.ROOT, "s" + i, 0644);
            staying.add("s" + i);
            farm.create(Namespace.ROOT, "t" + i, 0644);
        }
        List<String> seen = new ArrayList<>();
        long cookie = 0;
        boolean end = false;
        int added = 0;
        while (!end) {
            ReadDirectoryReply page =
                    farm.state
                            .list(Namespace.ROOT, cookie, 1 + dice.below(9), false, Farm.ROOT)
                            .build();
            for (DirectoryEntry entry : page.getEntriesList()) {
                seen.add(entry.getName().toStringUtf8());
                cookie = entry.getCookie();
            }
            end = page.getEnd();
            String gone = "t" + dice.below(200);
            if (farm.state.peek(Namespace.ROOT, Farm.name(gone)) != 0) {
                farm.unlink(Namespace.ROOT, gone);
            }
            if (added < 50) {
                farm.create(Namespace.ROOT, "u" + added++, 0644);
            }
        }
        assertThat(seen).containsAll(staying).doesNotHaveDuplicates();
    }

    private record Step(String text, Runnable real, Supplier<@Nullable ErrorKind> model) {}

    private static @Nullable ErrorKind outcome(Runnable command) {
        try {
            command.run();
            return null;
        } catch (FarmException e) {
            return e.kind();
        }
    }

    private NaiveTree.Node node(long inode) {
        NaiveTree.Node node = model.nodes.get(inode);
        if (node == null) {
            throw new IllegalStateException("unknown to the model: " + inode);
        }
        return node;
    }

    private Step step(Dice dice) {
        known.removeIf(inode -> !farm.state.exists(inode));
        long at = dice.oneOf(known);
        long to = dice.oneOf(known);
        String name = dice.oneOf(NAMES);
        String other = dice.oneOf(NAMES);
        int mode = dice.oneOf(MODES);
        Credentials who = farm.who;
        return switch (dice.below(20)) {
            case 0, 1, 2 -> birth("create", at, name, 'f', mode, () -> farm.create(at, name, mode));
            case 3, 4, 5, 6 ->
                    birth("mkdir", at, name, 'd', mode, () -> farm.mkdir(at, name, mode));
            case 7 -> birth("symlink", at, name, 'l', mode, () -> farm.symlink(at, name, "t"));
            case 8, 9 ->
                    new Step(
                            "link " + to + " " + at + "/" + name,
                            () -> farm.link(to, at, name),
                            () -> model.link(node(to), node(at), name, who, farm.clock));
            case 10 ->
                    new Step(
                            "unlink " + at + "/" + name,
                            () -> farm.unlink(at, name),
                            () -> model.remove(node(at), name, false, who, farm.clock));
            case 11 ->
                    new Step(
                            "rmdir " + at + "/" + name,
                            () -> farm.rmdir(at, name),
                            () -> model.remove(node(at), name, true, who, farm.clock));
            case 12, 13, 14, 15 -> {
                int flags = dice.below(5);
                yield new Step(
                        "rename " + at + "/" + name + " " + to + "/" + other + " " + flags,
                        () ->
                                farm.rename(
                                        Farm.renaming(at, name, to, other)
                                                .setNoReplace(flags == 0)
                                                .setExchange(flags == 1)
                                                .setWhiteout(flags == 2)),
                        () ->
                                model.rename(
                                        node(at),
                                        name,
                                        node(to),
                                        other,
                                        flags == 0,
                                        flags == 1,
                                        flags == 2
                                                ? () -> farm.state.peek(at, Farm.name(name))
                                                : null,
                                        who,
                                        farm.clock));
            }
            case 16 ->
                    new Step(
                            "chmod " + at + " " + Integer.toOctalString(mode),
                            () -> farm.chmod(at, mode),
                            () -> model.chmod(node(at), mode, who, farm.clock));
            case 17 -> {
                int uid = dice.oneOf(0, 1000, 1001, farm.stat(at).getUid());
                int gid = dice.oneOf(0, 50, 60, 1000);
                yield new Step(
                        "chown " + at + " " + uid + ":" + gid,
                        () -> farm.chown(at, uid, gid),
                        () -> model.chown(node(at), uid, gid, who, farm.clock));
            }
            case 18 ->
                    new Step(
                            "touch " + at,
                            () ->
                                    farm.set(
                                            SetAttributes.newBuilder()
                                                    .setInode(at)
                                                    .setAtimeNow(true)
                                                    .setMtimeNow(true)),
                            () -> model.touchNow(node(at), who, farm.clock));
            default -> {
                int size = dice.below(100_000);
                yield new Step(
                        "truncate " + at,
                        () -> farm.set(SetAttributes.newBuilder().setInode(at).setSize(size)),
                        () -> model.truncate(node(at), size, who, farm.clock));
            }
        };
    }

    private Step birth(
            String what, long at, String name, char type, int mode, Supplier<Long> real) {
        Credentials who = farm.who;
        return new Step(
                what + " " + at + "/" + name + " " + Integer.toOctalString(mode),
                () -> known.add(real.get()),
                () -> {
                    ErrorKind refused =
                            model.add(
                                    node(at),
                                    name,
                                    type,
                                    mode,
                                    farm.umask,
                                    farm.lastInode,
                                    who,
                                    farm.clock);
                    if (refused == null && type == 'l') {
                        node(farm.lastInode).size = 1;
                    }
                    return refused;
                });
    }

    private void compare() {
        assertThat(farm.state.inodeCount()).isEqualTo(model.nodes.size());
        for (NaiveTree.Node node : model.nodes.values()) {
            Attributes seen = farm.stat(node.inode);
            assertThat(describe(seen)).isEqualTo(describe(node));
            if (node.type == 'd') {
                List<String> names = new ArrayList<>();
                for (DirectoryEntry entry :
                        farm.state.list(node.inode, 0, 1000, true, Farm.ROOT).getEntriesList()) {
                    names.add(entry.getName().toStringUtf8() + "=" + entry.getInode());
                    assertThat(entry.getAttributes()).isEqualTo(farm.stat(entry.getInode()));
                }
                List<String> wanted = new ArrayList<>();
                node.children.forEach((name, child) -> wanted.add(name + "=" + child.inode));
                assertThat(names).containsExactlyInAnyOrderElementsOf(wanted);
                assertThat(seen.getParent()).isEqualTo(node.up == null ? 0 : node.up.inode);
            }
        }
    }

    private static String describe(Attributes a) {
        char type =
                switch (a.getType()) {
                    case DIRECTORY -> 'd';
                    case SYMLINK -> 'l';
                    case CHARACTER_DEVICE -> 'c';
                    default -> 'f';
                };
        return text(
                a.getInode(),
                type,
                a.getMode(),
                a.getUid(),
                a.getGid(),
                a.getNlink(),
                a.getSize(),
                a.getAtime(),
                a.getMtime(),
                a.getCtime());
    }

    private static String describe(NaiveTree.Node n) {
        return text(
                n.inode, n.type, n.mode, n.uid, n.gid, n.nlink, n.size, n.atime, n.mtime, n.ctime);
    }

    private static String text(
            long inode,
            char type,
            int mode,
            int uid,
            int gid,
            int nlink,
            long size,
            long... times) {
        return "%d %c %o %d:%d nlink %d size %d times %s"
                .formatted(
                        inode, type, mode, uid, gid, nlink, size, java.util.Arrays.toString(times));
    }
}

package org.gridfarm.namespace.own;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.campaign.property.Dice;
import org.gridfarm.campaign.property.Property;
import org.gridfarm.namespace.Context;
import org.gridfarm.namespace.Decision;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.api.ShippedAnswers;
import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.DirectoryDelegation;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MakeLink;
import org.gridfarm.protocol.wire.MakeNode;
import org.gridfarm.protocol.wire.MakeSymlink;
import org.gridfarm.protocol.wire.MutateReply;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.Remove;
import org.gridfarm.protocol.wire.RemoveXattr;
import org.gridfarm.protocol.wire.Rename;
import org.gridfarm.protocol.wire.SetAttributes;
import org.gridfarm.protocol.wire.SetXattr;
import org.gridfarm.protocol.wire.ShippedCommand;
import org.junit.jupiter.api.AfterAll;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * A leader and a session that decides in directories of its own, beside another session: what the
 * session has answered the leader comes to as well, whenever it is told, and whatever is given back
 * in between.
 */
class OwnGroundTest {
    private static final Credentials ALICE =
            Credentials.newBuilder().setUid(1000).setGid(1000).build();
    private static final Credentials BOB =
            Credentials.newBuilder().setUid(1001).setGid(1001).build();

    private static final String ACL = "system.posix_acl_access";

    private static int decidedHere; // in all worlds
    private static int filesSetHere;
    private static int xattrsSetHere;
    private static int openedHere;
    private static int linkedHere;
    private static int shownAsWritten;
    private static int takenOver;
    private static int takenWithFiles;

    @AfterAll
    static void theSessionHasDecided() {
        assertThat(decidedHere).as("decided by the session").isPositive();
        assertThat(xattrsSetHere).as("extended attributes set by the session").isPositive();
        assertThat(linkedHere).as("files linked by the session").isPositive();
        assertThat(openedHere).as("files opened by the session").isPositive();
        assertThat(filesSetHere).as("attributes of files set by the session").isPositive();
        assertThat(shownAsWritten).as("files shown while the leader changed them").isPositive();
        assertThat(takenOver).as("directories delegated after they were made").isPositive();
        assertThat(takenWithFiles).as("of these, with files in them").isPositive();
    }

    @Property(tries = 150)
    void theLeaderComesToWhatTheSessionHasAnswered(Dice dice) {
        World world = new World(dice);
        for (int i = 0; i < 300; i++) {
            world.step();
        }
        world.shipAll();
        world.hearAll();
        world.requireEqualViews();
    }

    /** What the session has answered by itself. */
    private record Told(ShippedCommand command, Attributes shown) {
        Told(Verdict.Done done, Credentials who) {
            this(
                    done.command().toBuilder()
                            .setRequest(done.command().getRequest().toBuilder().setCredentials(who))
                            .build(),
                    done.reply().getAttributes());
        }
    }

    /** Everything in one thread; the session's commands wait in a queue until they are shipped. */
    private static final class World {
        private final Dice dice;
        private final Namespace leader = new Namespace();
        private final OwnGround ground = new OwnGround();
        private final Set<Long> delegated = new HashSet<>();
        private final Deque<Told> queue = new ArrayDeque<>();

        /** Of the leader to calls of the session, which may overtake one another. */
        private final List<Runnable> answers = new ArrayList<>();

        private final boolean root;
        private long clock = 1_000_000;
        private long nextInode = 2;
        private long sequence;

        World(Dice dice) {
            this.dice = dice;
            this.root = dice.once(2);
            Namespace.genesis(clock).forEach(leader::apply);
            // Everybody may make something in the root.
            apply(
                    decided(
                            command()
                                    .setSetAttributes(
                                            SetAttributes.newBuilder().setInode(1).setMode(0777))
                                    .build(),
                            Credentials.getDefaultInstance(),
                            0,
                            ++clock));
        }

        void step() {
            clock += dice.below(1000);
            while (!answers.isEmpty() && dice.once(3)) {
                answers.remove(dice.below(answers.size())).run();
            }
            if (dice.once(4)) open();
            switch (dice.below(20)) {
                case 0 -> shipSome();
                case 1 -> {
                    if (dice.once(4)) giveBackOne();
                }
                case 2, 3 -> asTheSession(birthAtTheTop(), who());
                case 4 -> takeOverOne();
                default -> asTheSession(anyCommand(), who());
            }
        }

        /** Whoever is let in by the session the leader would have let in, and shown the same. */
        private void open() {
            List<Long> files = dice.once(5) ? ground.directories() : files();
            if (files.isEmpty()) return;
            long file = dice.oneOf(files);
            Credentials who = who();
            boolean runs = dice.once(3);
            Attributes shown = ground.readable(file, runs, who);
            if (shown == null) return;
            openedHere++;
            shipAll();
            assertThat(leader.may(file, runs ? 5 : 4, acting(who))).isTrue();
            assertThat(shown).isEqualTo(leader.attributes(file).build());
            assertThat(shown.getType()).isEqualTo(FileType.REGULAR);
        }

        private List<Long> files() {
            return ground.directories().stream()
                    .flatMap(directory -> ground.inodesOf(directory).stream().skip(1))
                    .toList();
        }

        private Credentials who() {
            return dice.oneOf(ALICE, ALICE, ALICE, BOB, Credentials.getDefaultInstance());
        }

        // ---- the session

        private void asTheSession(MutateRequest request, Credentials who) {
            Verdict verdict =
                    ground.decide(request, who, clock + dice.below(2000) - 1000, inode -> false);
            switch (verdict) {
                case Verdict.Done done -> {
                    decidedHere++;
                    long set = request.getSetAttributes().getInode();
                    if (request.hasSetXattr()) xattrsSetHere++;
                    if (request.hasLink()) linkedHere++;
                    if (set != 0 && !ground.isOwn(set)) filesSetHere++;
                    assertThat(ShippedAnswers.digest(done.command().getRequest(), done.reply()))
                            .isEqualTo(done.command().getDigest());
                    queue.add(new Told(done, who));
                }
                case Verdict.Refused refused -> {
                    shipAll();
                    assertThat(decided(request, acting(who), nextInode, ++clock))
                            .isInstanceOfSatisfying(
                                    Decision.Refused.class,
                                    there ->
                                            assertThat(there.failure().kind())
                                                    .isEqualTo(refused.why().kind()));
                }
                case Verdict.Leaders _ -> byTheLeader(request, who);
            }
        }

        private Credentials acting(Credentials who) {
            return root ? who : org.gridfarm.protocol.auth.Squash.of(who);
        }

        private void byTheLeader(MutateRequest request, Credentials who) {
            long file = ground.asks(request);
            // Of a commit it is known earlier that it will be.
            long early = dice.once(3) ? ground.asks(request) : 0;
            answers.add(() -> ground.over(early));
            shipAll();
            giveBackWhatIsChangedBy(request);
            Decision decision = decided(request, acting(who), nextInode++, ++clock);
            if (!(decision instanceof Decision.Accepted accepted)) {
                answers.add(() -> ground.answered(file, null));
                return;
            }
            MutateReply reply = apply(decision);
            // Now and then an answer is lost.
            Attributes now = file != 0 && dice.once(10) ? null : reply.getAttributes();
            answers.add(() -> ground.answered(file, now));
            if (request.hasMkdir() && !dice.once(4)) delegate(accepted.inode());
        }

        private void delegate(long directory) {
            DirectoryDelegation.Builder told =
                    DirectoryDelegation.newBuilder().setDirectory(directory).setRoot(root);
            leader.exportInode(directory, told::addContent);
            int numbers = dice.once(5) ? 0 : 1 + dice.below(60);
            ground.add(told.setFirstNumber(nextInode).setNumbers(numbers).build());
            nextInode += numbers;
            delegated.add(directory);
        }

        /** One that was there before, whatever is still to be shipped of others. */
        private void takeOverOne() {
            List<Long> others = new ArrayList<>();
            for (long number : leader.inodeNumbers()) {
                if (number != Namespace.ROOT
                        && leader.isDirectory(number)
                        && !delegated.contains(number)
                        && hasAllNamesInIt(number)) {
                    others.add(number);
                }
            }
            if (others.isEmpty()) return;
            long directory = dice.oneOf(others);
            DirectoryDelegation.Builder told =
                    DirectoryDelegation.newBuilder().setDirectory(directory).setRoot(root);
            leader.exportInode(directory, told::addContent);
            entries(leader, directory).values().stream()
                    .distinct()
                    .forEach(inode -> leader.exportInode(inode, told::addContent));
            leader.exportEntries(directory, told::addContent);
            if (dice.once(3)) told.addOpen(someFile(directory));
            if (!ground.add(told.setFirstNumber(nextInode).setNumbers(5).build())) return;
            nextInode += 5;
            delegated.add(directory);
            takenOver++;
            if (ground.inodesOf(directory).size() > 1) takenWithFiles++;
        }

        /** Of each file in it. */
        private boolean hasAllNamesInIt(long directory) {
            List<Long> named = new ArrayList<>(entries(leader, directory).values());
            return named.stream()
                    .filter(inode -> !leader.isDirectory(inode))
                    .allMatch(inode ->
                            Collections.frequency(named, inode)
                                    == leader.attributes(inode).getNlink());
        }

        private void giveBackOne() {
            List<Long> own = ground.directories();
            if (own.isEmpty()) return;
            shipAll();
            requireEqualViews();
            long directory = dice.oneOf(own);
            giveBack(directory);
            // Somebody else does something there.
            for (int i = 0; i < 3; i++) {
                MutateRequest request = commandIn(directory, directory);
                giveBackWhatIsChangedBy(request);
                Decision decision =
                        decided(request, Credentials.getDefaultInstance(), nextInode++, ++clock);
                if (decision instanceof Decision.Accepted) apply(decision);
            }
        }

        private void giveBackWhatIsChangedBy(MutateRequest request) {
            Places.changedBy(request, leader).stream()
                    .filter(delegated::contains)
                    .forEach(this::giveBack);
        }

        private void giveBack(long directory) {
            ground.giveBack(directory);
            delegated.remove(directory);
            assertThat(ground.isOwn(directory)).isFalse();
        }

        private void shipSome() {
            for (int left = dice.below(10); left > 0 && !queue.isEmpty(); left--) shipOne();
        }

        void shipAll() {
            while (!queue.isEmpty()) shipOne();
        }

        void hearAll() {
            answers.forEach(Runnable::run);
            answers.clear();
        }

        private void shipOne() {
            Told told = queue.remove();
            ShippedCommand command = told.command();
            MutateRequest request = command.getRequest();
            for (long inode : Namespace.named(request)) {
                assertThat(delegated).contains(leader.homeOf(inode));
            }
            Decision decision =
                    decided(
                            request,
                            acting(request.getCredentials()),
                            command.getInode(),
                            command.getTime());
            assertThat(decision).as(request.toString()).isInstanceOf(Decision.Accepted.class);
            MutateReply reply = apply(decision);
            assertThat(ShippedAnswers.digest(request, reply))
                    .as("%s: %s", request, reply)
                    .isEqualTo(command.getDigest());
            requireShown(told.shown(), reply.getAttributes());
            if (request.getMkdir().getDelegate()) {
                delegated.add(((Decision.Accepted) decision).inode());
            }
        }

        /**
         * A file is shown as the leader shows it, or as one that the leader has to be asked for.
         */
        private void requireShown(Attributes shown, Attributes byLeader) {
            if (shown.getType() == FileType.DIRECTORY) return;
            if (shown.getWriting()) {
                shownAsWritten++;
            } else {
                assertThat(shown).isEqualTo(byLeader);
            }
        }

        // ---- the leader

        private Decision decided(MutateRequest request, Credentials who, long inode, long time) {
            return leader.decide(
                    request,
                    who,
                    new Context() {
                        @Override
                        public long now() {
                            return time;
                        }

                        @Override
                        public long nextInode() {
                            assertThat(leader.exists(inode)).isFalse();
                            return inode;
                        }

                        @Override
                        public boolean isOpen(long open) {
                            return false;
                        }

                        @Override
                        public boolean mayWrite(long session, long handle, long file) {
                            return handle != 0;
                        }

                        @Override
                        public boolean isWriting(long session, long file) {
                            return false;
                        }
                    });
        }

        private MutateReply apply(Decision decision) {
            Decision.Accepted accepted = (Decision.Accepted) decision;
            Attributes.Builder going = accepted.going(leader);
            for (Change change : accepted.changes()) {
                leader.apply(change);
                if (change.hasInodeGone()) delegated.remove(change.getInodeGone());
            }
            return accepted.reply(leader, going).build();
        }

        /** All that the session has told is shipped: the two say the same of its directories. */
        void requireEqualViews() {
            assertThat(new HashSet<>(ground.directories())).isEqualTo(delegated);
            for (long directory : delegated) {
                assertThat(entries(ground.known(), directory))
                        .isEqualTo(entries(leader, directory));
                requireEqualAttributes(directory);
                entries(leader, directory).values().stream()
                        .filter(file -> ground.covers(file) && !ground.isAtLeader(file))
                        .forEach(this::requireEqualAttributes);
            }
        }

        private void requireEqualAttributes(long inode) {
            assertThat(xattrs(ground.known(), inode)).isEqualTo(xattrs(leader, inode));
            assertThat(ground.known().attributes(inode).build())
                    .isEqualTo(leader.attributes(inode).build());
        }

        private static List<Change> xattrs(Namespace namespace, long inode) {
            List<Change> all = new ArrayList<>();
            namespace.exportInode(inode, all::add);
            return all.stream().filter(Change::hasXattr).toList();
        }

        private static TreeMap<String, Long> entries(Namespace namespace, long directory) {
            TreeMap<String, Long> entries = new TreeMap<>();
            namespace.exportEntries(
                    directory,
                    entry ->
                            entries.put(
                                    entry.getDirent().getName().toStringUtf8(),
                                    entry.getDirent().getInode()));
            return entries;
        }

        // ---- commands

        private MutateRequest.Builder command() {
            return MutateRequest.newBuilder().setSession(7).setSequence(++sequence);
        }

        private MutateRequest birthAtTheTop() {
            return command()
                    .setMkdir(
                            MakeDirectory.newBuilder()
                                    .setParent(1)
                                    .setName(name())
                                    .setMode(dice.oneOf(0777, 0777, 02777, 01777, 0755))
                                    .setUmask(dice.oneOf(0, 022)))
                    .build();
        }

        private MutateRequest anyCommand() {
            List<Long> own = new ArrayList<>(ground.directories());
            List<Long> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) all.addAll(own);
            for (long number : leader.inodeNumbers()) {
                if (leader.isDirectory(number)) all.add(number);
            }
            return commandIn(dice.oneOf(all), dice.oneOf(all));
        }

        private MutateRequest commandIn(long directory, long other) {
            List<Supplier<MutateRequest.Builder>> kinds =
                    List.of(
                            () -> command().setCreate(create(directory)),
                            () -> command().setCreate(create(directory)),
                            () -> command().setCreate(create(directory)),
                            () -> command().setMkdir(mkdir(directory)),
                            () -> command().setMkdir(mkdir(directory)),
                            () -> command().setUnlink(remove(directory)),
                            () -> command().setRmdir(remove(directory)),
                            () -> command().setRename(rename(directory, directory)),
                            () -> command().setRename(rename(directory, other)),
                            () -> command().setSetAttributes(attributes(directory)),
                            () -> command().setSetAttributes(attributes(someFile(directory))),
                            () -> command().setSetAttributes(attributes(someFile(directory))),
                            () -> command().setCommit(commit(someFile(directory))),
                            () -> command().setCommit(commit(someFile(directory))),
                            () -> command().setSetXattr(xattr(someFile(directory))),
                            () -> command().setRemoveXattr(noXattr(someFile(directory))),
                            () ->
                                    command()
                                            .setSymlink(
                                                    MakeSymlink.newBuilder()
                                                            .setParent(directory)
                                                            .setName(name())
                                                            .setTarget(
                                                                    ByteString.copyFromUtf8("t"))),
                            () ->
                                    command()
                                            .setLink(
                                                    MakeLink.newBuilder()
                                                            .setParent(directory)
                                                            .setName(name())
                                                            .setInode(someFile(directory))),
                            () ->
                                    command()
                                            .setMknod(
                                                    MakeNode.newBuilder()
                                                            .setParent(directory)
                                                            .setName(name())
                                                            .setType(FileType.FIFO)
                                                            .setMode(0600)),
                            () ->
                                    command()
                                            .setLink(
                                                    MakeLink.newBuilder()
                                                            .setParent(other)
                                                            .setName(name())
                                                            .setInode(someFile(directory))),
                            () -> command().setSetXattr(xattr(directory)));
            // The last two may end a delegation.
            int kind =
                    dice.once(40) ? kinds.size() - 1 - dice.below(2) : dice.below(kinds.size() - 2);
            return kinds.get(kind).get().build();
        }

        private CreateFile.Builder create(long directory) {
            return CreateFile.newBuilder()
                    .setParent(directory)
                    .setName(name())
                    .setMode(dice.oneOf(0644, 0644, 06755))
                    .setUmask(dice.oneOf(0, 022))
                    .setExclusive(dice.once(2));
        }

        private MakeDirectory.Builder mkdir(long directory) {
            return MakeDirectory.newBuilder()
                    .setParent(directory)
                    .setName(name())
                    .setMode(dice.oneOf(0777, 0777, 0700));
        }

        private Remove.Builder remove(long directory) {
            return Remove.newBuilder().setParent(directory).setName(name());
        }

        private Rename.Builder rename(long from, long to) {
            return Rename.newBuilder()
                    .setParent(from)
                    .setName(name())
                    .setToParent(to)
                    .setToName(name())
                    .setNoReplace(dice.once(4))
                    .setExchange(dice.once(30));
        }

        private SetAttributes.Builder attributes(long inode) {
            SetAttributes.Builder set = SetAttributes.newBuilder().setInode(inode);
            if (!leader.isDirectory(inode)) set.setHandle(dice.oneOf(0, 5));
            return switch (dice.below(5)) {
                case 0 -> set.setMode(dice.oneOf(0777, 0755, 02777));
                case 1 -> set.setMtime(dice.below(5000));
                case 2 ->
                        set.setUid(dice.oneOf(0, 1000, 1001))
                                .setClearSuidSgid(dice.once(2))
                                .setClearCapability(dice.once(2));
                case 3 -> set.setGid(dice.oneOf(0, 1000));
                default -> set.setMtimeNow(true).setAtimeNow(true);
            };
        }

        private CommitContent.Builder commit(long inode) {
            return CommitContent.newBuilder()
                    .setInode(inode)
                    .setHandle(5)
                    .setSize(dice.below(9000))
                    .setMtime(dice.once(3) ? 0 : clock - dice.below(3000));
        }

        private SetXattr.Builder xattr(long inode) {
            String name = dice.oneOf("user.a", "user.b", "security.s", ACL, ACL);
            return SetXattr.newBuilder()
                    .setInode(inode)
                    .setName(ByteString.copyFromUtf8(name))
                    .setValue(name.equals(ACL) ? acl() : ByteString.copyFromUtf8("v"))
                    .setCreate(dice.once(3));
        }

        /** For owner, group and others; sometimes for another user, too, with a mask. */
        private ByteString acl() {
            String mode = dice.oneOf("7 5 5", "6 4 0");
            boolean extended = dice.once(2);
            String[] bits = mode.split(" ");
            ByteBuffer acl = ByteBuffer.allocate(extended ? 44 : 28).order(ByteOrder.LITTLE_ENDIAN);
            acl.putInt(2); // version
            entry(acl, 0x01, bits[0], -1);
            if (extended) entry(acl, 0x02, "6", 1001);
            entry(acl, 0x04, bits[1], -1);
            if (extended) entry(acl, 0x10, "6", -1);
            entry(acl, 0x20, bits[2], -1);
            return ByteString.copyFrom(acl.flip());
        }

        private static void entry(ByteBuffer acl, int tag, String bits, int who) {
            acl.putShort((short) tag).putShort(Short.parseShort(bits)).putInt(who);
        }

        private RemoveXattr.Builder noXattr(long inode) {
            return RemoveXattr.newBuilder()
                    .setInode(inode)
                    .setName(ByteString.copyFromUtf8(dice.oneOf("user.a", "user.b", ACL)));
        }

        private long someFile(long directory) {
            List<Long> files = new ArrayList<>(entries(leader, directory).values());
            return files.isEmpty() ? directory : dice.oneOf(files);
        }

        private ByteString name() {
            return ByteString.copyFromUtf8("n" + dice.below(9));
        }
    }
}

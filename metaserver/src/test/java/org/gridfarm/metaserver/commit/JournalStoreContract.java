package org.gridfarm.metaserver.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.wire.AccountImage;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.DirentKey;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.NodeImage;
import org.gridfarm.protocol.wire.Outcome;
import org.gridfarm.protocol.wire.QuotaImage;
import org.gridfarm.protocol.wire.ReplicaImage;
import org.gridfarm.protocol.wire.ReplicaState;
import org.gridfarm.protocol.wire.SettingImage;
import org.gridfarm.protocol.wire.WritingChain;
import org.gridfarm.protocol.wire.WritingImage;
import org.gridfarm.protocol.wire.XattrImage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** What every store promises; run for each body. */
public abstract class JournalStoreContract {
    @SuppressWarnings("NullAway.Init") // set before each test
    private JournalStore store;

    protected abstract JournalStore open();

    @BeforeEach
    void openStore() {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    static final class Collected implements StateSink {
        final List<Change> changes = new ArrayList<>();
        final List<Outcome> outcomes = new ArrayList<>();
        final List<ChangeBatch> batches = new ArrayList<>();

        @Override
        public void change(Change change) {
            changes.add(change);
        }

        @Override
        public void outcome(Outcome outcome) {
            outcomes.add(outcome);
        }

        @Override
        public void batch(ChangeBatch batch) {
            batches.add(batch);
        }
    }

    static InodeImage file(long inode, long size) {
        return InodeImage.newBuilder()
                .setInode(inode)
                .setType(FileType.REGULAR)
                .setMode(0644)
                .setUid(-2) // 4294967294, nobody on some systems
                .setGid(100)
                .setNlink(1)
                .setSize(size)
                .setMtime(1_700_000_000_123_456_789L)
                .setGeneration(1)
                .setVersion(7)
                .setReplicas(2)
                .setGroups("siteA:2")
                .setStripeCount(1)
                .setDigest(ByteString.copyFromUtf8("d"))
                .build();
    }

    static Change inode(InodeImage image) {
        return Change.newBuilder().setInode(image).build();
    }

    static Change entry(String name, long inode) {
        return Change.newBuilder()
                .setDirent(
                        DirentImage.newBuilder()
                                .setParent(1)
                                .setName(ByteString.copyFromUtf8(name))
                                .setInode(inode)
                                .setType(FileType.REGULAR)
                                .setCookie(inode))
                .build();
    }

    static ChangeBatch batch(long epoch, long sequence, Change... changes) {
        return ChangeBatch.newBuilder()
                .setEpoch(epoch)
                .setSequence(sequence)
                .addAllChanges(List.of(changes))
                .build();
    }

    private Collected load() {
        Collected state = new Collected();
        store.load(state);
        return state;
    }

    private void fold(long epoch, ChangeBatch... batches) {
        Fold fold = new Fold();
        for (ChangeBatch batch : batches) fold.add(batch);
        assertThat(store.fold(fold, epoch)).isTrue();
    }

    @Test
    void aNewStoreHoldsTheRootAndNothingElse() {
        Collected state = load();
        assertThat(state.changes).hasSize(1);
        InodeImage root = state.changes.getFirst().getInode();
        assertThat(root.getInode()).isEqualTo(1);
        assertThat(root.getType()).isEqualTo(FileType.DIRECTORY);
        assertThat(root.getMode()).isEqualTo(0755);
        assertThat(state.batches).isEmpty();
    }

    /** Beside a full state there is room for few large rows at a time. */
    @Test
    void largeRowsComeInTheirPlaceAmongSmallOnes() {
        long epoch = store.claim("a").epoch();
        List<ChangeBatch> all = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            byte[] value = new byte[i % 2 == 0 ? 1 << 20 : 10];
            value[0] = (byte) i;
            XattrImage image =
                    XattrImage.newBuilder()
                            .setInode(1)
                            .setName(ByteString.copyFromUtf8("user.a" + i))
                            .setValue(ByteString.copyFrom(value))
                            .build();
            ChangeBatch batch = batch(epoch, i, Change.newBuilder().setXattr(image).build());
            assertThat(store.append(batch)).isTrue();
            all.add(batch);
        }
        assertThat(load().batches).isEqualTo(all);
        List<ChangeBatch> tail = new ArrayList<>();
        assertThat(store.tail(2, tail::add)).isTrue();
        assertThat(tail).isEqualTo(all.subList(2, 5));
    }

    @Test
    void whatWasAppendedIsReadBackInOrder() {
        long epoch = store.claim("a").epoch();
        ChangeBatch one = batch(epoch, 1, inode(file(2, 1)), entry("x", 2));
        ChangeBatch two = batch(epoch, 2, inode(file(2, 5)));
        assertThat(store.append(one)).isTrue();
        assertThat(store.append(two)).isTrue();
        assertThat(load().batches).containsExactly(one, two);
        assertThat(store.epochOf(2)).isEqualTo(epoch);
        assertThat(store.epochOf(3)).isEqualTo(-1);
    }

    @Test
    void anEarlierLeaderCanNeitherAppendNorFold() {
        long old = store.claim("old").epoch();
        assertThat(store.append(batch(old, 1, inode(file(2, 1))))).isTrue();
        long now = store.claim("new").epoch();
        assertThat(now).isGreaterThan(old);
        assertThat(store.append(batch(old, 2, inode(file(3, 1))))).isFalse();
        Fold fold = new Fold();
        fold.add(batch(old, 1, inode(file(2, 1))));
        assertThat(store.fold(fold, old)).isFalse();
        assertThat(store.append(batch(now, 2, inode(file(4, 1))))).isTrue();
        assertThat(load().batches).extracting(ChangeBatch::getEpoch).containsExactly(old, now);
    }

    @Test
    void whatAnEarlierLeaderLeftUnfoldedIsInTheTablesWithTheNextFold() {
        long old = store.claim("old").epoch();
        store.append(batch(old, 1, inode(file(2, 1)), entry("x", 2)));
        store.append(batch(old, 2, inode(file(2, 5)), inode(file(3, 7))));
        long now = store.claim("new").epoch();
        ChangeBatch next = batch(now, 3, inode(file(4, 1)));
        store.append(next);
        fold(now, next);
        Collected state = load();
        assertThat(state.batches).isEmpty();
        assertThat(state.changes)
                .contains(inode(file(2, 5)), inode(file(3, 7)), inode(file(4, 1)), entry("x", 2));
        assertThat(store.appliedSequence()).isEqualTo(3);
    }

    @Test
    void aFoldWhoseOutcomeWasNotKnownMayBeWrittenAgain() {
        long epoch = store.claim("a").epoch();
        ChangeBatch one = batch(epoch, 1, inode(file(2, 1)));
        ChangeBatch two = batch(epoch, 2, inode(file(2, 5)));
        store.append(one);
        store.append(two);
        fold(epoch, one, two);
        fold(epoch, one);
        assertThat(store.appliedSequence()).isEqualTo(2);
        assertThat(load().changes).contains(inode(file(2, 5)));
    }

    @Test
    void theSameSequenceIsNotWrittenTwice() {
        long epoch = store.claim("a").epoch();
        store.append(batch(epoch, 1, inode(file(2, 1))));
        assertThatThrownBy(() -> store.append(batch(epoch, 1, inode(file(3, 1)))))
                .isInstanceOf(StoreException.class);
        assertThat(load().batches).hasSize(1);
        assertThat(store.append(batch(epoch, 2, inode(file(3, 1))))).isTrue();
    }

    @Test
    void foldedRowsAreInTheTablesAndNoLongerInTheJournal() {
        long epoch = store.claim("a").epoch();
        List<Change> all =
                List.of(
                        inode(file(2, 10)),
                        entry("x", 2),
                        Change.newBuilder()
                                .setXattr(
                                        XattrImage.newBuilder()
                                                .setInode(2)
                                                .setName(ByteString.copyFromUtf8("user.a"))
                                                .setValue(ByteString.copyFrom(new byte[] {0, -1})))
                                .build(),
                        Change.newBuilder()
                                .setReplica(
                                        ReplicaImage.newBuilder()
                                                .setInode(2)
                                                .setGeneration(1)
                                                .setNode("n1")
                                                .setState(ReplicaState.VALID))
                                .build(),
                        Change.newBuilder()
                                .setNode(
                                        NodeImage.newBuilder()
                                                .setName("n1")
                                                .setAddress("h:1")
                                                .setAdminState("up"))
                                .build(),
                        Change.newBuilder()
                                .setSetting(
                                        SettingImage.newBuilder()
                                                .setKey("k")
                                                .setValue(ByteString.copyFromUtf8("v")))
                                .build(),
                        Change.newBuilder()
                                .setQuota(
                                        QuotaImage.newBuilder()
                                                .setKind("user")
                                                .setId(5)
                                                .setBytesHard(9))
                                .build(),
                        Change.newBuilder()
                                .setAccount(
                                        AccountImage.newBuilder()
                                                .setKind("group")
                                                .setId(7)
                                                .setName("g")
                                                .addMembers("alice"))
                                .build(),
                        Change.newBuilder().setOrphan(2).build(),
                        Change.newBuilder()
                                .setWriting(
                                        WritingImage.newBuilder()
                                                .setInode(2)
                                                .setGeneration(1)
                                                .addChains(WritingChain.newBuilder().addNodes("n1"))
                                                .addWriters(77))
                                .build());
        ChangeBatch batch = batch(epoch, 1, all.toArray(Change[]::new));
        store.append(batch);
        fold(epoch, batch);
        Collected state = load();
        assertThat(state.batches).isEmpty();
        assertThat(state.changes).containsAll(all);
        assertThat(state.changes).hasSize(all.size() + 1);
        assertThat(store.appliedSequence()).isEqualTo(1);
        assertThat(store.load(new Collected())).isEqualTo(new JournalStore.Loaded(1, 3));
    }

    @Test
    void aFoldKeepsTheLastImageOfEachRow() {
        long epoch = store.claim("a").epoch();
        ChangeBatch one = batch(epoch, 1, inode(file(2, 1)), entry("x", 2), entry("y", 2));
        ChangeBatch two =
                batch(
                        epoch,
                        2,
                        inode(file(2, 2)),
                        inode(file(3, 3)),
                        entry("z", 3),
                        Change.newBuilder()
                                .setDirentGone(
                                        DirentKey.newBuilder()
                                                .setParent(1)
                                                .setName(ByteString.copyFromUtf8("x")))
                                .build());
        ChangeBatch three = batch(epoch, 3, Change.newBuilder().setInodeGone(3).build());
        store.append(one);
        store.append(two);
        store.append(three);
        fold(epoch, one);
        fold(epoch, two, three);
        Collected state = load();
        assertThat(state.changes)
                .contains(inode(file(2, 2)), entry("y", 2), entry("z", 3))
                .doesNotContain(entry("x", 2), inode(file(3, 3)));
        assertThat(store.load(new Collected()).nextInode()).isEqualTo(4);
    }

    @Test
    void outcomesStayUntilTheirClientHasTheAnswer() {
        long epoch = store.claim("a").epoch();
        ChangeBatch one =
                ChangeBatch.newBuilder()
                        .setEpoch(epoch)
                        .setSequence(1)
                        .addOutcomes(Outcome.newBuilder().setSession(-5).setSequence(1))
                        .addOutcomes(
                                Outcome.newBuilder()
                                        .setSession(-5)
                                        .setSequence(2)
                                        .setReply(ByteString.copyFromUtf8("r")))
                        .build();
        store.append(one);
        fold(epoch, one);
        assertThat(load().outcomes).hasSize(2);
        ChangeBatch two =
                ChangeBatch.newBuilder()
                        .setEpoch(epoch)
                        .setSequence(2)
                        .addOutcomes(
                                Outcome.newBuilder().setSession(-5).setSequence(3).setSettled(1))
                        .build();
        store.append(two);
        fold(epoch, two);
        assertThat(load().outcomes)
                .extracting(Outcome::getSequence)
                .containsExactlyInAnyOrder(2L, 3L);
        ChangeBatch three = batch(epoch, 3, Change.newBuilder().setSessionGone(-5).build());
        store.append(three);
        fold(epoch, three);
        assertThat(load().outcomes).isEmpty();
    }

    @Test
    void theTailIsGivenOnlyWhileItIsWhole() {
        long epoch = store.claim("a").epoch();
        ChangeBatch one = batch(epoch, 1, inode(file(2, 1)));
        ChangeBatch two = batch(epoch, 2, inode(file(2, 2)));
        store.append(one);
        store.append(two);
        List<ChangeBatch> tail = new ArrayList<>();
        assertThat(store.tail(1, tail::add)).isTrue();
        assertThat(tail).containsExactly(two);
        fold(epoch, one, two);
        assertThat(store.tail(1, tail::add)).isFalse();
        assertThat(store.tail(2, tail::add)).isTrue();
        assertThat(tail).containsExactly(two);
    }

    @Test
    void theSameFoldTwiceGivesTheSameTables() {
        long epoch = store.claim("a").epoch();
        ChangeBatch one =
                batch(epoch, 1, inode(file(2, 1)), entry("x", 2), inode(file(3, 1)), entry("y", 3));
        store.append(one);
        fold(epoch, one);
        List<Change> once = load().changes;
        fold(epoch, one);
        assertThat(load().changes).containsExactlyInAnyOrderElementsOf(once);
    }
}

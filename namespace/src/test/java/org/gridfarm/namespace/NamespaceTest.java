package org.gridfarm.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.ObjectCommit;
import org.gridfarm.protocol.wire.OpenRequest;
import org.gridfarm.protocol.wire.SetAttributes;
import org.gridfarm.protocol.wire.SetPolicy;
import org.gridfarm.protocol.wire.SetXattr;
import org.gridfarm.protocol.wire.XattrImage;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class NamespaceTest {
    private static final long ROOT = Namespace.ROOT;
    private static final Visited NOBODY =
            new Visited() {
                @Override
                public void entry(long directory, ByteString name) {}

                @Override
                public void inode(long inode) {}
            };

    private final Farm farm = new Farm();

    private Resolved resolve(String path) {
        return farm.state.resolve(ROOT, Farm.name(path), true, farm.who, NOBODY);
    }

    private String xattr(long inode, String name) {
        return farm.state.getXattr(inode, Farm.name(name), farm.who).toStringUtf8();
    }

    @Test
    void anOpenFileOutlivesItsLastName() {
        long file = farm.create(ROOT, "f", 0644);
        farm.open.add(file);
        farm.unlink(ROOT, "f");
        assertThat(farm.stat(file).getNlink()).isZero();
        assertThat(farm.state.orphans()).containsExactly(file);
        assertThat(farm.refusal(() -> farm.link(file, ROOT, "again")))
                .isEqualTo(ErrorKind.NOT_FOUND);
        assertThat(farm.state.inconsistencies(5)).isEmpty();
    }

    @Test
    void aFileReplacedByARenameWhileOpenStays() {
        long old = farm.create(ROOT, "old", 0644);
        long fresh = farm.create(ROOT, "new", 0644);
        farm.open.add(old);
        farm.rename(ROOT, "new", ROOT, "old");
        assertThat(farm.state.peek(ROOT, Farm.name("old"))).isEqualTo(fresh);
        assertThat(farm.state.isOrphan(old)).isTrue();
    }

    @Test
    void aTemporaryFileCanBeGivenAName() {
        long file = farm.temporary(ROOT);
        assertThat(farm.state.isOrphan(file)).isTrue();
        farm.link(file, ROOT, "named");
        assertThat(farm.state.isOrphan(file)).isFalse();
        assertThat(farm.stat(file).getNlink()).isEqualTo(1);
        assertThat(farm.state.inconsistencies(5)).isEmpty();
    }

    @Test
    void createWithoutExclusiveOpensWhatIsThereIfItMayBeOpened() {
        long file = farm.create(ROOT, "f", 0600);
        CreateFile.Builder create =
                CreateFile.newBuilder()
                        .setParent(ROOT)
                        .setName(Farm.name("f"))
                        .setOpen(OpenRequest.newBuilder().setRead(true));
        Decision.Accepted found = farm.run(Farm.request().setCreate(create));
        assertThat(found.inode()).isEqualTo(file);
        assertThat(found.created()).isFalse();
        assertThat(found.changes()).isEmpty();
        farm.as(Farm.ALICE);
        assertThat(farm.refusal(() -> farm.run(Farm.request().setCreate(create))))
                .isEqualTo(ErrorKind.ACCESS_DENIED);
        farm.as(Farm.ROOT).mkdir(ROOT, "d", 0755);
        create.setName(Farm.name("d")).getOpenBuilder().setWrite(true);
        assertThat(farm.refusal(() -> farm.run(Farm.request().setCreate(create))))
                .isEqualTo(ErrorKind.IS_A_DIRECTORY);
    }

    @Test
    void devicesAreForTheSuperuserAndPipesForEverybody() {
        farm.chmod(ROOT, 0777);
        long device = farm.mknod(ROOT, "null", FileType.CHARACTER_DEVICE, 0666);
        assertThat(farm.stat(device).getRdev()).isEqualTo(0x0501);
        farm.as(Farm.ALICE);
        assertThat(farm.refusal(() -> farm.mknod(ROOT, "b", FileType.BLOCK_DEVICE, 0666)))
                .isEqualTo(ErrorKind.NOT_PERMITTED);
        assertThat(farm.stat(farm.mknod(ROOT, "p", FileType.FIFO, 0666)).getMode()).isEqualTo(0644);
        farm.mknod(ROOT, "s", FileType.SOCKET, 0666);
    }

    @Test
    void namesAreBytesUpTo255() {
        byte[] raw = {(byte) 0xff, 'x', (byte) 0x80};
        farm.run(
                Farm.request()
                        .setCreate(
                                CreateFile.newBuilder()
                                        .setParent(ROOT)
                                        .setName(ByteString.copyFrom(raw))
                                        .setMode(0644)));
        assertThat(
                        farm.state
                                .list(ROOT, 0, 10, false, Farm.ROOT)
                                .getEntries(0)
                                .getName()
                                .toByteArray())
                .isEqualTo(raw);
        farm.create(ROOT, "n".repeat(255), 0644);
        assertThat(farm.refusal(() -> farm.create(ROOT, "n".repeat(256), 0644)))
                .isEqualTo(ErrorKind.NAME_TOO_LONG);
        assertThat(farm.refusal(() -> farm.create(ROOT, "a/b", 0644))).isEqualTo(ErrorKind.INVALID);
        assertThat(farm.refusal(() -> farm.mkdir(ROOT, ".", 0755)))
                .isEqualTo(ErrorKind.ALREADY_EXISTS);
        assertThat(farm.refusal(() -> farm.rmdir(ROOT, "."))).isEqualTo(ErrorKind.INVALID);
    }

    @Test
    void pathsFollowLinksAndTellTheLastName() {
        long a = farm.mkdir(ROOT, "a", 0755);
        long b = farm.mkdir(a, "b", 0755);
        long file = farm.create(b, "f", 0644);
        farm.symlink(ROOT, "rel", "a/b");
        farm.symlink(b, "up", "../../rel/f");
        farm.symlink(ROOT, "abs", "/a/b/up");
        farm.symlink(ROOT, "top", "/");
        farm.symlink(ROOT, "loop", "loop");
        farm.symlink(ROOT, "dangling", "a/none");
        assertThat(resolve("/rel/f")).isEqualTo(new Resolved(file, b, Farm.name("f")));
        assertThat(resolve("abs").inode()).isEqualTo(file);
        assertThat(resolve("a//./b/../b/f").inode()).isEqualTo(file);
        assertThat(resolve("top").inode()).isEqualTo(ROOT);
        assertThat(resolve("/").inode()).isEqualTo(ROOT);
        assertThat(resolve("../..").inode()).isEqualTo(ROOT);
        assertThat(resolve("rel/").inode()).isEqualTo(b);
        assertThat(resolve("dangling")).isEqualTo(new Resolved(0, a, Farm.name("none")));
        assertThat(resolve("a/b/none").isFound()).isFalse();
        assertThat(farm.state.resolve(ROOT, Farm.name("rel"), false, Farm.ROOT, NOBODY).parent())
                .isEqualTo(ROOT);
        assertThat(farm.refusal(() -> resolve("loop"))).isEqualTo(ErrorKind.LINK_LOOP);
        assertThat(farm.refusal(() -> resolve("a/none/f"))).isEqualTo(ErrorKind.NOT_FOUND);
        assertThat(farm.refusal(() -> resolve("a/b/f/g"))).isEqualTo(ErrorKind.NOT_A_DIRECTORY);
        assertThat(farm.refusal(() -> resolve("a/b/f/"))).isEqualTo(ErrorKind.NOT_A_DIRECTORY);
        farm.chmod(a, 0700);
        farm.as(Farm.ALICE);
        assertThat(farm.refusal(() -> resolve("/a/b"))).isEqualTo(ErrorKind.ACCESS_DENIED);
        assertThat(farm.state.path(file)).isEqualTo("/a/b/f");
    }

    @Test
    void lookingUpTellsWhatIsAbsentFromWhatIsForbidden() {
        long d = farm.mkdir(ROOT, "d", 0700);
        assertThat(farm.state.lookup(ROOT, Farm.name("none"), Farm.ALICE)).isNull();
        assertThat(farm.refusal(() -> farm.state.lookup(d, Farm.name("x"), Farm.ALICE)))
                .isEqualTo(ErrorKind.ACCESS_DENIED);
        assertThat(farm.refusal(() -> farm.state.lookup(999, Farm.name("x"), Farm.ALICE)))
                .isEqualTo(ErrorKind.NOT_FOUND);
        assertThat(farm.refusal(() -> farm.stat(999))).isEqualTo(ErrorKind.STALE);
    }

    @Test
    void userAttributesBelongToFilesAndDirectories() {
        long file = farm.create(ROOT, "f", 0644);
        farm.chown(file, 1000, 1000);
        farm.as(Farm.ALICE)
                .setXattr(file, "user.a", "one".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(xattr(file, "user.a")).isEqualTo("one");
        assertThat(farm.stat(file).getHasXattr()).isTrue();
        assertThat(farm.stat(file).getCtime()).isEqualTo(farm.clock);
        farm.as(Farm.BOB);
        assertThat(xattr(file, "user.a")).isEqualTo("one");
        assertThat(farm.refusal(() -> farm.setXattr(file, "user.b", new byte[1])))
                .isEqualTo(ErrorKind.ACCESS_DENIED);
        long link = farm.as(Farm.ROOT).symlink(ROOT, "l", "f");
        assertThat(farm.refusal(() -> farm.setXattr(link, "user.a", new byte[1])))
                .isEqualTo(ErrorKind.NOT_PERMITTED);
        assertThat(farm.refusal(() -> xattr(link, "user.a"))).isEqualTo(ErrorKind.NO_ATTRIBUTE);
        long sticky = farm.mkdir(ROOT, "tmp", 0);
        farm.chmod(sticky, 01777);
        farm.as(Farm.ALICE);
        assertThat(farm.refusal(() -> farm.setXattr(sticky, "user.a", new byte[1])))
                .isEqualTo(ErrorKind.NOT_PERMITTED);
    }

    @Test
    void trustedAttributesAreSeenByTheSuperuserAlone() {
        long file = farm.create(ROOT, "f", 0666);
        farm.setXattr(file, "trusted.t", new byte[1]);
        farm.setXattr(file, "security.s", new byte[1]);
        assertThat(farm.state.listXattr(file, Farm.ROOT)).hasSize(2);
        farm.as(Farm.ALICE);
        assertThat(farm.state.listXattr(file, Farm.ALICE)).containsExactly(Farm.name("security.s"));
        assertThat(farm.refusal(() -> xattr(file, "trusted.t"))).isEqualTo(ErrorKind.NO_ATTRIBUTE);
        assertThat(farm.refusal(() -> farm.setXattr(file, "trusted.t", new byte[1])))
                .isEqualTo(ErrorKind.NOT_PERMITTED);
        assertThat(farm.refusal(() -> farm.setXattr(file, "unknown.t", new byte[1])))
                .isEqualTo(ErrorKind.UNSUPPORTED);
    }

    @Test
    void createAndReplaceOfAttributesAndTheirLimits() {
        long file = farm.create(ROOT, "f", 0644);
        SetXattr.Builder set = SetXattr.newBuilder().setInode(file).setName(Farm.name("user.a"));
        assertThat(
                        farm.refusal(() ->
                                farm.run(Farm.request().setSetXattr(set.clone().setReplace(true)))))
                .isEqualTo(ErrorKind.NO_ATTRIBUTE);
        farm.run(Farm.request().setSetXattr(set.clone().setCreate(true)));
        assertThat(
                        farm.refusal(() ->
                                farm.run(Farm.request().setSetXattr(set.clone().setCreate(true)))))
                .isEqualTo(ErrorKind.ALREADY_EXISTS);
        farm.setXattr(file, "user.big", new byte[64 << 10]);
        assertThat(farm.refusal(() -> farm.setXattr(file, "user.big", new byte[(64 << 10) + 1])))
                .isEqualTo(ErrorKind.TOO_BIG);
        assertThat(farm.refusal(() -> farm.setXattr(file, "user." + "n".repeat(251), new byte[0])))
                .isEqualTo(ErrorKind.RANGE);
        farm.removeXattr(file, "user.a");
        assertThat(farm.refusal(() -> farm.removeXattr(file, "user.a")))
                .isEqualTo(ErrorKind.NO_ATTRIBUTE);
        assertThat(farm.state.listXattr(file, Farm.ROOT)).containsExactly(Farm.name("user.big"));
    }

    @Test
    void theAttributesOfAnInodeTogetherAreBounded() {
        long file = farm.create(ROOT, "f", 0644);
        farm.setXattr(file, "user.a", new byte[64 << 10]);
        farm.setXattr(file, "user.b", new byte[(64 << 10) - 100]);
        assertThat(farm.refusal(() -> farm.setXattr(file, "user.c", new byte[100])))
                .isEqualTo(ErrorKind.NO_SPACE);
        farm.setXattr(file, "user.c", new byte[80]);
        assertThat(farm.refusal(() -> farm.setXattr(file, "user.c", new byte[90])))
                .isEqualTo(ErrorKind.NO_SPACE);
        farm.setXattr(file, "user.a", new byte[0]);
        farm.setXattr(file, "user.c", new byte[(64 << 10) - 100]);
        farm.removeXattr(file, "user.b");
        farm.setXattr(file, "user.a", new byte[64 << 10]);
    }

    /** A farm of before there was a bound may have more: what is there can become less. */
    @Test
    void whatIsBeyondTheBoundAlreadyIsReplacedByLessAndRemoved() {
        long file = farm.create(ROOT, "f", 0644);
        for (String name : List.of("user.a", "user.b", "user.c")) {
            farm.state.apply(
                    Change.newBuilder()
                            .setXattr(
                                    XattrImage.newBuilder()
                                            .setInode(file)
                                            .setName(Farm.name(name))
                                            .setValue(ByteString.copyFrom(new byte[64 << 10])))
                            .build());
        }
        farm.setXattr(file, "user.a", new byte[60 << 10]);
        farm.removeXattr(file, "user.b");
        assertThat(farm.refusal(() -> farm.setXattr(file, "user.d", new byte[10 << 10])))
                .isEqualTo(ErrorKind.NO_SPACE);
    }

    @Test
    void aPolicyIsInheritedAtCreationAndReadAsAnAttribute() {
        long d = farm.mkdir(ROOT, "d", 0755);
        farm.setXattr(d, "gf.replicas", "3\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        long file = farm.create(farm.mkdir(d, "sub", 0755), "f", 0644);
        assertThat(farm.stat(file).getReplicasWanted()).isEqualTo(3);
        assertThat(xattr(file, "gf.replicas")).isEqualTo("3");
        assertThat(farm.stat(farm.create(ROOT, "g", 0644)).getReplicasWanted()).isEqualTo(1);
        farm.run(
                Farm.request()
                        .setSetPolicy(
                                SetPolicy.newBuilder()
                                        .setInode(file)
                                        .setGroups("siteA:2,siteB:2")));
        assertThat(farm.stat(file).getReplicasWanted()).isEqualTo(4);
        farm.run(
                Farm.request()
                        .setSetPolicy(SetPolicy.newBuilder().setInode(file).setInherit(true)));
        assertThat(farm.stat(file).getReplicasWanted()).isEqualTo(3);
        assertThat(
                        farm.refusal(() ->
                                farm.run(
                                        Farm.request()
                                                .setSetPolicy(
                                                        SetPolicy.newBuilder()
                                                                .setInode(file)
                                                                .setReplicas(0)))))
                .isEqualTo(ErrorKind.INVALID);
        assertThat(
                        farm.refusal(() ->
                                farm.run(
                                        Farm.request()
                                                .setSetPolicy(
                                                        SetPolicy.newBuilder()
                                                                .setInode(file)
                                                                .setGroups("x")))))
                .isEqualTo(ErrorKind.INVALID);
        farm.run(Farm.request().setSetPolicy(SetPolicy.newBuilder().setInode(d).setStripeCount(4)));
        assertThat(farm.state.image(farm.create(d, "striped", 0644)).getStripeUnit())
                .isEqualTo(64 << 20);
    }

    @Test
    void aCommitOfWhatWasWrittenBeforeTheModeWasSetLeavesTheMode() {
        long file = farm.create(ROOT, "f", 0);
        farm.open.add(file);
        long written = farm.state.image(file).getCtime() + 77;
        farm.clock = written + 1;
        farm.chmod(file, 06755);
        CommitContent.Builder commit =
                CommitContent.newBuilder()
                        .setInode(file)
                        .setHandle(file)
                        .setGeneration(1)
                        .setSize(5000)
                        .setMtime(written);
        farm.as(Farm.ALICE).run(Farm.request().setCommit(commit));
        assertThat(farm.state.image(file).getMode()).isEqualTo(06755);
        farm.run(Farm.request().setCommit(commit.setMtime(written + 1000)));
        assertThat(farm.state.image(file).getMode()).isEqualTo(0755);
    }

    @Test
    void aCommitSetsWhatIsKnownOfTheContent() {
        long file = farm.create(ROOT, "f", 0);
        farm.chmod(file, 06755);
        farm.open.add(file);
        long written = farm.state.image(file).getCtime() + 77;
        CommitContent.Builder commit =
                CommitContent.newBuilder()
                        .setInode(file)
                        .setHandle(file)
                        .setGeneration(1)
                        .setSize(5000)
                        .setMtime(written)
                        .setAllocated(4096)
                        .addObjects(
                                ObjectCommit.newBuilder()
                                        .setDigest(
                                                ByteString.copyFrom(new byte[] {-1, 0, 1, 127})));
        farm.as(Farm.ALICE).run(Farm.request().setCommit(commit));
        InodeImage image = farm.state.image(file);
        assertThat(image.getSize()).isEqualTo(5000);
        assertThat(image.getMtime()).isEqualTo(written);
        assertThat(image.getCtime()).isEqualTo(written);
        assertThat(image.getAllocated()).isEqualTo(4096);
        assertThat(image.getDigest().toByteArray()).containsExactly(-1, 0, 1, 127);
        assertThat(image.getMode()).isEqualTo(0755);
        farm.run(Farm.request().setCommit(commit.setMtime(0).setAllocated(0)));
        assertThat(farm.state.image(file).getCtime()).isEqualTo(written);
        assertThat(farm.state.image(file).hasAllocated()).isTrue();
        farm.run(Farm.request().setCommit(commit.setAllocated(8192)));
        assertThat(farm.state.image(file).hasAllocated()).isFalse(); // as the size tells
        commit.setGeneration(2);
        assertThat(farm.refusal(() -> farm.run(Farm.request().setCommit(commit))))
                .isEqualTo(ErrorKind.WRONG_GENERATION);
        commit.setHandle(9);
        assertThat(farm.refusal(() -> farm.run(Farm.request().setCommit(commit))))
                .isEqualTo(ErrorKind.BAD_HANDLE);
    }

    @Test
    void timesAreSetByTheOwnerAndNowByWhoeverMayWrite() {
        long file = farm.create(ROOT, "f", 0);
        farm.chmod(file, 0666);
        farm.as(Farm.ALICE);
        SetAttributes.Builder at = SetAttributes.newBuilder().setInode(file).setMtime(-5);
        assertThat(farm.refusal(() -> farm.set(at))).isEqualTo(ErrorKind.NOT_PERMITTED);
        SetAttributes.Builder half = SetAttributes.newBuilder().setInode(file).setMtimeNow(true);
        assertThat(farm.refusal(() -> farm.set(half))).isEqualTo(ErrorKind.NOT_PERMITTED);
        farm.set(half.setAtimeNow(true));
        farm.as(Farm.ROOT).set(at);
        assertThat(farm.stat(file).getMtime()).isEqualTo(-5);
        farm.chmod(file, 0600);
        farm.as(Farm.ALICE);
        assertThat(farm.refusal(() -> farm.set(half))).isEqualTo(ErrorKind.ACCESS_DENIED);
        farm.open.add(file);
        farm.set(SetAttributes.newBuilder().setInode(file).setSize(3).setHandle(file));
        assertThat(farm.stat(file).getSize()).isEqualTo(3);
    }

    @Test
    void refusedCommandsChangeNothing() {
        farm.mkdir(ROOT, "d", 0755);
        long before = farm.state.digest();
        assertThat(farm.refusal(() -> farm.mkdir(ROOT, "d", 0755)))
                .isEqualTo(ErrorKind.ALREADY_EXISTS);
        assertThat(farm.refusal(() -> farm.unlink(ROOT, "d"))).isEqualTo(ErrorKind.IS_A_DIRECTORY);
        assertThat(
                        farm.refusal(() ->
                                farm.rename(ROOT, "d", farm.state.peek(ROOT, Farm.name("d")), "x")))
                .isEqualTo(ErrorKind.INVALID);
        assertThat(farm.state.digest()).isEqualTo(before);
    }

    @Test
    void accessTimesFollowRelatime() {
        long file = farm.create(ROOT, "f", 0644);
        long now = farm.clock + 10;
        long before = farm.stat(file).getAtime();
        farm.state.apply(java.util.Objects.requireNonNull(farm.state.accessed(file, before, now)));
        assertThat(farm.stat(file).getAtime()).isEqualTo(now);
        assertThat(farm.state.accessed(file, now, now + 1)).isNull();
        assertThat(farm.state.accessed(file, now, now + 86_400_000_000_000L)).isNotNull();
        assertThat(farm.state.accessed(file, before, now + 86_400_000_000_000L))
                .as("told of after it was set")
                .isNull();
    }

    @Test
    void rowsMayBeLoadedInAnyOrder() {
        long d = farm.mkdir(ROOT, "d", 0755);
        farm.setXattr(farm.create(d, "f", 0644), "user.a", new byte[3]);
        farm.symlink(d, "l", "f");
        List<Change> rows = new ArrayList<>();
        for (long inode : farm.state.inodeNumbers()) {
            farm.state.exportInode(inode, rows::add);
            farm.state.exportEntries(inode, rows::add);
        }
        for (int seed = 0; seed < 20; seed++) {
            java.util.Collections.shuffle(rows, new java.util.Random(seed));
            Namespace loaded = new Namespace();
            rows.forEach(loaded::apply);
            assertThat(loaded.digest()).isEqualTo(farm.state.digest());
            assertThat(loaded.inconsistencies(5)).isEmpty();
        }
    }

    /** To know whether the file keeps a name in a directory, nobody walks the directory. */
    @Test
    void ofAFileWithManyNamesItIsKnownHowManyAreWhere() {
        long file = farm.create(ROOT, "f", 0644);
        List<Long> directories = new ArrayList<>();
        for (int d = 0; d < 100; d++) {
            directories.add(farm.mkdir(ROOT, "d" + d, 0755));
            for (int i = 0; i < 5; i++) farm.link(file, directories.get(d), "l" + i);
        }
        Inode inode = farm.state.require(file, "test");
        for (long directory : directories) assertThat(inode.namesIn(directory)).isEqualTo(5);
        for (int i = 0; i < 5; i++) {
            for (long directory : directories) {
                farm.unlink(directory, "l" + i);
                assertThat(inode.namesIn(directory)).isEqualTo(4 - i);
            }
        }
        assertThat(farm.stat(file).getNlink()).isEqualTo(1);
        farm.link(file, directories.getFirst(), "again");
        assertThat(inode.namesIn(ROOT)).isEqualTo(1);
        assertThat(farm.state.parent(file)).isEqualTo(directories.getFirst());
        farm.unlink(directories.getFirst(), "again");
        assertThat(farm.state.parent(file)).as("it was the only one there").isZero();
    }

    @Test
    void theCheckFindsWhatIsWrong() {
        long file = farm.create(ROOT, "f", 0644);
        farm.state.apply(
                Change.newBuilder()
                        .setInode(farm.state.image(file).toBuilder().setNlink(2))
                        .build());
        farm.state.apply(
                Change.newBuilder()
                        .setDirent(
                                DirentImage.newBuilder()
                                        .setParent(ROOT)
                                        .setName(Farm.name("lost"))
                                        .setInode(999)
                                        .setCookie(9))
                        .build());
        assertThat(farm.state.inconsistencies(10)).hasSize(2);
        assertThat(farm.state.lookup(ROOT, Farm.name("lost"), Farm.ROOT)).isNull();
    }
}

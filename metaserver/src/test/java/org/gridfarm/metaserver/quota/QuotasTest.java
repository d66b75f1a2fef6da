package org.gridfarm.metaserver.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import org.gridfarm.campaign.property.Dice;
import org.gridfarm.campaign.property.Property;
import org.gridfarm.namespace.Context;
import org.gridfarm.namespace.Decision;
import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.CreateFile;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.MakeDirectory;
import org.gridfarm.protocol.wire.MakeLink;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.QuotaImage;
import org.gridfarm.protocol.wire.Remove;
import org.gridfarm.protocol.wire.RemoveXattr;
import org.gridfarm.protocol.wire.Rename;
import org.gridfarm.protocol.wire.SetAttributes;
import org.gridfarm.protocol.wire.SetPolicy;
import org.gridfarm.protocol.wire.SetXattr;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class QuotasTest {
    private static final long ROOT = Namespace.ROOT;
    private static final Credentials SUPERUSER = Credentials.getDefaultInstance();
    private static final Credentials ALICE =
            Credentials.newBuilder().setUid(1000).setGid(1000).addGroups(50).build();
    private static final Subject ALICE_S = new Subject(Kind.USER, 1000);

    private final Namespace state = new Namespace();
    private final Quotas quotas = new Quotas();
    private Credentials who = ALICE;
    private long now = 1_000;
    private long lastInode = ROOT;

    QuotasTest() {
        Namespace.genesis(1).forEach(this::apply);
        who = SUPERUSER;
        run(request().setSetAttributes(SetAttributes.newBuilder().setInode(ROOT).setMode(0777)));
        who = ALICE;
    }

    private void apply(Change change) {
        quotas.apply(change, state);
        state.apply(change);
    }

    private static MutateRequest.Builder request() {
        return MutateRequest.newBuilder();
    }

    private static ByteString name(String name) {
        return ByteString.copyFromUtf8(name);
    }

    private long run(MutateRequest.Builder request) {
        now++;
        Context context =
                new Context() {
                    @Override
                    public long now() {
                        return now;
                    }

                    @Override
                    public long nextInode() {
                        return ++lastInode;
                    }

                    @Override
                    public boolean isOpen(long inode) {
                        return false;
                    }

                    @Override
                    public boolean mayWrite(long session, long handle, long inode) {
                        return false;
                    }

                    @Override
                    public boolean isWriting(long session, long inode) {
                        return false;
                    }
                };
        return switch (state.decide(request.build(), who, context)) {
            case Decision.Refused refused -> throw refused.failure();
            case Decision.Accepted accepted -> {
                List<Change> more = quotas.check(accepted.changes(), who, now, state);
                accepted.changes().forEach(this::apply);
                more.forEach(this::apply);
                yield accepted.inode();
            }
        };
    }

    private long create(long parent, String name) {
        return run(
                request()
                        .setCreate(
                                CreateFile.newBuilder()
                                        .setParent(parent)
                                        .setName(name(name))
                                        .setMode(0644)
                                        .setExclusive(true)));
    }

    private long mkdir(long parent, String name) {
        return run(
                request()
                        .setMkdir(
                                MakeDirectory.newBuilder()
                                        .setParent(parent)
                                        .setName(name(name))
                                        .setMode(0755)));
    }

    private void resize(long inode, long size) {
        run(request().setSetAttributes(SetAttributes.newBuilder().setInode(inode).setSize(size)));
    }

    private void rename(long parent, String name, long to, String toName) {
        run(
                request()
                        .setRename(
                                Rename.newBuilder()
                                        .setParent(parent)
                                        .setName(name(name))
                                        .setToParent(to)
                                        .setToName(name(toName))));
    }

    private void limit(Subject subject, QuotaImage.Builder limit) {
        apply(
                Change.newBuilder()
                        .setQuota(limit.setKind(subject.kind().text()).setId(subject.id()))
                        .build());
    }

    private void assertRefused(ErrorKind kind, Runnable command) {
        assertThatThrownBy(command::run)
                .isInstanceOfSatisfying(
                        FarmException.class, e -> assertThat(e.kind()).isEqualTo(kind));
    }

    @Test
    void bytesCopiesAndInodesAreCountedForOwnerAndGroup() {
        long file = create(ROOT, "f");
        resize(file, 1000);
        run(request().setSetPolicy(SetPolicy.newBuilder().setInode(file).setReplicas(3)));
        assertThat(quotas.usage(ALICE_S)).isEqualTo(new Usage(1000, 3000, 1));
        run(request().setSetAttributes(SetAttributes.newBuilder().setInode(file).setGid(50)));
        assertThat(quotas.usage(new Subject(Kind.GROUP, 50))).isEqualTo(new Usage(1000, 3000, 1));
        assertThat(quotas.usage(new Subject(Kind.GROUP, 1000))).isEqualTo(Usage.NONE);
        run(request().setUnlink(Remove.newBuilder().setParent(ROOT).setName(name("f"))));
        assertThat(quotas.usage(ALICE_S)).isEqualTo(Usage.NONE);
    }

    @Test
    void aHardLimitStopsGrowthButNotShrinking() {
        limit(ALICE_S, QuotaImage.newBuilder().setBytesHard(1000).setInodesHard(2));
        long file = create(ROOT, "f");
        resize(file, 1000);
        assertThat(quotas.allowance(file, now, state)).isZero();
        assertRefused(ErrorKind.QUOTA_EXCEEDED, () -> resize(file, 1001));
        resize(file, 400);
        assertThat(quotas.allowance(file, now, state)).isEqualTo(600);
        create(ROOT, "g");
        assertRefused(ErrorKind.QUOTA_EXCEEDED, () -> create(ROOT, "h"));
        limit(ALICE_S, QuotaImage.newBuilder().setBytesHard(100));
        resize(file, 300);
        assertRefused(ErrorKind.QUOTA_EXCEEDED, () -> resize(file, 301));
        who = SUPERUSER;
        resize(file, 5000);
    }

    @Test
    void copiesCountAgainstThePhysicalLimit() {
        limit(ALICE_S, QuotaImage.newBuilder().setPhysicalHard(1000));
        long file = create(ROOT, "f");
        resize(file, 500);
        run(request().setSetPolicy(SetPolicy.newBuilder().setInode(file).setReplicas(2)));
        assertThat(quotas.allowance(file, now, state)).isZero();
        assertRefused(
                ErrorKind.QUOTA_EXCEEDED,
                () ->
                        run(
                                request()
                                        .setSetPolicy(
                                                SetPolicy.newBuilder()
                                                        .setInode(file)
                                                        .setReplicas(3))));
    }

    @Test
    void aSoftLimitMayBeExceededForAWhile() {
        limit(ALICE_S, QuotaImage.newBuilder().setBytesSoft(100).setGracePeriod(50));
        long file = create(ROOT, "f");
        resize(file, 200);
        QuotaImage running = java.util.Objects.requireNonNull(quotas.limit(ALICE_S));
        assertThat(running.getGraceUntil()).isEqualTo(now + 50);
        resize(file, 300);
        now += 100;
        assertRefused(ErrorKind.QUOTA_EXCEEDED, () -> resize(file, 301));
        resize(file, 50);
        assertThat(java.util.Objects.requireNonNull(quotas.limit(ALICE_S)).getGraceUntil())
                .isZero();
        resize(file, 150);
    }

    @Test
    void aTreeCountsAllBelowItAndFilesMoveInAndOut() {
        long project = mkdir(ROOT, "project");
        long sub = mkdir(project, "sub");
        long file = create(sub, "f");
        resize(file, 100);
        Subject tree = new Subject(Kind.DIRECTORY, project);
        limit(tree, QuotaImage.newBuilder().setBytesHard(150));
        assertThat(quotas.usage(tree)).isEqualTo(new Usage(100, 100, 3));
        long outside = create(ROOT, "out");
        resize(outside, 100);
        assertRefused(ErrorKind.QUOTA_EXCEEDED, () -> rename(ROOT, "out", sub, "in"));
        rename(sub, "f", ROOT, "f");
        assertThat(quotas.usage(tree)).isEqualTo(new Usage(0, 0, 2));
        rename(ROOT, "out", sub, "in");
        assertThat(quotas.usage(tree)).isEqualTo(new Usage(100, 100, 3));
        assertRefused(ErrorKind.QUOTA_EXCEEDED, () -> resize(outside, 151));
    }

    @Test
    void aDirectoryDoesNotLeaveItsTree() {
        long project = mkdir(ROOT, "project");
        mkdir(project, "sub");
        limit(new Subject(Kind.DIRECTORY, project), QuotaImage.newBuilder().setBytesHard(150));
        assertRefused(ErrorKind.CROSS_DEVICE, () -> rename(project, "sub", ROOT, "sub"));
        rename(project, "sub", project, "other");
        rename(ROOT, "project", ROOT, "renamed");
    }

    private void setXattr(long inode, String name, int bytes) {
        run(
                request()
                        .setSetXattr(
                                SetXattr.newBuilder()
                                        .setInode(inode)
                                        .setName(name(name))
                                        .setValue(ByteString.copyFrom(new byte[bytes]))));
    }

    private void removeXattr(long inode, String name) {
        run(request().setRemoveXattr(RemoveXattr.newBuilder().setInode(inode).setName(name(name))));
    }

    /** They are in the memory of every metaserver: who fills that is held to his bytes. */
    @Test
    void attributesCountAsBytesOfOwnerGroupAndTree() {
        long project = mkdir(ROOT, "project");
        Subject tree = new Subject(Kind.DIRECTORY, project);
        limit(tree, QuotaImage.newBuilder().setBytesHard(1000));
        long file = create(project, "f");
        setXattr(file, "user.a", 400);
        setXattr(project, "user.b", 94);
        assertThat(quotas.usage(ALICE_S).logical()).isEqualTo(506);
        assertThat(quotas.usage(tree).logical()).isEqualTo(506);
        assertThat(quotas.usage(tree).physical()).isEqualTo(506);
        assertRefused(ErrorKind.QUOTA_EXCEEDED, () -> setXattr(file, "user.c", 500));
        setXattr(file, "user.a", 300);
        who = SUPERUSER;
        run(request().setSetAttributes(SetAttributes.newBuilder().setInode(file).setUid(2000)));
        assertThat(quotas.usage(new Subject(Kind.USER, 2000)).logical()).isEqualTo(306);
        assertThat(quotas.usage(ALICE_S).logical()).isEqualTo(100);
        removeXattr(file, "user.a");
        assertThat(quotas.usage(tree).logical()).isEqualTo(100);
        run(request().setUnlink(Remove.newBuilder().setParent(project).setName(name("f"))));
        assertThat(quotas.miscounted(state)).isEmpty();
    }

    @Property(tries = 40)
    void countingAlongTheWayIsCountingEverything(Dice dice) {
        List<Long> directories = new ArrayList<>(List.of(ROOT));
        for (int i = 0; i < 400; i++) {
            long at = dice.oneOf(directories);
            String name = "n" + dice.below(6);
            long other = dice.oneOf(directories);
            who = dice.oneOf(SUPERUSER, ALICE);
            try {
                switch (dice.below(10)) {
                    case 0 -> directories.add(mkdir(at, name));
                    case 1, 2 -> create(at, name);
                    case 3 -> {
                        long file = state.peek(at, name(name));
                        if (file != 0) {
                            resize(file, dice.below(1000));
                        }
                    }
                    case 4 -> rename(at, name, other, "n" + dice.below(6));
                    case 5 ->
                            run(
                                    request()
                                            .setUnlink(
                                                    Remove.newBuilder()
                                                            .setParent(at)
                                                            .setName(name(name))));
                    case 8 -> {
                        long any = dice.once(3) ? at : state.peek(at, name(name));
                        if (dice.once(3)) {
                            removeXattr(any, "user.a" + dice.below(3));
                        } else {
                            setXattr(any, "user.a" + dice.below(3), dice.below(700));
                        }
                    }
                    case 9 -> {
                        who = SUPERUSER;
                        long any = state.peek(at, name(name));
                        run(
                                request()
                                        .setSetAttributes(
                                                SetAttributes.newBuilder()
                                                        .setInode(any)
                                                        .setUid(1000 + dice.below(3))));
                    }
                    case 6 -> {
                        long file = state.peek(at, name(name));
                        run(
                                request()
                                        .setLink(
                                                MakeLink.newBuilder()
                                                        .setInode(file)
                                                        .setParent(other)
                                                        .setName(name("n" + dice.below(6)))));
                    }
                    default -> {
                        if (dice.once(4)) {
                            limit(
                                    new Subject(Kind.DIRECTORY, at),
                                    QuotaImage.newBuilder()
                                            .setBytesHard(1500)
                                            .setGone(dice.once(3)));
                        } else {
                            run(
                                    request()
                                            .setRmdir(
                                                    Remove.newBuilder()
                                                            .setParent(at)
                                                            .setName(name(name))));
                        }
                    }
                }
            } catch (FarmException refused) {
                assertThat(refused.kind()).isNotEqualTo(ErrorKind.INTERNAL);
            }
            directories.removeIf(inode -> !state.exists(inode));
        }
        var counted = quotas.usages();
        quotas.recount(state);
        assertThat(counted).isEqualTo(quotas.usages());
    }
}

package org.gridfarm.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Credentials;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

class AclTest {
    private static final int USER_OBJ = 1;
    private static final int USER = 2;
    private static final int GROUP_OBJ = 4;
    private static final int GROUP = 8;
    private static final int MASK = 16;
    private static final int OTHER = 32;
    private static final Credentials CAROL = Farm.user(1002, 1002, 70);

    private final Farm farm = new Farm();

    /** Entries as tag, permissions, id. */
    static byte[] acl(int... entries) {
        ByteBuffer out =
                ByteBuffer.allocate(4 + entries.length / 3 * 8)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(2);
        for (int i = 0; i < entries.length; i += 3) {
            out.putShort((short) entries[i])
                    .putShort((short) entries[i + 1])
                    .putInt(entries[i + 2]);
        }
        return out.array();
    }

    private static byte[] named(int owner, int bob, int group, int mask, int other) {
        return acl(
                USER_OBJ, owner, -1, USER, bob, 1001, GROUP_OBJ, group, -1, MASK, mask, -1, OTHER,
                other, -1);
    }

    private long file(int mode) {
        long file = farm.as(Farm.ROOT).create(Namespace.ROOT, "f", mode);
        farm.chown(file, 1000, 1000);
        return file;
    }

    private String get(long inode, String name) {
        ByteString value = farm.state.getXattr(inode, Farm.name(name), Farm.ROOT);
        return java.util.HexFormat.of().formatHex(value.toByteArray());
    }

    private static String hex(byte[] bytes) {
        return java.util.HexFormat.of().formatHex(bytes);
    }

    @Test
    void aNamedUserGetsWhatTheMaskLeaves() {
        long file = file(0600);
        farm.setXattr(file, Acl.ACCESS, named(7, 6, 0, 4, 0));
        assertThat(farm.stat(file).getMode()).isEqualTo(0740);
        assertThat(farm.stat(file).getHasAcl()).isTrue();
        assertThat(farm.state.may(file, 4, Farm.BOB)).isTrue();
        assertThat(farm.state.may(file, 2, Farm.BOB)).isFalse();
        assertThat(farm.state.may(file, 4, CAROL)).isFalse();
        assertThat(farm.state.may(file, 7, Farm.ALICE)).isTrue();
    }

    @Test
    void aGroupEntryThatDeniesIsNotMadeUpForByOthers() {
        long file = file(0600);
        farm.setXattr(
                file,
                Acl.ACCESS,
                acl(USER_OBJ, 6, -1, GROUP_OBJ, 0, -1, GROUP, 0, 70, MASK, 7, -1, OTHER, 7, -1));
        assertThat(farm.state.may(file, 4, CAROL)).isFalse();
        assertThat(farm.state.may(file, 4, Farm.BOB)).isTrue();
    }

    @Test
    void eitherOfSeveralGroupsMayAllowIt() {
        long file = file(0600);
        Credentials both = Farm.user(1003, 70, 71);
        farm.setXattr(
                file,
                Acl.ACCESS,
                acl(
                        USER_OBJ, 6, -1, GROUP_OBJ, 0, -1, GROUP, 4, 70, GROUP, 2, 71, MASK, 7, -1,
                        OTHER, 0, -1));
        assertThat(farm.state.may(file, 4, both)).isTrue();
        assertThat(farm.state.may(file, 2, both)).isTrue();
        assertThat(farm.state.may(file, 6, both)).isFalse();
    }

    @Test
    void chmodChangesTheMaskAndNotTheNamedEntries() {
        long file = file(0600);
        farm.setXattr(file, Acl.ACCESS, named(7, 6, 4, 6, 0));
        farm.chmod(file, 0704);
        assertThat(get(file, Acl.ACCESS)).isEqualTo(hex(named(7, 6, 4, 0, 4)));
        assertThat(farm.stat(file).getMode()).isEqualTo(0704);
        assertThat(farm.state.may(file, 4, Farm.BOB))
                .as("no mask, so others' bits count, as in Linux")
                .isTrue();
    }

    @Test
    void anAclThatSaysNoMoreThanAModeIsKeptAsTheMode() {
        long file = file(0600);
        farm.setXattr(file, Acl.ACCESS, named(7, 6, 4, 6, 0));
        farm.setXattr(file, Acl.ACCESS, acl(USER_OBJ, 6, -1, GROUP_OBJ, 4, -1, OTHER, 0, -1));
        assertThat(farm.stat(file).getMode()).isEqualTo(0640);
        assertThat(farm.stat(file).getHasAcl()).isFalse();
        assertThat(farm.refusal(() -> get(file, Acl.ACCESS))).isEqualTo(ErrorKind.NO_ATTRIBUTE);
    }

    @Test
    void theDefaultAclOfADirectoryIsInheritedAndTheUmaskIsNotUsed() {
        long directory = farm.mkdir(Namespace.ROOT, "d", 0755);
        byte[] inherited = named(7, 7, 5, 7, 5);
        farm.setXattr(directory, Acl.DEFAULT, inherited);
        farm.umask = 077;
        long file = farm.create(directory, "f", 0640);
        assertThat(farm.stat(file).getMode()).isEqualTo(0640);
        assertThat(get(file, Acl.ACCESS)).isEqualTo(hex(named(6, 7, 5, 4, 0)));
        long below = farm.mkdir(directory, "sub", 0777);
        assertThat(farm.stat(below).getMode()).isEqualTo(0775);
        assertThat(get(below, Acl.DEFAULT)).isEqualTo(hex(inherited));
        assertThat(get(below, Acl.ACCESS)).isEqualTo(hex(inherited));
        assertThat(farm.stat(farm.symlink(directory, "l", "f")).getHasAcl()).isFalse();
    }

    @Test
    void aMinimalDefaultAclOnlyLimitsTheMode() {
        long directory = farm.mkdir(Namespace.ROOT, "d", 0755);
        farm.setXattr(directory, Acl.DEFAULT, acl(USER_OBJ, 7, -1, GROUP_OBJ, 5, -1, OTHER, 0, -1));
        long file = farm.create(directory, "f", 0666);
        assertThat(farm.stat(file).getMode()).isEqualTo(0640);
        assertThat(farm.stat(file).getHasAcl()).isFalse();
    }

    @Test
    void onlyTheOwnerSetsAnAclAndOnlyADirectoryHasADefault() {
        long file = file(0666);
        farm.as(Farm.BOB);
        assertThat(farm.refusal(() -> farm.setXattr(file, Acl.ACCESS, named(7, 6, 4, 6, 0))))
                .isEqualTo(ErrorKind.NOT_PERMITTED);
        farm.as(Farm.ALICE);
        farm.setXattr(file, Acl.ACCESS, named(7, 6, 4, 6, 0));
        assertThat(farm.refusal(() -> farm.setXattr(file, Acl.DEFAULT, named(7, 6, 4, 6, 0))))
                .isEqualTo(ErrorKind.ACCESS_DENIED);
        farm.removeXattr(file, Acl.ACCESS);
        assertThat(farm.stat(file).getMode()).isEqualTo(0760);
    }

    @Test
    void whatTheKernelRefusesIsRefused() {
        byte[] good = named(7, 6, 4, 6, 0);
        assertThat(java.util.Objects.requireNonNull(Acl.parse(good)).bytes()).isEqualTo(good);
        assertThat(Acl.parse(new byte[0])).isNull();
        assertThat(Acl.parse(acl())).isNull();
        for (byte[] bad :
                new byte[][] {
                    {1, 2, 3},
                    acl(USER_OBJ, 7, -1, GROUP_OBJ, 7, -1), // no others
                    acl(USER_OBJ, 7, -1, USER, 7, 5, GROUP_OBJ, 7, -1, OTHER, 7, -1), // no mask
                    acl(
                            USER_OBJ, 7, -1, GROUP_OBJ, 7, -1, USER, 7, 5, MASK, 7, -1, OTHER, 7,
                            -1), // out of order
                    acl(USER_OBJ, 9, -1, GROUP_OBJ, 7, -1, OTHER, 7, -1), // more than rwx
                    acl(USER_OBJ, 7, -1, USER_OBJ, 7, -1, GROUP_OBJ, 7, -1, OTHER, 7, -1),
                    acl(64, 7, -1)
                }) {
            assertThatThrownBy(() -> Acl.parse(bad)).isInstanceOf(FarmException.class);
        }
    }
}

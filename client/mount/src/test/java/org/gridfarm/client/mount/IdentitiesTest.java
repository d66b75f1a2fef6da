package org.gridfarm.client.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.AccountNumbersReply;
import org.gridfarm.protocol.wire.AccountNumbersRequest;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.NamedNumber;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/** Whose a file is, and who calls, where machines and farm number their users differently. */
class IdentitiesTest {
    private static final Credentials ANN =
            Credentials.newBuilder().setUid(5001).setGid(5000).build();

    @Test
    void rangesStandForOneAnotherAndOthersForThemselves() {
        IdMap map = IdMap.SAME.with("1000:5001").with("2000:7000:10");
        assertThat(map.there(1000)).isEqualTo(5001);
        assertThat(map.here(5001)).isEqualTo(1000);
        assertThat(map.there(2009)).isEqualTo(7009);
        assertThat(map.there(2010)).isEqualTo(2010);
        assertThat(map.here(0)).isZero();
        assertThat(map.here(-2)).isEqualTo(-2); // 2^32 - 2 is a number of a user, too
    }

    @Test
    void nobodyGetsSomebodyElsesNumber() {
        IdMap map = IdMap.SAME.with("1000:5001");
        assertThat(map.here(1000)).as("the farm's 1000 is not the one here").isEqualTo(65534);
        assertThat(map.there(5001)).isEqualTo(65534);
        assertThat(map.isKnownThere(5001)).isFalse();
        assertThat(map.isKnownThere(1000)).isTrue();
        Identities identities = new Identities(map, IdMap.SAME);
        assertThatThrownBy(() -> identities.farmUid(5001))
                .isInstanceOf(FarmException.class)
                .extracting(e -> ((FarmException) e).kind())
                .isEqualTo(ErrorKind.INVALID);
    }

    @Test
    void whoIsCalledTheSameIsTheSameAndOthersAreNobody() {
        Map<String, Map<String, Integer>> here =
                Map.of(
                        "passwd",
                        new HashMap<>(Map.of("root", 0, "ann", 1000, "bob", 1001, "local", 1002)),
                        "group",
                        Map.of("root", 0, "staff", 50));
        Map<String, Integer> there =
                new HashMap<>(Map.of("root", 0, "ann", 1001, "bob", 5001, "staff", 20));
        NamedIdentities names =
                new NamedIdentities(
                        new Identities(IdMap.SAME.with("7000:8000:10"), IdMap.SAME),
                        here::get,
                        asked -> answer(asked, there));
        Identities now = names.get();
        assertThat(now.areSame()).isFalse();
        assertThat(now.users().there(1000)).isEqualTo(1001);
        assertThat(now.users().here(1001)).as("the farm's ann").isEqualTo(1000);
        assertThat(now.users().there(1001)).isEqualTo(5001);
        assertThat(now.users().there(1002)).as("no such name there").isEqualTo(IdMap.NOBODY);
        assertThat(now.users().here(4242)).as("no such name here").isEqualTo(IdMap.NOBODY);
        assertThat(now.users().there(0)).isZero();
        assertThat(now.users().here(8003)).as("said by numbers").isEqualTo(7003);
        assertThat(now.groups().there(50)).isEqualTo(20);
        assertThat(now.groups().here(50)).isEqualTo(IdMap.NOBODY);
        assertThatThrownBy(() -> now.farmUid(1002)).isInstanceOf(FarmException.class);

        there.put("local", 6000);
        names.lookOnceMore();
        assertThat(names.get().users().there(1002)).isEqualTo(6000);
        there.clear();
        there.put("ann", -1); // the farm does not answer
        names.lookOnceMore();
        assertThat(names.get().users().there(1002)).isEqualTo(6000);
    }

    private static AccountNumbersReply answer(
            AccountNumbersRequest asked, Map<String, Integer> numbers) {
        if (numbers.containsValue(-1)) {
            throw new FarmException(ErrorKind.UNAVAILABLE, "ask", "farm");
        }
        AccountNumbersReply.Builder reply = AccountNumbersReply.newBuilder();
        numbers.forEach((name, number) -> {
            NamedNumber one = NamedNumber.newBuilder().setName(name).setNumber(number).build();
            if (asked.getUsersList().contains(name)) reply.addUsers(one);
            if (asked.getGroupsList().contains(name)) reply.addGroups(one);
        });
        return reply.build();
    }

    @Test
    void wrongRangesAreRefused() {
        for (String wrong : new String[] {"", "1", "1:x", "1:2:0", "-1:2", "1:2:3:4", "1000:7"}) {
            assertThatThrownBy(() -> IdMap.SAME.with("900:100:200").with(wrong))
                    .as(wrong)
                    .isInstanceOf(FarmException.class);
        }
    }

    @Test
    void accessControlListsNameTheSamePeopleOnBothSides() {
        Identities identities =
                new Identities(IdMap.SAME.with("1000:5001"), IdMap.SAME.with("100:5000"));
        byte[] local = acl(new int[][] {{1, -1}, {2, 1000}, {4, -1}, {8, 100}, {16, -1}, {32, -1}});
        byte[] farm = acl(new int[][] {{1, -1}, {2, 5001}, {4, -1}, {8, 5000}, {16, -1}, {32, -1}});
        assertThat(identities.aclToFarm(local)).isEqualTo(farm);
        assertThat(identities.aclToLocal(farm)).isEqualTo(local);
        assertThat(identities.aclToFarm(new byte[] {1, 2, 3})).isEqualTo(new byte[] {1, 2, 3});
    }

    private static byte[] acl(int[][] entries) {
        ByteBuffer value =
                ByteBuffer.allocate(4 + 8 * entries.length).order(ByteOrder.LITTLE_ENDIAN);
        value.putInt(2);
        for (int[] entry : entries) {
            value.putShort((short) entry[0]).putShort((short) 7).putInt(entry[1]);
        }
        return value.array();
    }

    @Test
    void aMountForOnePersonShowsHisFilesAsToldAndOneForAllRefusesThat() throws IOException {
        MountSettings settings =
                MountSettings.parse(new String[] {"-o", "uid=1000,gid=100,gidmap=7:77", "/mnt"});
        Identities one = settings.identities(ANN, false);
        assertThat(one.users().here(5001)).isEqualTo(1000);
        assertThat(one.groups().here(5000)).isEqualTo(100);
        assertThat(one.groups().here(77)).isEqualTo(7);
        assertThatThrownBy(() -> settings.identities(ANN, true)).hasMessageContaining("uidmap");
    }
}

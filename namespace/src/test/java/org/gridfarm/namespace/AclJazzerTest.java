package org.gridfarm.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.ByteString;

import org.gridfarm.campaign.Changed;
import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.Stream;

/** Values and names of extended attributes, as users set them. */
class AclJazzerTest {
    static Stream<byte[]> values() {
        int[][] entries = {
            {1, 7, -1}, {2, 6, 1000}, {4, 5, -1}, {8, 4, 50}, {16, 7, -1}, {32, 4, -1}
        };
        ByteBuffer value =
                ByteBuffer.allocate(4 + 8 * entries.length).order(ByteOrder.LITTLE_ENDIAN);
        value.putInt(2);
        for (int[] entry : entries) {
            value.putShort((short) entry[0]).putShort((short) entry[1]).putInt(entry[2]);
        }
        return Stream.of(value.array(), new byte[] {2, 0, 0, 0}, new byte[0]);
    }

    @MethodSource("values")
    @FuzzTest(maxDuration = "1m")
    void values(byte[] value) {
        try {
            Acl acl = Acl.parse(value);
            if (acl != null) assertThat(value.length).isGreaterThan(4);
        } catch (FarmException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    static Stream<byte[]> names() {
        return Stream.of("user.a", "system.posix_acl_access", "security.capability", "trusted.x")
                .map(name -> name.getBytes(StandardCharsets.UTF_8));
    }

    @MethodSource("names")
    @FuzzTest(maxDuration = "1m")
    void names(byte[] name) {
        try {
            assertThat(XattrName.of(ByteString.copyFrom(name), "set xattr")).isNotNull();
        } catch (FarmException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    @Test
    void seedsThatWereChanged() {
        Random random = new Random(Tier.seed(20261127L));
        byte[] good = values().findFirst().orElseThrow();
        byte[] name = names().findFirst().orElseThrow();
        for (int i = 0; i < Tier.count("decoders"); i++) {
            values(Changed.of(good, random));
            names(Changed.of(name, random));
        }
    }
}

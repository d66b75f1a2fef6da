package org.gridfarm.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.checksum.ContentDigest;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/** A storage node that serves other bytes than were written, with sums that fit those. */
@Timeout(60)
class LyingNodeTest {
    private static final FarmPath FILE = FarmPath.of("/f");
    private final MemoryFarm memory = new MemoryFarm(2);

    @AfterEach
    void close() {
        memory.close();
    }

    /** Level 2, and the metaserver knows the digest. */
    private byte[] written(int length) throws Exception {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        memory.metaserver.replicas = 2;
        memory.metaserver.digest = digest(bytes);
        try (OutputStream out = memory.client().write(FILE)) {
            out.write(bytes);
        }
        return bytes;
    }

    private static ByteString digest(byte[] bytes) {
        return ByteString.copyFrom(ContentDigest.of(new ByteBuffer[] {ByteBuffer.wrap(bytes)}));
    }

    private byte[] read() throws Exception {
        try (InputStream in = memory.client().read(FILE)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 65_535, 65_536, 65_537, 200_000, 3_000_001})
    void itsBytesAreNotTakenAndAnotherNodeIsAsked(int length) throws Exception {
        byte[] bytes = written(length);
        assertThat(read()).isEqualTo(bytes);
        memory.nodes.get(0).lies = true;
        assertThat(read()).as("bytes and sums").isEqualTo(bytes);
        memory.nodes.get(0).lies = false;
        memory.nodes.get(0).liesAboutBytesAlone = true;
        assertThat(read()).as("bytes alone").isEqualTo(bytes);
        assertThat(memory.nodes.get(1).reads).hasPositiveValue();
    }

    @Test
    void eachRangeIsJudgedWhereverItBeginsAndEnds() throws Exception {
        byte[] bytes = written(300_001);
        memory.nodes.get(0).lies = true;
        try (FarmFile file = memory.client().open(FILE, OpenFlags.READ)) {
            for (int[] range :
                    new int[][] {
                        {0, 1},
                        {65_535, 2},
                        {149_000, 3_000},
                        {131_072, 65_536},
                        {300_000, 1},
                        {299_000, 5_000},
                        {0, 300_001},
                        {300_001, 10}
                    }) {
                ByteBuffer into = ByteBuffer.allocate(range[1]);
                int got = Math.max(0, file.read(range[0], into));
                assertThat(Arrays.copyOf(into.array(), got))
                        .as("%d bytes at %d", range[1], range[0])
                        .isEqualTo(
                                Arrays.copyOfRange(
                                        bytes,
                                        range[0],
                                        Math.min(bytes.length, range[0] + range[1])));
            }
        }
    }

    @Test
    void whereNobodyTellsTheTruthNothingIsRead() throws Exception {
        byte[] bytes = written(200_000);
        memory.nodes.forEach(node -> node.lies = true);
        assertThatThrownBy(this::read)
                .hasStackTraceContaining("not those of the content")
                .isInstanceOfAny(java.io.IOException.class, FarmException.class);
        memory.nodes.forEach(node -> node.lies = false);
        assertThat(read()).isEqualTo(bytes);
    }
}

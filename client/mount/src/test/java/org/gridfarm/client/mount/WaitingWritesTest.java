package org.gridfarm.client.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

final class WaitingWritesTest {
    private static final int SLOT = 4096;

    private final WaitingWrites waiting = new WaitingWrites(SLOT);

    @Test
    void eachGetsBackItsOwn() {
        Random random = new Random(1);
        List<byte[]> contents = new ArrayList<>();
        List<WaitingWrites.Slot> slots = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            byte[] content = new byte[random.nextInt(1, SLOT + 1)];
            random.nextBytes(content);
            contents.add(content);
            slots.add(waiting.put(ByteBuffer.allocateDirect(content.length).put(content).flip()));
            if (random.nextBoolean()) {
                check(random.nextInt(slots.size()), slots, contents);
            }
        }
        while (!slots.isEmpty()) {
            check(slots.size() - 1, slots, contents);
        }
    }

    @Test
    void roomIsUsedAgainAndGivenBackInTheEnd() throws IOException {
        WaitingWrites.Slot first = waiting.put(ByteBuffer.allocateDirect(SLOT));
        WaitingWrites.Slot second = waiting.put(ByteBuffer.allocateDirect(SLOT));
        waiting.drop(first);
        WaitingWrites.Slot third = waiting.put(ByteBuffer.allocateDirect(SLOT));
        assertThat(third.number()).isEqualTo(first.number());
        waiting.drop(second);
        waiting.take(third).release();
        assertThat(third.file().size()).isZero();
    }

    private void check(int at, List<WaitingWrites.Slot> slots, List<byte[]> contents) {
        ByteBuf bytes = waiting.take(slots.remove(at));
        assertThat(ByteBufUtil.getBytes(bytes)).isEqualTo(contents.remove(at));
        bytes.release();
    }
}

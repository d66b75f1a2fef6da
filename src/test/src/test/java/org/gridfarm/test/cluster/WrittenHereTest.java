package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.name.FarmPath;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;

/**
 * Programs that write a lot by the library, attached to the node that has the only copy: they are
 * given the file itself, and everybody finds the same in it as if they had sent everything.
 */
class WrittenHereTest {
    private static final long SEED = Tier.seed(20261127);
    private static final int SIZE_MAX = 2 << 20;
    private static final int PIECE_MAX = 40_000;
    private static final int ROUNDS = 2;
    private static final int CHANGES = 60;
    private static final Duration SOON = Duration.ofSeconds(30);

    private static TestFarm farm;
    private static Gridfarm near;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.directory("/written-here", 1);
        near =
                Gridfarm.open(
                        ClientConfig.read(farm.directory().resolve("client.toml")).withNode("n1"));
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            near.close();
            farm.close();
        }
    }

    /** In every second round another client opens the file, reads it and changes it as well. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everybodyFindsWhatWasWrittenWhereItLies(boolean isNew) throws IOException {
        FarmPath path = FarmPath.of("/written-here/" + (isNew ? "new" : "old"));
        ModelOfBytes model = new ModelOfBytes(new Random(SEED));
        if (!isNew) {
            try (OutputStream out = near.write(path)) {
                out.write(model.grow(SIZE_MAX / 2));
            }
        }
        for (int round = 0; round < ROUNDS; round++) {
            boolean first = isNew && round == 0;
            try (FarmFile file = near.create(path, OpenFlags.READ_WRITE, first)) {
                await("the file itself").atMost(SOON).until(() -> isWrittenHere(file, model));
                for (int i = 0; i < CHANGES; i++) {
                    model.change(file);
                }
                model.isIn(file);
                assertThat(near.stat(path).size()).isEqualTo(model.size());
                if (round % 2 == 0) {
                    changedByTwo(file, path, model);
                } else {
                    file.sync();
                    model.change(file);
                }
            }
            assertThat(farm.client().stat(path).size()).isEqualTo(model.size());
        }
        try (InputStream in = farm.client().read(path)) {
            assertThat(in).hasBinaryContent(model.content());
        }
        farm.requireVerified(path.toString());
    }

    private static void changedByTwo(FarmFile file, FarmPath path, ModelOfBytes model) {
        try (FarmFile other = farm.client().open(path, OpenFlags.READ_WRITE)) {
            model.isIn(other);
            for (int i = 0; i < CHANGES; i++) {
                model.change(i % 2 == 0 ? other : file);
            }
            model.isIn(file);
            model.isIn(other);
        }
    }

    private static boolean isWrittenHere(FarmFile file, ModelOfBytes model) {
        model.change(file);
        return file.handle().sizeHere() >= 0;
    }

    /** A file of the farm as one client after the other changed it. */
    private static final class ModelOfBytes {
        private final Random random;
        private byte[] content = {};

        ModelOfBytes(Random random) {
            this.random = random;
        }

        byte[] content() {
            return content;
        }

        long size() {
            return content.length;
        }

        byte[] grow(int size) {
            content = new byte[size];
            random.nextBytes(content);
            return content;
        }

        void change(FarmFile file) {
            if (random.nextInt(20) == 0) {
                int size = 100_000 + random.nextInt(SIZE_MAX);
                file.truncate(size);
                content = Arrays.copyOf(content, size);
                return;
            }
            byte[] piece = new byte[1 + random.nextInt(PIECE_MAX)];
            random.nextBytes(piece);
            int at = random.nextInt(Math.min(SIZE_MAX, content.length + PIECE_MAX));
            file.write(at, ByteBuffer.wrap(piece));
            content = Arrays.copyOf(content, Math.max(content.length, at + piece.length));
            System.arraycopy(piece, 0, content, at, piece.length);
        }

        void isIn(FarmFile file) {
            assertThat(file.size()).isEqualTo(content.length);
            ByteBuffer read = ByteBuffer.allocate(content.length + 1);
            assertThat(file.read(0, read)).isEqualTo(content.length);
            assertThat(read.flip()).isEqualTo(ByteBuffer.wrap(content));
        }
    }
}

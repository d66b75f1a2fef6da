package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** The attached node is killed while the kernel writes straight into its replica. */
class KernelWriterTest {
    private static final int PART = 4 << 20;

    private static TestFarm farm;
    private static Path elsewhere;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        assumeThat(farm.mount().resolve(".gf/stats"))
                .as("the kernel writes only where passthrough may be set up")
                .content()
                .contains("passthrough yes");
        elsewhere = farm.mountWithoutPassthrough("n2");
        for (int level : List.of(1, 2)) {
            farm.directory("/kernel-" + level, level);
        }
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    /** Where a case has left it dead. */
    @AfterEach
    void theNodeIsThere() {
        if (!farm.component("n1").ready()) {
            farm.restart("n1");
        }
    }

    private static void done(Process prepared) throws Exception {
        prepared.getOutputStream().close();
        assertThat(prepared.waitFor()).isZero();
    }

    private static void put(FileChannel channel, byte[] content, int from, int length)
            throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(content, from, length);
        while (bytes.hasRemaining()) {
            channel.write(bytes, bytes.position());
        }
    }

    @ParameterizedTest(name = "level {0}, restarted: {1}")
    @CsvSource({"1,true", "2,true", "2,false", "1,false"})
    void whatTheKernelWroteSurvivesItsNode(int level, boolean restarted) throws Exception {
        byte[] content = new byte[4 * PART];
        new Random(level).nextBytes(content);
        String name = "kernel-" + level + "/written-" + restarted;
        Process restart =
                farm.prepare("cluster", "restart", "n1", "--dir", farm.directory().toString());
        try (FileChannel channel =
                FileChannel.open(
                        farm.mount().resolve(name),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE)) {
            put(channel, content, 0, PART);
            channel.force(true);
            put(channel, content, PART, PART);
            farm.kill("n1", "KILL");
            put(channel, content, 2 * PART, PART);
            if (restarted) {
                done(restart);
            }
            content[77] ^= 1;
            put(channel, content, 77, 1); // also in what was synced before
            channel.force(true);
            put(channel, content, 3 * PART, PART);
        }
        Path copy = farm.directory().resolve(name.replace('/', '-'));
        farm.gf("get", "gf:/" + name, copy.toString());
        assertThat(Files.mismatch(copy, Files.write(copy.resolveSibling("is"), content)))
                .as("first byte that differs")
                .isEqualTo(-1);
        if (!restarted) {
            done(restart);
            assertThat(farm.mount().resolve(name)).hasBinaryContent(content);
        }
    }

    /**
     * As where somebody follows a log on another machine: as long as others only read, this node's
     * file has everything, also what a second writer here sends through the mount's process.
     */
    @ParameterizedTest(name = "level {0}, the reader stays: {1}, a writer comes: {2}")
    @CsvSource({"2,true,false", "2,false,false", "1,true,false", "2,true,true"})
    void aReaderElsewhereDoesNotKeepAWriterFromGoingOn(int level, boolean stays, boolean writer)
            throws Exception {
        byte[] content = new byte[4 * PART];
        new Random(level).nextBytes(content);
        String name = "kernel-" + level + "/read-" + stays + writer;
        Path here = farm.mount().resolve(name);
        Path there = elsewhere.resolve(name);
        try (FileChannel channel =
                FileChannel.open(here, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            put(channel, content, 0, PART);
            InputStream reader = Files.newInputStream(there);
            try (reader) {
                assertThat(reader.readNBytes(PART)).isEqualTo(Arrays.copyOf(content, PART));
                if (!stays) {
                    reader.close();
                }
                put(channel, content, PART, PART);
                farm.kill("n1", "KILL");
                put(channel, content, 2 * PART, PART);
                try (FileChannel second = FileChannel.open(here, StandardOpenOption.WRITE)) {
                    put(second, content, 3 * PART, PART);
                }
                channel.force(true);
                content[77] ^= 1;
                put(channel, content, 77, 1);
                if (writer) {
                    content[78] ^= 1;
                    try (FileChannel other = FileChannel.open(there, StandardOpenOption.WRITE)) {
                        put(other, content, 78, 1);
                    }
                }
            }
            if (!writer) {
                channel.force(true);
            }
        } catch (IOException e) {
            // Its own file has not what the other wrote: of that it is told at the close.
            assertThat(writer).as(e.getMessage()).isTrue();
        }
        assertThat(there).hasBinaryContent(content);
        assertThat(here).hasBinaryContent(content);
    }
}

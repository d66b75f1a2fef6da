package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * Programs that open a file again and again to change it: that costs no call, and everybody else
 * sees what was closed as if it did.
 */
class ReopenedInPlaceTest {
    private static final int SIZE = 1 << 20;
    private static final int ROUNDS = Tier.count("comeback.rounds");
    private static final int APPENDS = 20;
    private static final int KILLS = Tier.count("comeback.kills");

    /** Until a busy machine has once run everybody in time. */
    private static final Duration QUIET_MAX = Duration.ofMinutes(1);

    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    private static void change(Path file, byte[] content, int at, byte to) throws IOException {
        content[at] = to;
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {to}), at);
        }
    }

    /** Nobody at the metaserver can have been asked. */
    @Test
    void whoComesBackGoesOnWithoutTheMetaserver() throws Exception {
        byte[] content = new byte[SIZE];
        Path file = Files.write(farm.mount().resolve("reopened-alone"), content);
        try (ShellBeside shell = farm.shellBeside()) {
            await("a change that nobody is asked for")
                    .atMost(QUIET_MAX)
                    .until(() -> isChangedBesideAStoppedMetaserver(shell, file, content));
        }
        assertThat(farm.mountOf("n2").resolve("reopened-alone")).hasBinaryContent(content);
    }

    /** On a busy machine the kernel may tell late that a file was closed. */
    private static boolean isChangedBesideAStoppedMetaserver(
            ShellBeside shell, Path file, byte[] content) throws IOException {
        change(file, content, 1, (byte) 1);
        change(file, content, 2, (byte) 2);
        long metaserver = farm.pid("meta1");
        // Stopped no longer than a second, whatever becomes of us.
        shell.run("kill -STOP " + metaserver + "; (sleep 1; kill -CONT " + metaserver + ") &");
        long began = System.nanoTime();
        change(file, content, 3, (byte) 3);
        long millis = (System.nanoTime() - began) / 1_000_000;
        shell.run("kill -CONT " + metaserver);
        return millis < 500;
    }

    @Test
    void whatWasClosedIsSeenElsewhere() throws Exception {
        byte[] content = new byte[SIZE];
        Path file = Files.write(farm.mount().resolve("reopened-seen"), content);
        Path elsewhere = farm.mountOf("n2").resolve("reopened-seen");
        for (int round = 1; round <= ROUNDS; round++) {
            change(file, content, round, (byte) round);
            change(file, content, 2 * round, (byte) round);
            if (round % 2 == 0) {
                content = Arrays.copyOf(content, content.length + round);
                change(file, content, content.length - 1, (byte) round);
                assertThat(Files.size(file)).isEqualTo(content.length);
                assertThat(Files.size(elsewhere)).isEqualTo(content.length);
            }
            assertThat(elsewhere).hasBinaryContent(content);
            assertThat(file).hasBinaryContent(content);
        }
    }

    /** An opening that wrote nothing while somebody looked in, as a log has when it is rotated. */
    @Test
    void whatIsWrittenAfterTheFileWasEmptyForAWhileIsSeenElsewhere() throws Exception {
        Path file = Files.createFile(farm.mountOf("n1").resolve("reopened-empty"));
        Path elsewhere = farm.mountOf("n2").resolve("reopened-empty");
        try (FileChannel rotated =
                FileChannel.open(
                        file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            await("a replica of nothing").until(() -> hasReplica("n1", elsewhere));
            assertThat(rotated.size()).isZero();
        }
        byte[] content = {1, 2, 3};
        Files.write(file, content);
        assertThat(Files.size(elsewhere)).isEqualTo(content.length);
        assertThat(elsewhere).hasBinaryContent(content);
    }

    private static boolean hasReplica(String node, Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            assertThat(in.read()).isNegative();
        }
        String start = Long.toHexString((long) Files.getAttribute(file, "unix:ino")) + ".";
        Path objects = farm.directory().resolve(node).resolve("data/objects");
        try (Stream<Path> all = Files.walk(objects)) {
            return all.anyMatch(path -> path.getFileName().toString().startsWith(start));
        } catch (UncheckedIOException e) {
            return false; // a directory went away while we looked
        }
    }

    @Test
    void whoWritesElsewhereIsSeenByWhoComesBack() throws Exception {
        byte[] content = new byte[SIZE];
        Path file = Files.write(farm.mount().resolve("reopened-both"), content);
        Path elsewhere = farm.mountOf("n2").resolve("reopened-both");
        for (int round = 1; round <= ROUNDS; round++) {
            change(file, content, round, (byte) round);
            change(elsewhere, content, SIZE / 2 + round, (byte) round);
            change(file, content, 2 * round, (byte) round);
            assertThat(file).hasBinaryContent(content);
            assertThat(elsewhere).hasBinaryContent(content);
        }
    }

    @Test
    void whatWasClosedIsThereWhenTheMountsProcessIsKilled() throws Exception {
        byte[] content = new byte[SIZE];
        Path file = Files.write(farm.mount().resolve("reopened-killed"), content);
        for (int round = 1; round <= KILLS; round++) {
            change(file, content, round, (byte) round);
            change(file, content, 100 + round, (byte) round);
            farm.mountServer().destroyForcibly();
            assertThat(farm.mountOf("n2").resolve("reopened-killed")).hasBinaryContent(content);
            change(file, content, 200 + round, (byte) round);
            assertThat(file).hasBinaryContent(content);
        }
    }

    /** By the close that comes after it. */
    @Test
    void aTimeThatIsSetAfterTheCloseStays() throws Exception {
        byte[] content = new byte[SIZE];
        Path file = Files.write(farm.mount().resolve("reopened-time"), content);
        FileTime then = FileTime.from(Instant.parse("2001-02-03T04:05:06Z"));
        change(file, content, 1, (byte) 1);
        change(file, content, 2, (byte) 2);
        Files.setLastModifiedTime(file, then);
        Path elsewhere = farm.mountOf("n2").resolve("reopened-time");
        assertThat(elsewhere).hasBinaryContent(content); // now it is closed for good
        assertThat(Files.getLastModifiedTime(elsewhere)).isEqualTo(then);
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(then);
    }

    /** Many programs look for the end of a file each time before they append to it. */
    @Test
    void whoAsksForTheSizeOfWhatHeWritesAsksNobody() throws Exception {
        Path file = Files.write(farm.mount().resolve("reopened-size"), new byte[SIZE]);
        Path elsewhere = farm.mountOf("n2").resolve("reopened-size");
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            await("appends that nobody is asked for")
                    .atMost(QUIET_MAX)
                    .until(() -> callsOfAppends(channel, file), calls -> calls == 0);
            long size = channel.size();
            assertThat(Files.size(elsewhere)).isEqualTo(size);
            channel.truncate(--size);
            assertThat(channel.size()).isEqualTo(size);
            try (FileChannel other = FileChannel.open(elsewhere, StandardOpenOption.WRITE)) {
                other.write(ByteBuffer.wrap(new byte[] {2}), size++);
                assertThat(channel.size()).isEqualTo(size);
                channel.write(ByteBuffer.wrap(new byte[] {3}), size++);
                assertThat(other.size()).isEqualTo(size);
            }
        }
        assertThat(Files.size(elsewhere)).isEqualTo(Files.size(file));
    }

    /** Not none at once: the first asks for a lease, which a busy machine may let run out. */
    private static double callsOfAppends(FileChannel channel, Path file) throws IOException {
        double before = sizesAsked();
        for (int round = 1; round <= APPENDS; round++) {
            long size = channel.size();
            channel.write(ByteBuffer.wrap(new byte[round]), size);
            assertThat(channel.size()).isEqualTo(size + round);
            assertThat(Files.size(file)).isEqualTo(size + round);
        }
        return sizesAsked() - before;
    }

    private static double sizesAsked() {
        return Metrics.calls(farm.component("n1"), "stat")
                + Metrics.calls(farm.component("meta1"), "get-attributes")
                + Metrics.calls(farm.component("cache1"), "get-attributes");
    }

    @Test
    void spaceAndTimeOfAFileThatIsBeingWrittenAreThoseOfItsReplica() throws Exception {
        Path file = Files.write(farm.mount().resolve("reopened-sparse"), new byte[SIZE]);
        Path elsewhere = farm.mountOf("n2").resolve("reopened-sparse");
        FileTime then = FileTime.from(Instant.parse("2001-02-03T04:05:06Z"));
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1}), 64L * SIZE);
            assertThat(allocated(file)).isBetween((long) SIZE, 2L * SIZE);
            assertThat(allocated(elsewhere)).isEqualTo(allocated(file));
            Files.setLastModifiedTime(file, then);
            assertThat(Files.getLastModifiedTime(file)).isEqualTo(then);
            channel.write(ByteBuffer.wrap(new byte[] {2}), 0);
            FileTime written = Files.getLastModifiedTime(file);
            assertThat(written).isGreaterThan(then);
            assertThat(Files.getLastModifiedTime(elsewhere)).isEqualTo(written);
        }
    }

    private static long allocated(Path file) throws IOException {
        Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
        try (BufferedReader out = stat.inputReader()) {
            return Long.parseLong(out.readLine()) * 512;
        }
    }

    @Test
    void aNameThatIsTakenAwayTakesTheFileAlong() throws Exception {
        byte[] content = new byte[SIZE];
        Path file = Files.write(farm.mount().resolve("reopened-removed"), content);
        Path other = Files.write(farm.mount().resolve("reopened-other"), new byte[] {7});
        change(file, content, 1, (byte) 1);
        change(file, content, 2, (byte) 2);
        Files.move(other, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertThat(file).hasBinaryContent(new byte[] {7});
        assertThat(farm.mountOf("n2").resolve("reopened-removed")).hasBinaryContent(new byte[] {7});
    }
}

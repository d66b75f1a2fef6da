package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.campaign.Tier;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Short new files: their programs do not wait for node and metaserver at the close, and everybody
 * else sees what was closed as if they did.
 */
class ClosedLaterTest {
    private static final int ROUNDS = Tier.count("closed.rounds");
    private static final int KILLS = Tier.count("closed.kills");
    private static final int FEW = 4;
    private static final Random random = new Random(29);

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

    private static byte[] bytes(int most) {
        byte[] bytes = new byte[1 + random.nextInt(most)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static Path directory(String name) throws IOException {
        return Files.createDirectory(farm.mount().resolve(name));
    }

    private static Path elsewhere(Path file) {
        return farm.mountOf("n2").resolve(farm.mount().relativize(file));
    }

    @Test
    void aCloseDoesNotWaitForTheMetaserver() throws Exception {
        byte[] content = bytes(9000);
        Path file = directory("later-alone").resolve("file");
        try (ShellBeside shell = farm.shellBeside()) {
            long metaserver = farm.pid("meta1");
            long began;
            try (FileChannel channel =
                    FileChannel.open(
                            file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(content));
                // Stopped no longer than two seconds, whatever becomes of us.
                shell.run(
                        "kill -STOP "
                                + metaserver
                                + "; (sleep 2; kill -CONT "
                                + metaserver
                                + ") &");
                began = System.nanoTime();
            }
            long millis = (System.nanoTime() - began) / 1_000_000;
            shell.run("kill -CONT " + metaserver);
            assertThat(millis).isLessThan(1000);
        }
        assertThat(elsewhere(file)).hasBinaryContent(content);
    }

    @Test
    void whatWasClosedIsSeenElsewhere() throws Exception {
        Path directory = directory("later-seen");
        for (int round = 0; round < ROUNDS; round++) {
            byte[] content = bytes(round % 10 == 0 ? 2 << 20 : 20_000);
            Path file = Files.write(directory.resolve("f" + round), content);
            if (round % 3 == 0) {
                assertThat(Files.size(elsewhere(file))).isEqualTo(content.length);
            }
            assertThat(elsewhere(file)).hasBinaryContent(content);
            assertThat(file).hasBinaryContent(content);
        }
        try (var all = Files.list(elsewhere(directory))) {
            assertThat(all).hasSize(ROUNDS);
        }
    }

    /** As editors, compilers and shells do; the first of the two must not show through. */
    @Test
    void aFileThatIsRewrittenAtOnceKeepsNothingOfWhatWasThere() throws Exception {
        Path directory = directory("later-rewritten");
        for (int round = 0; round < 3 * ROUNDS; round++) {
            Path file = directory.resolve("f" + round % 3);
            Files.write(file, bytes(60_000));
            byte[] content = bytes(round % 5 == 0 ? 1 : 9_000);
            Files.write(file, content);
            assertThat(round % 2 == 0 ? file : elsewhere(file)).hasBinaryContent(content);
        }
    }

    /** However it was opened and by how many, a commit that comes after the close would undo it. */
    @Test
    void aTimeThatIsSetAfterTheCloseStays() throws Exception {
        Path directory = directory("later-set");
        farm.directory("/later-set/twice", 2);
        List<Set<OpenOption>> ways =
                List.of(
                        Set.of(StandardOpenOption.WRITE),
                        Set.of(StandardOpenOption.APPEND),
                        Set.of(StandardOpenOption.WRITE, StandardOpenOption.READ));
        for (int round = 0; round < 2 * ROUNDS; round++) {
            Path file = directory.resolve(round % 2 == 0 ? "once" : "twice/file");
            if (round < 2) Files.write(file, bytes(100));
            Path second = round % 3 == 0 ? file : elsewhere(file);
            try (FileChannel one = FileChannel.open(file, ways.get(round % 3));
                    FileChannel other = FileChannel.open(second, ways.get(round % 2))) {
                one.write(ByteBuffer.wrap(bytes(9_000)));
                if (round % 5 > 0) other.write(ByteBuffer.wrap(bytes(3_000)));
                if (round % 4 > 0) one.write(ByteBuffer.wrap(bytes(10)));
            }
            FileTime time = FileTime.fromMillis(1_000_000_000_000L + round);
            Files.setLastModifiedTime(round % 4 < 2 ? file : elsewhere(file), time);
            assertThat(Files.getLastModifiedTime(file)).as("round %d", round).isEqualTo(time);
            assertThat(Files.getLastModifiedTime(elsewhere(file)))
                    .as("elsewhere, round %d", round)
                    .isEqualTo(time);
        }
    }

    /** People, schedulers and the mount itself: none sees a file that is nowhere. */
    @Test
    void whereAFileLiesIsKnownAsSoonAsItIsClosed() throws Exception {
        Path directory = directory("later-where");
        for (int round = 0; round < ROUNDS / 4; round++) {
            Path file = Files.write(directory.resolve("f" + round), bytes(20_000));
            if (round % 2 == 0) {
                String path = "/" + farm.mount().relativize(file);
                assertThat(farm.client().where(FarmPath.of(path)).getObjectsList())
                        .singleElement()
                        .satisfies(object -> assertThat(object.getReplicasList()).isNotEmpty());
            } else {
                assertThat(farm.sh("getfattr --only-values -n gf.where '" + file + "'"))
                        .matches("(?s)n[123].*");
            }
        }
    }

    @Test
    void syncOfTheRootWaitsForWhatIsBeingClosed() throws Exception {
        Path directory = directory("later-synced");
        for (int i = 0; i < 60; i++) Files.write(directory.resolve("f" + i), bytes(2000));
        farm.sh("sync '" + farm.mount() + "'");
        double then = Metrics.calls(farm.component("n1"), "sync");
        for (int i = 0; i < 60; i++) {
            Path file = directory.resolve("f" + i);
            assertThat(elsewhere(file)).hasSize(Files.size(file));
        }
        assertThat(Metrics.calls(farm.component("n1"), "sync")).isEqualTo(then);
    }

    /** Backups, git and make look whether a file has changed by these. */
    @Test
    void attributesStayAsTheyWereAtTheClose() throws Exception {
        Path directory = directory("later-attributes");
        for (int round = 0; round < ROUNDS / 4; round++) {
            Path file = Files.write(directory.resolve("f" + round), bytes(20_000));
            String names = "unix:size,lastModifiedTime,ctime,mode,nlink,ino";
            Map<String, Object> then = Files.readAttributes(file, names);
            farm.sh("sync '" + farm.mount() + "'");
            assertThat(Files.readAttributes(file, names)).isEqualTo(then);
            assertThat(
                            Files.readAttributes(
                                    elsewhere(file), "unix:size,lastModifiedTime,ctime,mode"))
                    .containsEntry("size", then.get("size"))
                    .containsEntry("lastModifiedTime", then.get("lastModifiedTime"))
                    .containsEntry("ctime", then.get("ctime"));
        }
    }

    @Test
    void whatIsChangedAfterTheCloseStaysChanged() throws Exception {
        Path directory = directory("later-changed");
        FileTime then = FileTime.from(Instant.parse("2001-02-03T04:05:06Z"));
        Set<PosixFilePermission> mode = PosixFilePermissions.fromString("r-x--x--x");
        for (int round = 0; round < ROUNDS / 4; round++) {
            byte[] content = bytes(20_000);
            Path file = Files.write(directory.resolve("f" + round), content);
            Files.setLastModifiedTime(file, then);
            Files.setPosixFilePermissions(file, mode);
            Path link = Files.createLink(directory.resolve("l" + round), file);
            Path moved = Files.move(file, directory.resolve("m" + round));
            assertThat(elsewhere(moved)).hasBinaryContent(content);
            assertThat(elsewhere(link)).hasBinaryContent(content);
            assertThat(Files.getLastModifiedTime(elsewhere(moved))).isEqualTo(then);
            assertThat(Files.getLastModifiedTime(moved)).isEqualTo(then);
            assertThat(Files.getPosixFilePermissions(elsewhere(moved))).isEqualTo(mode);
        }
    }

    @Test
    void aFileThatIsReplacedOrRemovedAtOnceIsSo() throws Exception {
        Path directory = directory("later-replaced");
        Path file = directory.resolve("file");
        for (int round = 0; round < ROUNDS; round++) {
            byte[] content = bytes(20_000);
            Path next = Files.write(directory.resolve("next"), content);
            Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
            assertThat(file).hasBinaryContent(content);
            assertThat(elsewhere(file)).hasBinaryContent(content);
            Files.delete(Files.write(directory.resolve("gone"), content));
            assertThat(elsewhere(directory).resolve("gone")).doesNotExist();
        }
    }

    @Test
    void whatIsWrittenMoreAfterTheCloseIsAdded() throws Exception {
        Path directory = directory("later-appended");
        for (int round = 0; round < ROUNDS / 4; round++) {
            Path file = directory.resolve("f" + round);
            Files.writeString(file, "one\n");
            Files.writeString(file, "two\n", StandardOpenOption.APPEND);
            Files.writeString(elsewhere(file), "three\n", StandardOpenOption.APPEND);
            assertThat(file).hasContent("one\ntwo\nthree\n");
            assertThat(elsewhere(file)).hasContent("one\ntwo\nthree\n");
        }
    }

    @Test
    void whatWasClosedIsThereWhenTheMountsProcessIsKilled() throws Exception {
        Path directory = directory("later-killed");
        byte[] content = bytes(20_000);
        for (int round = 0; round < KILLS; round++) {
            ProcessHandle server = farm.mountServer();
            for (int i = 0; i < ROUNDS; i++) {
                Files.write(directory.resolve(round + "-" + i), content);
            }
            server.destroyForcibly();
            for (int i = 0; i < ROUNDS; i++) {
                assertThat(elsewhere(directory.resolve(round + "-" + i))).hasBinaryContent(content);
            }
        }
    }

    private static void awaitNamesTold(Path mount) {
        await("the leader's hearing of all names")
                .until(() ->
                        Files.readString(mount.resolve(".gf/stats"))
                                .lines()
                                .noneMatch(line -> line.matches("commands_waiting [1-9]\\d*")));
    }

    /** The node makes them when it has heard of the mount's first file. */
    private static void awaitFilesMadeAhead(Path mount, Path file) {
        Path staged = farm.directory().resolve("n1/data/staged");
        ProcessHandle server = farm.mountServer(mount);
        await("files that the node of " + mount + " made ahead")
                .until(() -> {
                    Files.deleteIfExists(file);
                    try (OutputStream writer = Files.newOutputStream(file)) {
                        writer.write('a');
                        return Descriptors.leadInto(staged, server);
                    }
                });
    }

    /** Nobody goes on for the mount, and its node has heard of no file. */
    @Test
    void whatWasClosedIsThereWhenTheMountIsKilledForGood() throws Exception {
        Path mount = farm.anotherMount("n1");
        Path directory = Files.createDirectory(mount.resolve("later-lost"));
        byte[] content = bytes(20_000);
        awaitFilesMadeAhead(mount, directory.resolve("before"));
        try (ShellBeside shell = farm.shellBeside()) {
            shell.run("kill -STOP " + farm.pid("n1"));
            try {
                for (int i = 0; i < FEW; i++) {
                    Files.write(directory.resolve("f" + i), content);
                }
                awaitNamesTold(mount); // else they would end with the session
                killForGood(mount, shell);
            } finally {
                shell.run("kill -CONT " + farm.pid("n1"));
            }
        }
        Path seen = farm.mountOf("n2").resolve("later-lost");
        FarmPath last = FarmPath.of("/later-lost/f" + (FEW - 1));
        await("the end of the session")
                .atMost(Duration.ofMinutes(1))
                .ignoreExceptionsInstanceOf(FarmException.class)
                .until(() ->
                        farm.client().where(last).getObjectsList().stream()
                                .flatMap(object -> object.getReplicasList().stream())
                                .anyMatch(replica -> replica.getNode().equals("n1")));
        for (int i = 0; i < FEW; i++) {
            assertThat(seen.resolve("f" + i)).hasBinaryContent(content);
        }
    }

    private static void killForGood(Path mount, ShellBeside shell) throws Exception {
        // The supervisor first, which would begin another.
        shell.run("pkill -KILL -f 'sh .* " + mount + "' || true");
        shell.run("pkill -KILL -f 'java.* " + mount + "( |$)' || true");
    }

    /**
     * A close at level 2 has made the copies, and their names are durable; the commit may be still
     * to come.
     */
    @Test
    void whatWasClosedAtLevelTwoOutlivesItsHost() throws Exception {
        Path mount = farm.anotherMount("n3");
        farm.directory("/later-copies", 2);
        Path directory = Files.createDirectory(mount.resolve("later-copies/own"));
        byte[] content = bytes(20_000);
        for (int i = 0; i < 20; i++) { // from now on there are files that the node made ahead
            Files.write(directory.resolve("before" + i), content);
        }
        try (ShellBeside shell = farm.shellBeside()) {
            long node = farm.pid("n3");
            for (int i = 0; i < FEW; i++) {
                Files.write(directory.resolve("f" + i), content);
            }
            shell.run("kill -KILL " + node);
            killForGood(mount, shell);
        }
        try {
            Path seen = farm.mountOf("n2").resolve("later-copies/own");
            for (int i = 0; i < FEW; i++) {
                assertThat(seen.resolve("f" + i)).hasBinaryContent(content);
            }
        } finally {
            farm.restart("n3");
            farm.awaitNodes();
        }
    }

    /** What was written before, and is told later, does not count for more. */
    @Test
    void aTimeThatIsSetElsewhereAfterTheCloseStays() throws Exception {
        Path directory = directory("later-dated");
        FileTime time = FileTime.fromMillis(1_000_000_000_000L);
        for (int round = 0; round < ROUNDS; round++) {
            Path file = Files.write(directory.resolve("f" + round), bytes(5000));
            if (round % 2 == 0) Files.write(file, bytes(5000));
            Files.setLastModifiedTime(elsewhere(file), time);
            assertThat(Files.getLastModifiedTime(elsewhere(file))).isEqualTo(time);
            assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
        }
    }

    /** An old change that is told after another's later one tells nothing of the time. */
    @Test
    void anFsyncAfterAWriteElsewhereKeepsTheTimeOfThat() throws Exception {
        Path file = Files.write(directory("later-fsync").resolve("file"), bytes(5000));
        FileTime written;
        try (FileChannel open = FileChannel.open(file, StandardOpenOption.WRITE)) {
            open.write(ByteBuffer.wrap(bytes(100)), 0);
            Instant then = Instant.now().plusMillis(1_200); // clocks may be a second apart
            await().until(() -> Instant.now().isAfter(then));
            Files.write(elsewhere(file), bytes(100));
            written = Files.getLastModifiedTime(elsewhere(file));
            Object changed = Files.getAttribute(file, "unix:ctime");
            open.force(false);
            assertThat(Files.getLastModifiedTime(file)).isEqualTo(written);
            assertThat(Files.getAttribute(file, "unix:ctime")).isEqualTo(changed);
        }
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(written);
    }

    private interface Change {
        /** The file's name afterwards. */
        Path made(Path file) throws Exception;
    }

    /** Each moves the ctime; the time of the last write is what it was. */
    private static final Map<String, Change> CHANGES =
            Map.of(
                    "chmod",
                    file -> {
                        Files.setPosixFilePermissions(
                                file, PosixFilePermissions.fromString("rw-rw----"));
                        return file;
                    },
                    "link",
                    file -> {
                        Files.createLink(file.resolveSibling(file.getFileName() + ".link"), file);
                        return file;
                    },
                    "unlink",
                    file -> {
                        Files.delete(file.resolveSibling(file.getFileName() + ".other"));
                        return file;
                    },
                    "rename",
                    file -> Files.move(file, file.resolveSibling(file.getFileName() + ".moved")),
                    "xattr",
                    file -> {
                        Files.getFileAttributeView(file, UserDefinedFileAttributeView.class)
                                .write("of", ByteBuffer.wrap(new byte[] {1}));
                        return file;
                    });

    @Test
    void aChangeElsewhereHidesNoWriteThatWasBefore() throws Exception {
        hidesNothing(directory("later-hidden"), ClosedLaterTest::elsewhere);
    }

    @Test
    void norDoesAChangeHere() throws Exception {
        hidesNothing(directory("later-hidden-here"), file -> file);
    }

    private static void hidesNothing(Path directory, UnaryOperator<Path> through) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            for (Map.Entry<String, Change> change : new TreeMap<>(CHANGES).entrySet()) {
                Path file = Files.write(directory.resolve(change.getKey() + round), bytes(5000));
                Path other = file.resolveSibling(file.getFileName() + ".other");
                Files.createLink(other, file);
                Files.write(file, bytes(5000), StandardOpenOption.WRITE);
                FileTime written = Files.getLastModifiedTime(file);
                Path after = change.getValue().made(through.apply(file));
                assertThat(Files.getLastModifiedTime(after)).as(change.getKey()).isEqualTo(written);
                Path third = farm.mountOf("n3").resolve(directory.getFileName());
                assertThat(Files.getLastModifiedTime(third.resolve(after.getFileName())))
                        .as("elsewhere: " + change.getKey())
                        .isEqualTo(written);
            }
        }
    }

    /** Nothing of it is closed; the metaserver knows of the change, and of no write. */
    @Test
    void aChangeHidesNoWriteOfAnOpenFile() throws Exception {
        Path once = directory("later-open");
        farm.directory("/later-open/twice", 2);
        for (Path directory : List.of(once, once.resolve("twice"))) {
            for (int size : List.of(100, 100_000)) { // the kernel changes the longer one itself
                for (Map.Entry<String, Change> change : CHANGES.entrySet()) {
                    writtenAndChanged(directory.resolve(change.getKey() + size), size, change);
                }
            }
        }
    }

    private static void writtenAndChanged(Path file, int size, Map.Entry<String, Change> change)
            throws Exception {
        Files.write(file, bytes(1));
        Files.write(file, new byte[size], StandardOpenOption.APPEND);
        Files.createLink(file.resolveSibling(file.getFileName() + ".other"), file);
        FileTime before = Files.getLastModifiedTime(file);
        Path changed = random.nextBoolean() ? file : elsewhere(file);
        try (FileChannel open =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            await("a later time of the file")
                    .until(() -> {
                        open.write(ByteBuffer.wrap(bytes(100)), 0);
                        return !Files.getLastModifiedTime(file).equals(before);
                    });
            FileTime written = Files.getLastModifiedTime(file);
            Path after = change.getValue().made(changed);
            Path here = file.resolveSibling(after.getFileName());
            assertThat(Files.getLastModifiedTime(here)).as("%s", here).isEqualTo(written);
            assertThat(Files.getLastModifiedTime(elsewhere(here)))
                    .as("elsewhere: %s", here)
                    .isEqualTo(written);
        }
    }

    /** What was written before the time was set is no news when the file is closed. */
    @Test
    void aTimeThatIsSetElsewhereWhileTheFileIsOpenStays() throws Exception {
        Path once = directory("later-open-dated");
        farm.directory("/later-open-dated/twice", 2);
        FileTime time = FileTime.fromMillis(1_000_000_000_000L);
        for (Path directory : List.of(once, once.resolve("twice"))) {
            for (int size : List.of(100, 100_000)) {
                Path file = Files.write(directory.resolve("f" + size), new byte[size]);
                try (FileChannel open =
                        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    open.write(ByteBuffer.wrap(bytes(100)), 0);
                    Files.setLastModifiedTime(elsewhere(file), time);
                    assertThat(Files.getLastModifiedTime(file)).as("%s", file).isEqualTo(time);
                }
                assertThat(Files.getLastModifiedTime(elsewhere(file)))
                        .as("%s", file)
                        .isEqualTo(time);
                farm.sh("sync '" + farm.mount() + "'");
                assertThat(Files.getLastModifiedTime(elsewhere(file)))
                        .as("%s", file)
                        .isEqualTo(time);
            }
        }
    }
}

package org.gridfarm.scheduler.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.RunTaskRequest;
import org.gridfarm.protocol.wire.TaskSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The scripts, run by the shell over a directory of this host in place of the mount. */
class PublicationTest {
    private static final int CANNOT_CREATE = 73;

    @TempDir private Path mount;

    private static ByteString text(String text) {
        return ByteString.copyFromUtf8(text);
    }

    private static Publication of(String... outputs) {
        TaskSpec.Builder task = TaskSpec.newBuilder();
        Stream.of(outputs).forEach(output -> task.addOutputs(text(output)));
        return Publication.of(task.build()).orElseThrow();
    }

    private static RunTaskRequest attempt(int number, String command) {
        return RunTaskRequest.newBuilder()
                .setTask("7.0." + number)
                .addAllArgv(List.of(text("/bin/sh"), text("-c"), text(command)))
                .build();
    }

    private int run(RunTaskRequest request) throws IOException, InterruptedException {
        List<String> words = request.getArgvList().stream().map(ByteString::toStringUtf8).toList();
        ProcessBuilder builder = new ProcessBuilder(words).inheritIO();
        builder.environment().put("GF_MOUNT", mount.toString());
        return builder.start().waitFor();
    }

    private List<String> names(String directory) throws IOException {
        try (Stream<Path> files = Files.list(mount.resolve(directory))) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private String content(String file) throws IOException {
        return Files.readString(mount.resolve(file));
    }

    @Test
    void aFileAppearsWholeAndReplacesTheOneBefore() throws Exception {
        Publication publication = of("/out/a b");
        Files.createDirectories(mount.resolve("out"));
        Files.writeString(mount.resolve("out/a b"), "before");

        RunTaskRequest attempt = attempt(1, "echo new >\"$GF_OUT\"");
        assertEquals(0, run(publication.prepared(attempt)));
        assertEquals("before", content("out/a b"));
        assertEquals(0, run(publication.published(attempt)));

        assertEquals("new\n", content("out/a b"));
        assertEquals(List.of("a b"), names("out"));
        assertEquals(0, run(publication.published(attempt)), "once more changes nothing");
        assertEquals("new\n", content("out/a b"));
    }

    @Test
    void aDirectoryAppearsWithAllThatIsInItInPlaceOfTheOneBefore() throws Exception {
        Publication publication = of("/out/d/");
        Files.createDirectories(mount.resolve("out/d/old"));

        RunTaskRequest attempt = attempt(1, "cd \"$GF_OUT\" && touch x y");
        assertEquals(0, run(publication.prepared(attempt)));
        assertEquals(List.of("old"), names("out/d"));
        assertEquals(0, run(publication.published(attempt)));

        assertEquals(List.of("x", "y"), names("out/d"));
        assertEquals(List.of("d"), names("out"));
    }

    @Test
    void whatAnAttemptLeftThatFailedIsGone() throws Exception {
        Publication publication = of("/out/sub/a");
        RunTaskRequest attempt = attempt(1, "echo half >\"$GF_OUT\"; exit 3");

        assertEquals(3, run(publication.prepared(attempt)));
        assertEquals(0, run(publication.discarded(attempt)));

        assertEquals(List.of(), names("out/sub"));
    }

    @Test
    void aSupersededAttemptCanLeaveNothingWhenAnotherHasBeenPublished() throws Exception {
        Publication publication = of("/a");
        RunTaskRequest first = attempt(1, "echo first >\"$GF_OUT\"");
        assertEquals(0, run(publication.prepared(first)));
        RunTaskRequest second = attempt(2, "echo second >\"$GF_OUT\"");
        assertEquals(0, run(publication.prepared(second)));
        assertEquals(0, run(publication.published(second)));

        assertEquals(0, run(publication.published(first)));

        assertEquals("second\n", content("a"));
        assertEquals(List.of("a"), names(""));
    }

    @Test
    void anotherTaskOfTheSameNumbersBeginningIsLeftAlone() throws Exception {
        Publication publication = of("/a");
        Files.createDirectories(mount.resolve(".gf-out-7.01.1"));
        RunTaskRequest attempt = attempt(1, "echo 1 >\"$GF_OUT\"");
        assertEquals(0, run(publication.prepared(attempt)));
        assertEquals(0, run(publication.published(attempt)));

        assertEquals(List.of(".gf-out-7.01.1", "a"), names(""));
    }

    @Test
    void aTaskThatWroteNothingIsToldSoAndWhatWasThereStays() throws Exception {
        Publication publication = of("/a");
        Files.writeString(mount.resolve("a"), "before");
        RunTaskRequest attempt = attempt(1, "true");
        assertEquals(0, run(publication.prepared(attempt)));

        assertEquals(CANNOT_CREATE, run(publication.published(attempt)));

        assertEquals("before", content("a"));
    }

    @Test
    void aPublicationThatWasCutOffAfterTheRenameIsEnded() throws Exception {
        Publication publication = of("/a");
        RunTaskRequest attempt = attempt(1, "echo 1 >\"$GF_OUT\"");
        assertEquals(0, run(publication.prepared(attempt)));
        Path hidden = mount.resolve(".gf-out-7.0.1");
        Files.createFile(hidden.resolve(".gf-publish"));
        Files.move(hidden.resolve("a"), mount.resolve("a"));

        assertEquals(0, run(publication.published(attempt)));

        assertEquals("1\n", content("a"));
        assertFalse(Files.exists(hidden));
    }

    @Test
    void nobodyElseMayEnterTheDirectoryOfAnAttempt() throws Exception {
        Publication publication = of("/a");
        assertEquals(0, run(publication.prepared(attempt(1, "true"))));

        assertEquals(
                "rwx------",
                java.nio.file.attribute.PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(mount.resolve(".gf-out-7.0.1"))));
    }

    @Test
    void anOutputIsOnePathWithAName() {
        assertTrue(Publication.of(TaskSpec.getDefaultInstance()).isEmpty());
        for (String[] bad : new String[][] {{"/a", "/b"}, {"/"}, {"/.gf-out-1.1.1"}, {"a"}}) {
            assertEquals(
                    ErrorKind.INVALID,
                    assertThrows(FarmException.class, () -> of(bad)).kind(),
                    bad[0]);
        }
    }

    @Test
    void oneOfTwoAttemptsRemovesItsOwnDirectoryAlone() throws Exception {
        Publication publication = of("/out/f");
        assertEquals(0, run(publication.prepared(attempt(1, "echo one > $GF_OUT"))));
        assertEquals(0, run(publication.prepared(attempt(10, "echo ten > $GF_OUT"))));
        assertEquals(0, run(publication.discardedOwn(attempt(1, ""))));
        assertEquals(List.of(".gf-out-7.0.10"), names("out"));
        assertEquals(0, run(publication.published(attempt(10, ""))));
        assertEquals(List.of("f"), names("out"));
        assertEquals("ten\n", content("out/f"));
    }
}

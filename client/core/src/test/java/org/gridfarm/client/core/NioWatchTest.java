package org.gridfarm.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;

import org.gridfarm.client.core.NioRoots.Over;
import org.gridfarm.client.core.nio.FarmFileSystemProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What {@code java.nio.file} promises of watching directories. */
@Timeout(60)
class NioWatchTest {
    private static final NioRoots roots = new NioRoots();
    private static final WatchEvent.Kind<?>[] ALL = {ENTRY_CREATE, ENTRY_DELETE, ENTRY_MODIFY};

    @BeforeAll
    static void open(@TempDir Path local) {
        roots.open(local);
    }

    @AfterAll
    static void close() throws IOException {
        roots.close();
    }

    private static WatchService watcher(Path at) throws IOException {
        return at.getFileSystem().newWatchService();
    }

    private static String shown(WatchEvent<?> event) {
        return event.kind().name() + " " + event.context();
    }

    /** Events until this one has come, of whatever key. */
    private static List<String> until(WatchService watcher, String wanted) throws Exception {
        List<String> seen = new ArrayList<>();
        while (!seen.contains(wanted)) {
            WatchKey key = watcher.poll(20, TimeUnit.SECONDS);
            assertThat(key).as("a key for " + wanted + " after " + seen).isNotNull();
            key.pollEvents().forEach(event -> seen.add(shown(event)));
            key.reset();
        }
        return seen;
    }

    // ---- on all file systems

    @ParameterizedTest
    @EnumSource
    void whatIsMadeChangedAndRemovedIsTold(Over over) throws Exception {
        Path at = roots.fresh(over);
        Files.createFile(at.resolve("old"));
        try (WatchService watcher = watcher(at)) {
            WatchKey key = at.register(watcher, ALL);
            assertThat(key.watchable()).isEqualTo(at);
            assertThat(watcher.poll()).isNull();
            Files.createFile(at.resolve("f"));
            assertThat(until(watcher, "ENTRY_CREATE f"))
                    .doesNotContain("ENTRY_CREATE old", "ENTRY_MODIFY old");
            Files.writeString(at.resolve("f"), "content");
            assertThat(until(watcher, "ENTRY_MODIFY f")).doesNotContain("ENTRY_CREATE f");
            Files.move(at.resolve("f"), at.resolve("g"));
            List<String> moved = until(watcher, "ENTRY_CREATE g");
            if (!moved.contains("ENTRY_DELETE f")) until(watcher, "ENTRY_DELETE f");
            Files.delete(at.resolve("old"));
            until(watcher, "ENTRY_DELETE old");
            Files.createDirectory(at.resolve("d"));
            until(watcher, "ENTRY_CREATE d");
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyWhatWasAskedForIsTold(Over over) throws Exception {
        Path at = roots.fresh(over);
        try (WatchService watcher = watcher(at)) {
            at.register(watcher, ENTRY_DELETE);
            Files.writeString(at.resolve("f"), "content");
            Path below = Files.createDirectory(at.resolve("d"));
            Files.createFile(below.resolve("deep"));
            Files.delete(below.resolve("deep"));
            at.register(watcher, ENTRY_CREATE, ENTRY_DELETE);
            Files.createFile(at.resolve("g"));
            assertThat(until(watcher, "ENTRY_CREATE g"))
                    .noneMatch(told -> told.endsWith(" deep") || told.contains("MODIFY"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aKeyWaitsToBeReset(Over over) throws Exception {
        Path at = roots.fresh(over);
        try (WatchService watcher = watcher(at)) {
            WatchKey key = at.register(watcher, ENTRY_CREATE);
            Files.createFile(at.resolve("a"));
            assertThat(watcher.take()).isSameAs(key);
            Files.createFile(at.resolve("b"));
            List<String> seen = new ArrayList<>();
            await().until(() -> {
                key.pollEvents().forEach(event -> seen.add(shown(event)));
                return seen.contains("ENTRY_CREATE b");
            });
            assertThat(watcher.poll()).isNull();
            assertThat(key.reset()).isTrue();
            Files.createFile(at.resolve("c"));
            assertThat(watcher.take()).isSameAs(key);
            key.cancel();
            assertThat(key.isValid()).isFalse();
            assertThat(key.reset()).isFalse();
            assertThat(at.register(watcher, ENTRY_CREATE)).isNotSameAs(key);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClosedServiceSaysSo(Over over) throws Exception {
        Path at = roots.fresh(over);
        WatchService watcher = watcher(at);
        WatchKey key = at.register(watcher, ENTRY_CREATE);
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread waiting =
                new Thread(() -> {
                    try {
                        WatchKey told = watcher.take();
                        failure.complete(new AssertionError("told of " + told));
                    } catch (Throwable e) {
                        failure.complete(e);
                    }
                });
        waiting.start();
        await().until(() -> waiting.getState() == Thread.State.WAITING);
        watcher.close();
        watcher.close();
        assertThat(failure.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ClosedWatchServiceException.class);
        assertThat(key.isValid()).isFalse();
        assertThatThrownBy(watcher::poll).isInstanceOf(ClosedWatchServiceException.class);
        assertThatThrownBy(() -> watcher.poll(1, TimeUnit.SECONDS))
                .isInstanceOf(ClosedWatchServiceException.class);
        assertThatThrownBy(() -> at.register(watcher, ENTRY_CREATE))
                .isInstanceOf(ClosedWatchServiceException.class);
        waiting.join();
    }

    // ---- where jimfs is more lenient, or tells nothing

    @ParameterizedTest
    @EnumSource(names = {"FARM", "LOCAL"})
    void theKeyOfADirectoryThatIsGoneIsInvalid(Over over) throws Exception {
        Path at = roots.fresh(over);
        Path gone = Files.createDirectory(at.resolve("gone"));
        try (WatchService watcher = watcher(at)) {
            WatchKey key = gone.register(watcher, ALL);
            Files.delete(gone);
            assertThat(watcher.take()).isSameAs(key);
            await().until(() -> !key.reset());
            assertThat(key.isValid()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FARM", "LOCAL"})
    void whatCannotBeWatchedIsRefused(Over over) throws Exception {
        Path at = roots.fresh(over);
        Path file = Files.createFile(at.resolve("f"));
        try (WatchService watcher = watcher(at)) {
            assertThat(at.register(watcher, ENTRY_CREATE))
                    .isSameAs(at.register(watcher, ENTRY_CREATE));
            assertThatThrownBy(() -> file.register(watcher, ENTRY_CREATE))
                    .isInstanceOf(NotDirectoryException.class);
            assertThatThrownBy(() -> at.resolve("none").register(watcher, ENTRY_CREATE))
                    .isInstanceOf(NoSuchFileException.class);
            assertThatThrownBy(() -> at.register(watcher, OVERFLOW))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> at.register(watcher, new OddKind()))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> at.register(watcher, ALL, () -> "odd"))
                    .isInstanceOf(UnsupportedOperationException.class);
            Path other = roots.root(over == Over.FARM ? Over.LOCAL : Over.FARM);
            assertThatThrownBy(() -> other.register(watcher, ENTRY_CREATE))
                    .isInstanceOf(ProviderMismatchException.class);
        }
    }

    private record OddKind() implements WatchEvent.Kind<Path> {
        @Override
        public String name() {
            return "odd";
        }

        @Override
        public Class<Path> type() {
            return Path.class;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FARM", "LOCAL"})
    void whoFallsBehindIsToldSo(Over over) throws Exception {
        Path at = roots.fresh(over);
        try (WatchService watcher = watcher(at)) {
            WatchKey key = at.register(watcher, ENTRY_CREATE);
            for (int i = 0; i < 600; i++) {
                Files.createFile(at.resolve("f" + i));
            }
            List<String> seen = new ArrayList<>();
            await().until(() -> {
                key.pollEvents().forEach(event -> seen.add(shown(event)));
                return seen.contains("OVERFLOW null") || seen.contains("ENTRY_CREATE f599");
            });
            assertThat(seen.contains("OVERFLOW null") || seen.size() == 600).isTrue();
        }
    }

    // ---- what only several clients show

    @Nested
    class SeveralClients {
        private final MemoryFarm memory = new MemoryFarm(1);
        private final FileSystem here = opened();
        private final FileSystem there = opened();
        private final Path at = here.getPath("/d");
        private final Path other = there.getPath("/d");

        private FileSystem opened() {
            return new FarmFileSystemProvider().newFileSystem(memory.client());
        }

        @org.junit.jupiter.api.AfterEach
        void close() {
            memory.close();
        }

        private int listings() {
            return memory.metaserver.calls("read-directory");
        }

        @Test
        void whatAnotherDoesIsToldByARecall() throws Exception {
            Files.createDirectory(at);
            Files.writeString(at.resolve("f"), "content");
            try (WatchService watcher = here.newWatchService()) {
                at.register(watcher, ALL);
                int before = listings();
                assertThat(before).isPositive();
                Files.createDirectory(other.resolve("made"));
                until(watcher, "ENTRY_CREATE made");
                assertThat(listings() - before).isBetween(1, 2);
                int then = listings();
                Files.setPosixFilePermissions(
                        other.resolve("f"),
                        java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
                until(watcher, "ENTRY_MODIFY f");
                assertThat(listings()).isEqualTo(then); // one file was asked for
            }
        }

        @Test
        void aFileThatAnotherWritesGrows() throws Exception {
            Files.createDirectory(at);
            try (WatchService watcher = here.newWatchService();
                    var out =
                            Files.newByteChannel(
                                    Files.createFile(other.resolve("f")),
                                    StandardOpenOption.WRITE)) {
                at.register(watcher, ENTRY_MODIFY);
                out.write(java.nio.ByteBuffer.allocate(10));
                until(watcher, "ENTRY_MODIFY f");
                out.write(java.nio.ByteBuffer.allocate(10));
                until(watcher, "ENTRY_MODIFY f");
            }
        }

        @Test
        void aFileThatTakesTheNameOfAnotherIsNew() throws Exception {
            Files.createDirectory(at);
            Files.writeString(at.resolve("f"), "old");
            Files.writeString(other.resolve("g"), "new");
            try (WatchService watcher = here.newWatchService()) {
                at.register(watcher, ALL);
                Files.move(other.resolve("g"), other.resolve("f"), StandardCopyOption.ATOMIC_MOVE);
                assertThat(until(watcher, "ENTRY_CREATE f"))
                        .containsSubsequence("ENTRY_DELETE f", "ENTRY_CREATE f");
            }
        }

        @Test
        void theirRemovalOfTheDirectoryEndsTheKey() throws Exception {
            Files.createDirectory(at);
            Files.createFile(at.resolve("f"));
            try (WatchService watcher = here.newWatchService()) {
                WatchKey key = at.register(watcher, ALL);
                Files.delete(other.resolve("f"));
                Files.delete(other);
                List<String> seen = new ArrayList<>();
                await().until(() -> {
                    key.pollEvents().forEach(event -> seen.add(shown(event)));
                    return !key.reset();
                });
                key.pollEvents().forEach(event -> seen.add(shown(event)));
                assertThat(seen).contains("ENTRY_DELETE f");
            }
        }

        @Test
        void whatHappenedWhileTheServerChangedIsFound() throws Exception {
            Files.createDirectory(at);
            try (WatchService watcher = here.newWatchService()) {
                at.register(watcher, ALL);
                memory.metaserver.restart();
                Files.createFile(other.resolve("f"));
                until(watcher, "ENTRY_CREATE f");
            }
        }

        @Test
        void aClosedFileSystemClosesItsServices() throws Exception {
            Files.createDirectory(at);
            WatchService watcher = here.newWatchService();
            at.register(watcher, ALL);
            here.close();
            assertThatThrownBy(watcher::take).isInstanceOf(ClosedWatchServiceException.class);
        }
    }
}

package org.gridfarm.client.mount.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.gridfarm.client.mount.fuse.OpenFiles.Way;
import org.junit.jupiter.api.Test;

class OpenFilesTest {

    private static final class Registered implements Backing {
        int holders = 1;

        @Override
        public int id() {
            return 42;
        }

        @Override
        public void retain() {
            holders++;
        }

        @Override
        public void release() {
            holders--;
        }
    }

    private final OpenFiles files = new OpenFiles();
    private final Registered backing = new Registered();

    private static final Way THROUGH = new Way(OpenMode.PASSTHROUGH, 42);
    private static final Way SERVED = new Way(OpenMode.PASSTHROUGH | OpenMode.DIRECT_IO, 42);

    @Test
    void thePassedThroughFileIsPassedToEveryReaderAndItsBackingEndsWithTheLast() {
        Way first = files.openThrough(5, false, "file", () -> backing);
        Way second = files.openThrough(5, false, "file", () -> backing);
        assertThat(first).isEqualTo(THROUGH);
        assertThat(second).isEqualTo(first);
        files.released(5, first.mode());
        assertThat(backing.holders).isEqualTo(1);
        files.released(5, second.mode());
        assertThat(backing.holders).isZero();
        assertThat(files.size()).isZero();
    }

    @Test
    void aDirectFileIsNotPassedThroughBeforeItsLastRelease() {
        Way direct = files.open(5);
        Way wished = files.openThrough(5, false, "file", () -> backing);
        assertThat(wished.passthrough()).isFalse();
        files.released(5, direct.mode());
        files.released(5, wished.mode());
        assertThat(files.openThrough(5, false, "file", () -> backing).passthrough()).isTrue();
    }

    @Test
    void aWriterBesideReadersOfASharedReplicaWritesThroughTheFileSystem() {
        files.openThrough(5, false, "file", () -> backing);
        assertThat(files.open(5)).isEqualTo(SERVED);
        assertThat(files.openThrough(5, true, "file", () -> backing)).isEqualTo(SERVED);
    }

    @Test
    void aReplicaThatWasReplacedIsReadByTheFileSystemAsLongAsTheFormerOneIsOpen() {
        Way before = files.openThrough(5, false, "former", () -> backing);
        Way now = files.openThrough(5, false, "present", () -> backing);
        assertThat(now).isEqualTo(SERVED);
        files.released(5, before.mode());
        assertThat(backing.holders).isEqualTo(1);
        assertThat(files.openThrough(5, false, "present", () -> backing)).isEqualTo(SERVED);
    }

    @Test
    void whatAFormerProcessPassedThroughIsNotKnownToBeTheReplicaOfNow() {
        files.restore(5, OpenMode.PASSTHROUGH, false, false, 7, _ -> backing);
        assertThat(files.openThrough(5, false, "file", () -> backing)).isEqualTo(SERVED);
    }

    @Test
    void aNumberThatAFormerProcessGaveToAnotherFileSinceIsLeftToThat() {
        files.restore(6, OpenMode.PASSTHROUGH, false, false, backing.id(), _ -> backing);
        files.restore(
                5,
                OpenMode.PASSTHROUGH,
                true,
                true,
                backing.id(),
                _ -> fail("it is held for another file"));
        files.released(5, OpenMode.PASSTHROUGH);
        assertThat(backing.holders).isEqualTo(1);
        assertThat(files.backing(6)).isEqualTo(backing.id());
    }

    @Test
    void aWriterJoinsAPrivateStagingFileThroughTheFileSystem() {
        files.openThrough(5, true, "file", () -> backing);
        assertThat(files.open(5)).isEqualTo(SERVED);
    }

    @Test
    void whereNoBackingIsToBeHadTheFileIsDirect() {
        assertThat(files.openThrough(5, false, "file", () -> null))
                .isEqualTo(new Way(OpenMode.DIRECT_IO, 0));
    }
}

package org.gridfarm.client.mount.fuse;

import static org.assertj.core.api.Assertions.assertThat;

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

    @Test
    void thePassedThroughFileIsPassedToEveryReaderAndItsBackingEndsWithTheLast() {
        Way first = files.openThrough(5, false, () -> backing);
        Way second = files.open(5, false, false);
        assertThat(first).isEqualTo(new Way(0, OpenMode.PASSTHROUGH, 42));
        assertThat(second).isEqualTo(first);
        files.released(5, first.mode());
        assertThat(backing.holders).isEqualTo(1);
        files.released(5, second.mode());
        assertThat(backing.holders).isZero();
        assertThat(files.size()).isZero();
    }

    @Test
    void aCachedFileIsNotPassedThroughBeforeItsLastRelease() {
        Way cached = files.open(5, false, false);
        Way wished = files.openThrough(5, false, () -> backing);
        assertThat(wished.passthrough()).isFalse();
        files.released(5, cached.mode());
        files.released(5, wished.mode());
        assertThat(files.openThrough(5, false, () -> backing).passthrough()).isTrue();
    }

    @Test
    void aWriterBesideReadersOfASharedReplicaWritesThroughTheFileSystem() {
        files.openThrough(5, false, () -> backing);
        Way served = new Way(0, OpenMode.PASSTHROUGH | OpenMode.DIRECT_IO, 42);
        assertThat(files.open(5, true, false)).isEqualTo(served);
        assertThat(files.openThrough(5, true, () -> backing)).isEqualTo(served);
    }

    @Test
    void aWriterJoinsAPrivateStagingFileThroughTheFileSystem() {
        files.openThrough(5, true, () -> backing);
        assertThat(files.open(5, true, false))
                .isEqualTo(new Way(0, OpenMode.PASSTHROUGH | OpenMode.DIRECT_IO, 42));
    }

    @Test
    void whereNoBackingIsToBeHadTheFileIsCached() {
        assertThat(files.openThrough(5, false, () -> null)).isEqualTo(new Way(0, 0, 0));
    }
}

package org.gridfarm.client.mount;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.mount.fuse.Attributes;
import org.gridfarm.client.mount.fuse.AttributesReply;
import org.gridfarm.client.mount.fuse.EntryReply;
import org.gridfarm.client.mount.fuse.Errno;
import org.gridfarm.client.mount.fuse.Flags;
import org.gridfarm.client.mount.fuse.FuseOperations;
import org.gridfarm.client.mount.fuse.OffsetReply;
import org.gridfarm.client.mount.fuse.OpenReply;
import org.gridfarm.client.mount.fuse.RawName;
import org.gridfarm.client.mount.fuse.ReadReply;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.List;

/** Texts longer than a block of the disk: programs look for holes in what takes fewer blocks. */
class ControlFilesTest {
    private static final int LENGTH = 1_300;

    private String text = "x".repeat(LENGTH);
    private final ControlFiles files =
            new ControlFiles(List.of(new ControlFiles.Page("errors", () -> text)), 7);
    private final Answer answer = new Answer();
    private final long node = node();

    private long node() {
        Answer directory = new Answer();
        files.lookup(directory, 1, RawName.of(".gf"));
        Answer file = new Answer();
        files.lookup(file, directory.value, RawName.of("errors"));
        return file.value;
    }

    @Test
    void aTextTakesTheBlocksOfItsSize() {
        files.attributes(answer, node, FuseOperations.NO_HANDLE);
        assertThat(answer.attributes.size).isEqualTo(LENGTH);
        assertThat(answer.attributes.blocks).isEqualTo(3);
        assertThat(answer.attributes.btime).isZero();
    }

    @Test
    void itIsDataToItsEndWhereTheHoleBegins() {
        files.open(answer, node, Flags.O_RDONLY);
        assertThat(seek(0, Flags.SEEK_DATA)).isZero();
        assertThat(seek(LENGTH - 1, Flags.SEEK_DATA)).isEqualTo(LENGTH - 1);
        assertThat(seek(3, Flags.SEEK_HOLE)).isEqualTo(LENGTH);
        assertThat(seek(LENGTH, Flags.SEEK_DATA)).isEqualTo(-Errno.ENXIO);
        assertThat(seek(LENGTH, Flags.SEEK_HOLE)).isEqualTo(-Errno.ENXIO);
        assertThat(seek(-1, Flags.SEEK_DATA)).isEqualTo(-Errno.ENXIO);
    }

    @Test
    void whoHasItOpenIsToldTheSizeOfWhatHeReads() {
        files.open(answer, node, Flags.O_RDONLY);
        long handle = answer.value;
        text = "now short";
        files.attributes(answer, node, handle);
        assertThat(answer.attributes.size).isEqualTo(LENGTH);
        files.read(answer, node, handle, LENGTH - 10, 100);
        assertThat(answer.value).isEqualTo(10);
        files.release(handle);
        files.attributes(answer, node, FuseOperations.NO_HANDLE);
        assertThat(answer.attributes.size).isEqualTo(text.length());
    }

    private long seek(long offset, int whence) {
        files.seek(answer, node, 7, offset, whence);
        return answer.value;
    }

    /** What was answered last: a number, or a negative errno. */
    private static final class Answer
            implements AttributesReply, EntryReply, OffsetReply, OpenReply, ReadReply {
        private final Attributes attributes = new Attributes();
        private final ByteBuffer buffer = ByteBuffer.allocate(4 * LENGTH);
        private long value;

        Answer() {
            attributes.btime = 1; // of another request
        }

        private boolean answered(long number) {
            value = number;
            return true;
        }

        @Override
        public Attributes attributes() {
            return attributes;
        }

        @Override
        public boolean send(long nanos) {
            return answered(nanos);
        }

        @Override
        public boolean entry(long child, long generation, long entryNanos, long attributesNanos) {
            return answered(child);
        }

        @Override
        public boolean absent(long entryNanos) {
            return answered(-Errno.ENOENT);
        }

        @Override
        public boolean offset(long position) {
            return answered(position);
        }

        @Override
        public boolean opened(long handle, int mode, int backing) {
            return answered(handle);
        }

        @Override
        public ByteBuffer buffer() {
            return buffer.clear();
        }

        @Override
        public boolean data(int length) {
            return answered(length);
        }

        @Override
        public boolean data(ByteBuffer content) {
            return answered(content.remaining());
        }

        @Override
        public boolean fail(int errno) {
            return answered(-errno);
        }

        @Override
        public long unique() {
            return 0;
        }

        @Override
        public int uid() {
            return 0;
        }

        @Override
        public int gid() {
            return 0;
        }

        @Override
        public int pid() {
            return 0;
        }

        @Override
        public int[] groups() {
            return new int[0];
        }

        @Override
        public boolean makesName() {
            return false;
        }

        @Override
        public boolean resent() {
            return false;
        }

        @Override
        public void onInterrupt(Runnable hook) {}

        @Override
        public void afterAnswer(Runnable step) {}

        @Override
        public boolean callerKilled() {
            return false;
        }

        @Override
        public void deadline(long nanos) {}
    }
}

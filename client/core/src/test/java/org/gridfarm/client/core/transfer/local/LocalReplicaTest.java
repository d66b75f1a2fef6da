package org.gridfarm.client.core.transfer.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

import org.gridfarm.client.core.transfer.FileIdentity;
import org.gridfarm.client.core.transfer.LocalCalls;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ChainOutcome;
import org.gridfarm.protocol.wire.OpenLocalReply;
import org.gridfarm.protocol.wire.StagedFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

@SuppressWarnings("NullAway") // no node is asked
class LocalReplicaTest {
    private static final FileTime TOUCHED = FileTime.fromMillis(1_700_000_000_000L);

    @TempDir private Path directory;

    private LocalReplica staged(String name) throws IOException {
        Path path = Files.createFile(directory.resolve(name));
        return LocalReplica.staged(
                StagedFile.newBuilder().setNumber(17).setPath(path.toString()).build());
    }

    private static OpenLocalReply grant(Path path) throws IOException {
        return OpenLocalReply.newBuilder()
                .setPath(path.toString())
                .setSize(Files.size(path))
                .build();
    }

    /** Of this directory, open in this process. */
    private long descriptors() throws IOException {
        long count = 0;
        for (String number : Objects.requireNonNull(new File("/proc/self/fd").list())) {
            Path link = Path.of("/proc/self/fd", number);
            if (Files.isSymbolicLink(link)
                    && Files.readSymbolicLink(link).startsWith(directory.toRealPath())) {
                count++;
            }
        }
        return count;
    }

    /** Else what the kernel writes into the other file would be lost without a word. */
    @Test
    void aNodeThatHasAnotherCopyByNowGivesNoneToTheNextProcess() throws IOException {
        Path path = Files.writeString(directory.resolve("replica"), "as it was");
        long wanted = FileIdentity.number(FileIdentity.of(path));
        LocalReplica same = LocalReplica.openAgain(grant(path), 0, wanted, null);
        assertThat(same).isNotNull();
        same.close();
        Files.move(path, directory.resolve("struck off"));
        Files.writeString(path, "as it was");
        assertThat(LocalReplica.openAgain(grant(path), 0, wanted, null)).isNull();
        assertThat(descriptors()).isZero();
        long unknown = 0; // to the program before this one
        LocalReplica any = LocalReplica.openAgain(grant(path), 0, unknown, null);
        assertThat(any).isNotNull();
        any.close();
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    private static String text(LocalReplica replica) {
        ByteBuf read = replica.readThere(0, 100);
        try {
            return read.toString(StandardCharsets.UTF_8);
        } finally {
            read.release();
        }
    }

    @Test
    void itIsMeasuredWhereItLiesUnlessAnotherFileLiesThere() throws IOException {
        LocalReplica replica = staged("measured");
        Path path = directory.resolve("measured");
        Files.write(path, new byte[5]);
        LocalCalls calls = space(4096);
        ChainOutcome now = Objects.requireNonNull(replica.measured(calls));
        assertThat(now.getSize()).isEqualTo(5);
        assertThat(now.getAllocated()).isEqualTo(4096);
        assertThat(now.getMtime()).isEqualTo(replica.modified());
        assertThat(replica.measured(LocalCalls.UNKNOWN)).isNull();
        Files.move(path, directory.resolve("moved"));
        assertThat(replica.measured(calls)).isNull();
        Files.write(path, new byte[7]);
        assertThat(replica.measured(calls)).isNull();
        replica.close();
    }

    private static LocalCalls space(long bytes) {
        return new LocalCalls() {
            @Override
            public long nextData(Path file, long offset) {
                return offset;
            }

            @Override
            public long allocated(Path file) {
                return bytes;
            }

            @Override
            public void touch(Path file) throws IOException {
                Files.setLastModifiedTime(file, TOUCHED);
            }
        };
    }

    /** As truncate(2) does on a local disk: a stamp of a build is made anew by it. */
    @Test
    void aFileIsDatedAnewThoughItGetsTheSizeThatItHad() throws IOException {
        LocalReplica replica = staged("stamp");
        replica.resize(0, space(0));
        assertThat(replica.modified()).isEqualTo(TOUCHED.to(TimeUnit.NANOSECONDS));
        replica.close();
    }

    @Test
    void anOpenFileTakesOneDescriptor() throws IOException {
        List<LocalReplica> open = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            LocalReplica written = staged("w" + i);
            written.write(0, bytes("content"));
            written.resize(3, LocalCalls.UNKNOWN);
            assertThat(text(written)).isEqualTo("con");
            open.add(written);
            open.add(
                    LocalReplica.open(
                            grant(Files.writeString(directory.resolve("r" + i), "x")),
                            false,
                            null));
        }
        assertThat(descriptors()).isEqualTo(20);
        open.forEach(LocalReplica::close);
        assertThat(descriptors()).isZero();
    }

    /** All threads of a process share it, and its bytes may be nowhere else. */
    @Test
    void anInterruptClosesItForNobody() throws IOException {
        LocalReplica replica = staged("a");
        replica.write(0, bytes("written"));
        Files.delete(directory.resolve("a"));
        Thread.currentThread().interrupt();
        replica.write(0, bytes("W"));
        ByteBuffer read = ByteBuffer.allocate(9);
        assertThat(replica.readThere(0, read)).isEqualTo(7);
        assertThat(replica.size()).isEqualTo(7);
        replica.resize(2, LocalCalls.UNKNOWN);
        replica.resize(4, LocalCalls.UNKNOWN);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(text(replica)).isEqualTo("Wr\0\0");
        replica.close();
        assertThat(descriptors()).isZero();
    }

    @Test
    void anInterruptedAppendIsNotTheLast() throws IOException {
        LocalReplica replica = staged("a");
        replica.append(bytes("one"));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> replica.append(bytes("?"))).isInstanceOf(FarmException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(replica.append(bytes("two"))).isBetween(3L, 4L);
        assertThat(text(replica)).startsWith("one").endsWith("two");
        replica.close();
        assertThat(descriptors()).isZero();
    }

    /** Others would take it for a mapping that writes on. */
    @Test
    void anIdleOneIsNotOpenForWritingAndCanBeWrittenAgain() throws IOException {
        LocalReplica replica = staged("a");
        replica.write(0, bytes("one"));
        assertThat(replica.append(bytes("+"))).isEqualTo(3);
        replica.idlePath();
        assertThat(descriptors()).isEqualTo(1);
        assertThat(text(replica)).isEqualTo("one+");
        replica.resize(2, LocalCalls.UNKNOWN);
        assertThat(replica.append(bytes("ly"))).isEqualTo(2);
        assertThat(text(replica)).isEqualTo("only");
        replica.close();
        assertThat(descriptors()).isZero();
    }

    @Test
    void itsBytesAreToBeHadThoughTheFileIsGone() throws IOException {
        LocalReplica replica = staged("a");
        replica.write(0, bytes("kept"));
        Files.delete(directory.resolve("a"));
        replica.idlePath();
        assertThat(text(replica)).isEqualTo("kept");
        assertThat(replica.size()).isEqualTo(4);
        replica.close();
    }

    @Test
    void anotherFileInItsPlaceIsNeverWritten() throws IOException {
        LocalReplica replica = staged("a");
        replica.idlePath();
        Path other = Files.writeString(directory.resolve("b"), "another's");
        Files.move(
                other, directory.resolve("a"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(() -> replica.write(0, bytes("mine"))).isInstanceOf(FarmException.class);
        assertThatThrownBy(() -> replica.append(bytes("mine"))).isInstanceOf(FarmException.class);
        assertThat(directory.resolve("a")).hasContent("another's");
        replica.close();
        assertThat(descriptors()).isZero();
    }

    @Test
    void itsDescriptorIsGivenBackOnce() throws IOException {
        AtomicInteger free = new AtomicInteger();
        LocalReplica replica = staged("a");
        replica.whenClosed(free::incrementAndGet);
        replica.close();
        replica.close();
        assertThat(free).hasValue(1);
        replica.whenClosed(free::incrementAndGet);
        assertThat(free).as("of one that is closed already").hasValue(2);
    }

    /** Its node may be another account than this process, and put there what it likes. */
    @Test
    void aLinkInItsPlaceIsNeverOpened() throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), "of somebody else");
        Path link = Files.createSymbolicLink(directory.resolve("link"), secret);
        assertThatThrownBy(() -> LocalReplica.open(grant(link), false, null))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> LocalReplica.open(grant(link), true, null))
                .isInstanceOf(IOException.class);
        LocalReplica replica = staged("a");
        replica.idlePath();
        Files.delete(directory.resolve("a"));
        Files.createSymbolicLink(directory.resolve("a"), secret);
        assertThatThrownBy(() -> replica.append(bytes("mine"))).isInstanceOf(FarmException.class);
        assertThat(secret).hasContent("of somebody else");
        replica.close();
        assertThat(descriptors()).isZero();
    }

    @Test
    void itGrowsByAHoleWhereverItsFileLiesByThen() throws IOException {
        LocalReplica replica = staged("a");
        replica.write(0, bytes("one"));
        Path claimed = Files.move(directory.resolve("a"), directory.resolve("claimed"));
        replica.resize(1 << 30, LocalCalls.UNKNOWN);
        assertThat(Files.size(claimed)).isEqualTo(1 << 30);
        assertThat(directory.resolve("a")).doesNotExist();
        replica.resize(2, LocalCalls.UNKNOWN);
        assertThat(claimed).hasContent("on");
        replica.close();
    }
}

package org.gridfarm.metaserver.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;

import org.gridfarm.metaserver.backup.DumpFile;
import org.gridfarm.metaserver.commit.Fold;
import org.gridfarm.metaserver.commit.StateSink;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.ChangeBatch;
import org.gridfarm.protocol.wire.DirentImage;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.Outcome;
import org.gridfarm.protocol.wire.QuotaImage;
import org.gridfarm.protocol.wire.SettingImage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

class PostgresBackupTest {
    private static final int FILES = 45_000; // more than two chunks
    private static final int FEW = 100;

    @TempDir Path directory;

    private static Change file(long inode) {
        return Change.newBuilder()
                .setInode(
                        InodeImage.newBuilder()
                                .setInode(inode)
                                .setType(FileType.REGULAR)
                                .setMode(0644)
                                .setNlink(1)
                                .setParent(1)
                                .setGeneration(1)
                                .setVersion(1))
                .build();
    }

    private static Change entry(long inode) {
        return Change.newBuilder()
                .setDirent(
                        DirentImage.newBuilder()
                                .setParent(1)
                                .setName(ByteString.copyFromUtf8("f" + inode))
                                .setInode(inode)
                                .setType(FileType.REGULAR)
                                .setCookie(inode))
                .build();
    }

    /** A farm with rows in its tables and more in its journal. */
    private static DatabaseSettings filled(int files) {
        DatabaseSettings settings = TestDatabase.create();
        try (PostgresStore store = PostgresStore.open(settings)) {
            long epoch = store.claim("test").epoch();
            ChangeBatch.Builder first = ChangeBatch.newBuilder().setEpoch(epoch).setSequence(1);
            for (long i = 2; i < files; i++) first.addChanges(file(i)).addChanges(entry(i));
            first.addOutcomes(Outcome.newBuilder().setSession(7).setSequence(3));
            store.append(first.build());
            Fold fold = new Fold();
            fold.add(first.build());
            store.fold(fold, epoch);
            store.append(
                    ChangeBatch.newBuilder()
                            .setEpoch(epoch)
                            .setSequence(2)
                            .addChanges(file(files))
                            .addChanges(entry(files))
                            .addChanges(Change.newBuilder().setInodeGone(5))
                            .addChanges(
                                    Change.newBuilder()
                                            .setSetting(
                                                    SettingImage.newBuilder()
                                                            .setKey("k")
                                                            .setValue(
                                                                    ByteString.copyFromUtf8("v"))))
                            .addChanges(
                                    Change.newBuilder()
                                            .setQuota(
                                                    QuotaImage.newBuilder()
                                                            .setKind("user")
                                                            .setId(9)
                                                            .setBytesHard(10)))
                            .build());
        }
        return settings;
    }

    /** Everything by its key, as a leader would have it. */
    private static Map<Object, Object> state(DatabaseSettings settings) {
        Map<Object, Object> state = new HashMap<>();
        StateSink sink =
                new StateSink() {
                    @Override
                    public void change(Change change) {
                        if (change.hasInodeGone()) {
                            state.remove(change.getInodeGone());
                        } else if (change.hasInode()) {
                            state.put(change.getInode().getInode(), change);
                        } else {
                            state.put(change, "");
                        }
                    }

                    @Override
                    public void outcome(Outcome outcome) {
                        state.put(outcome, "");
                    }

                    @Override
                    public void batch(ChangeBatch batch) {
                        batch.getChangesList().forEach(this::change);
                    }
                };
        try (PostgresStore store = PostgresStore.open(settings)) {
            var loaded = store.load(sink);
            state.put("stands at", loaded.sequence());
            state.put("instance", store.claim("reader").instance());
        }
        return state;
    }

    private static Set<Map.Entry<Object, Object>> difference(
            Map<Object, Object> one, Map<Object, Object> other) {
        Set<Map.Entry<Object, Object>> difference = new HashSet<>(one.entrySet());
        difference.removeAll(other.entrySet());
        other.entrySet().stream().filter(e -> !one.entrySet().contains(e)).forEach(difference::add);
        return difference;
    }

    @Test
    void whatIsRestoredIsWhatWasDumped() throws IOException {
        DatabaseSettings farm = filled(FILES);
        Path file = directory.resolve("dump");
        new DumpFile(file).write(new PostgresBackup(farm));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        DatabaseSettings empty = TestDatabase.create();
        new DumpFile(file).restore(new PostgresBackup(empty));
        Map<Object, Object> restored = state(empty);
        assertThat(restored).hasSizeGreaterThan(2 * FILES - 10);
        assertThat(difference(restored, state(farm))).isEmpty();
        try (PostgresStore before = PostgresStore.open(farm);
                PostgresStore after = PostgresStore.open(empty)) {
            assertThat(after.currentEpoch()).isGreaterThan(before.currentEpoch());
        }
    }

    @Test
    void aDatabaseWithAFarmInItIsLeftAlone() throws IOException {
        DatabaseSettings farm = filled(FEW);
        Path file = directory.resolve("dump");
        new DumpFile(file).write(new PostgresBackup(farm));
        Map<Object, Object> before = state(farm);
        assertThatThrownBy(() -> new DumpFile(file).restore(new PostgresBackup(farm)))
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.ALREADY_EXISTS));
        assertThat(difference(state(farm), before)).isEmpty();
    }

    @Test
    void aDamagedFileRestoresNothing() throws IOException {
        Path file = directory.resolve("dump");
        new DumpFile(file).write(new PostgresBackup(filled(FILES)));
        byte[] whole = Files.readAllBytes(file);
        byte[] cut = java.util.Arrays.copyOf(whole, whole.length / 2);
        byte[] changed = whole.clone();
        changed[whole.length / 2] ^= 0x10;
        DatabaseSettings empty = TestDatabase.create();
        Map<Object, Object> before = state(empty);
        for (byte[] bad : new byte[][] {cut, changed, "no dump\n".getBytes("US-ASCII")}) {
            Files.write(file, bad);
            assertThatThrownBy(() -> new DumpFile(file).restore(new PostgresBackup(empty)))
                    .isInstanceOfSatisfying(
                            FarmException.class,
                            e -> assertThat(e.kind()).isEqualTo(ErrorKind.CORRUPT));
        }
        assertThat(difference(state(empty), before)).isEmpty();
    }

    @Test
    void aLaterFormatIsRefusedInOneSentence() throws IOException {
        Path file = directory.resolve("dump");
        Files.writeString(file, "gridfarm metadata dump 2\nwhatever");
        assertThatThrownBy(
                        () -> new DumpFile(file).restore(new PostgresBackup(TestDatabase.create())))
                .hasMessageContaining("its format is 2")
                .hasMessageContaining("use a newer program");
    }
}

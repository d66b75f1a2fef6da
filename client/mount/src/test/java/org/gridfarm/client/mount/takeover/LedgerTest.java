package org.gridfarm.client.mount.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.wire.Credentials;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class LedgerTest {
    @TempDir Path folder;

    private Ledger open() throws IOException {
        return Ledger.open(folder.resolve("ledger"), () -> {});
    }

    private static OpenRecord record(long number) {
        Credentials who =
                Credentials.newBuilder().setUid(7).setGid(8).addGroups(9).addGroups(10).build();
        return new OpenRecord(
                number,
                100 + number,
                200 + number,
                2 * number,
                128,
                3,
                OpenRecord.WRITE,
                4,
                300 + number,
                400 + number,
                who);
    }

    @Test
    void whatWasWrittenDownIsThereForTheNextProcess() throws IOException {
        try (Ledger first = open()) {
            first.processBegins();
            first.mounted("gf-mount-1 9 /mnt/ä");
            first.session(11, 12);
            first.trusted(true);
            first.opened(record(1));
            first.opened(record(2));
            first.opened(record(3));
            first.leaving(2);
            first.closed(1);
        }
        try (Ledger second = open()) {
            assertThat(second.mount()).isEqualTo("gf-mount-1 9 /mnt/ä");
            assertThat(second.session()).isEqualTo(11);
            assertThat(second.epoch()).isEqualTo(12);
            assertThat(second.isTrusted()).isTrue();
            assertThat(second.processes()).isEqualTo(1);
            Ledger.Former former = second.former();
            assertThat(former.open()).containsExactly(record(3));
            assertThat(former.leaving()).containsExactly(record(2));
        }
    }

    /** It was closed, and opened again without a word to the metaserver. */
    @Test
    void aHandleThatIsOpenIsNotToBeClosed() throws IOException {
        OpenRecord again = record(1);
        try (Ledger first = open()) {
            first.opened(again);
            first.leaving(1);
            first.opened(
                    new OpenRecord(
                            2,
                            again.inode(),
                            again.server(),
                            4,
                            again.mode(),
                            again.backing(),
                            again.access(),
                            again.generation(),
                            again.staged(),
                            again.file(),
                            again.who()));
        }
        try (Ledger second = open()) {
            Ledger.Former former = second.former();
            assertThat(former.open()).extracting(OpenRecord::number).containsExactly(2L);
            assertThat(former.leaving()).isEmpty();
        }
        try (Ledger third = open()) {
            assertThat(third.former().leaving()).as("it was struck out").isEmpty();
        }
    }

    @Test
    void moreFilesThanOnePartHoldsAreKept() throws IOException {
        int many = 10_000;
        try (Ledger first = open()) {
            for (int i = 1; i <= many; i++) {
                first.opened(record(i));
            }
        }
        try (Ledger second = open()) {
            assertThat(second.former().open()).hasSize(many);
            second.closed(77);
            second.opened(record(many + 1));
        }
        try (Ledger third = open()) {
            assertThat(third.former().open())
                    .hasSize(many)
                    .contains(record(many + 1))
                    .doesNotContain(record(77));
        }
    }

    @Test
    void sequencesAreReservedBeforeTheyAreUsed() throws IOException {
        try (Ledger first = open()) {
            first.sequenceUsed(5);
        }
        try (Ledger second = open()) {
            assertThat(second.sequencesReserved()).isGreaterThanOrEqualTo(5);
        }
    }

    @Test
    void aFileThatIsNoLedgerIsRefused() throws IOException {
        Files.writeString(folder.resolve("ledger"), "x".repeat(200_000));
        assertThatThrownBy(this::open)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no ledger");
    }
}

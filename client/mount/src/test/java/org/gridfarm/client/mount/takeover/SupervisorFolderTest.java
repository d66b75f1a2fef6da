package org.gridfarm.client.mount.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

class SupervisorFolderTest {
    @TempDir private Path tmp;

    @Test
    void theFolderIsMadeForItsOwnerAloneAndUsedAgain() throws IOException {
        Path folder = tmp.resolve("gridfarm-me");
        assertThat(Supervisor.owned(folder)).isEqualTo(folder);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
                .isEqualTo("rwx------");
        assertThat(Supervisor.owned(folder)).isEqualTo(folder);
    }

    @Test
    void oneThatOthersMayHaveMadeOrMayWriteInIsRefused() throws IOException {
        Path mine = Files.createDirectory(tmp.resolve("mine"));
        Path link = Files.createSymbolicLink(tmp.resolve("link"), mine);
        assertThatThrownBy(() -> Supervisor.owned(link)).hasMessageContaining("is a link");
        Files.setPosixFilePermissions(mine, PosixFilePermissions.fromString("rwxrwx---"));
        assertThatThrownBy(() -> Supervisor.owned(mine))
                .hasMessageContaining("others may write in")
                .hasMessageContaining("chmod 700");
    }
}

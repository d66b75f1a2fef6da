package org.gridfarm.client.mount.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Where the files of mounts lie may be in a directory in which others have been before. */
class OwnedFolderTest {
    @TempDir Path tmp;

    private void refused(Path folder, String why) {
        assertThatThrownBy(() -> Supervisor.owned(folder))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining(why)
                .hasMessageContaining(folder.toString());
    }

    @Test
    void itIsMadeForItsOwnerAlone() throws IOException {
        Path made = Supervisor.owned(tmp.resolve("gridfarm-ann"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
                .isEqualTo("rwx------");
        assertThat(Supervisor.owned(made)).isEqualTo(made);
    }

    /** Also one that leads to where the mount may write: it would write where others say. */
    @Test
    void aLinkIsNotFollowedWhereverItLeads() throws IOException {
        Path own = Files.createDirectory(tmp.resolve("own"));
        refused(Files.createSymbolicLink(tmp.resolve("to-own"), own), "is a link");
        assertThat(own).isEmptyDirectory();
        Path nowhere = tmp.resolve("nowhere");
        Path dangling = Files.createSymbolicLink(tmp.resolve("dangling"), nowhere);
        assertThatThrownBy(() -> Supervisor.owned(dangling))
                .isInstanceOf(UncheckedIOException.class);
        assertThat(nowhere).doesNotExist();
        Path file = Files.createFile(tmp.resolve("file"));
        assertThatThrownBy(() -> Supervisor.owned(file)).isInstanceOf(UncheckedIOException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxrwx---", "rwx----w-", "rwxrwxrwx", "rwx-w----"})
    void whereOthersMayWriteIsRefused(String mode) throws IOException {
        Path folder = Files.createDirectory(tmp.resolve("folder"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
        refused(folder, "others may write in");
        refused(folder, "chmod 700");
    }

    @Test
    void whatBelongsToSomebodyElseIsRefused() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "not root");
        Path folder = Files.createDirectory(tmp.resolve("folder"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        Files.setAttribute(folder, "unix:uid", 65534);
        refused(folder, "belongs to somebody else");
    }
}

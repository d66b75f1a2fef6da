package org.gridfarm.client.cli.gateway.s3.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

class AccessKeysTest {
    @TempDir private Path folder = Path.of("");

    private Path file(String text, String mode) throws IOException {
        Path file = Files.writeString(folder.resolve("keys"), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    @Test
    void keysAreMadeFoundAndTakenAway() throws IOException {
        Path file = folder.resolve("new/keys");
        AccessKey made = AccessKey.made("ann");
        AccessKeys.add(file, made);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        AccessKeys keys = new AccessKeys(file);
        assertThat(keys.find(made.id())).contains(made);
        AccessKey other = AccessKey.made("bob");
        AccessKeys.add(file, other);
        await().until(() -> keys.find(other.id()).isPresent());
        AccessKeys.remove(file, made.id());
        await().until(() -> keys.find(made.id()).isEmpty());
        assertThatThrownBy(() -> AccessKeys.remove(file, made.id()))
                .hasMessageContaining(made.id());
        assertThat(AccessKeys.list(file)).containsExactly(other);
        assertThat(made.toString()).doesNotContain(made.secret());
    }

    @Test
    void whatPeopleWriteIsReadAndStays() throws IOException {
        Path file = file("# Ann's\n\n  MINE  0123456789abcdef\tann\n", "rw-------");
        assertThat(new AccessKeys(file).find("MINE")).map(AccessKey::account).contains("ann");
        AccessKeys.add(file, AccessKey.made("bob"));
        assertThat(Files.readString(file)).startsWith("# Ann's\n\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MINE 0123456789abcdef",
                "MINE short ann",
                "M! 0123456789abcdef ann",
                "MINE 0123456789abcdef ann\nMINE 0123456789abcdef bob",
            })
    void whatIsNoKeyIsNamedByItsLine(String text) throws IOException {
        Path file = file(text, "rw-------");
        assertThatThrownBy(() -> new AccessKeys(file))
                .hasMessageContaining("line ")
                .hasMessageNotContaining("0123456789abcdef");
    }

    @Test
    void aFileThatOthersReadIsNotUsed() throws IOException {
        Path file = file("MINE 0123456789abcdef ann", "rw-r-----");
        assertThatThrownBy(() -> new AccessKeys(file)).hasMessageContaining("chmod 600");
        assertThatThrownBy(() -> new AccessKeys(folder.resolve("none")))
                .hasMessageContaining("gf s3 key add");
    }
}

package org.gridfarm.protocol.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.gridfarm.protocol.auth.x509.SecretFile;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;

class BearerTokenTest {
    @TempDir Path folder;

    @Test
    void theFirstPlaceThatHasOneCounts() throws IOException {
        Path runtime = Files.createDirectory(folder.resolve("run"));
        Path shared = Files.createDirectory(folder.resolve("tmp"));
        String name = "bt_u" + Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Map<String, String> environment = new HashMap<>();
        BearerToken token = new BearerToken(environment, shared);
        assertThat(token.isThere()).isFalse();
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(token::read)
                .matches(e -> e.kind() == ErrorKind.BAD_CONFIGURATION);
        SecretFile.write(shared.resolve(name), "shared\n");
        assertThat(token.read()).isEqualTo("shared");
        environment.put("XDG_RUNTIME_DIR", runtime.toString());
        assertThat(token.read()).isEqualTo("shared");
        SecretFile.write(runtime.resolve(name), " runtime ");
        assertThat(token.read()).isEqualTo("runtime");
        environment.put("BEARER_TOKEN_FILE", folder.resolve("named").toString());
        SecretFile.write(folder.resolve("named"), "named");
        assertThat(token.read()).isEqualTo("named");
        environment.put("BEARER_TOKEN", "direct\n");
        assertThat(token.read()).isEqualTo("direct");
    }

    @Test
    void oneThatOthersMayReadIsNotShown() throws IOException {
        Path file = folder.resolve("bt_u" + Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        Files.writeString(file, "secret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatExceptionOfType(FarmException.class)
                .isThrownBy(() -> new BearerToken(Map.of(), folder).read())
                .withMessageNotContaining("secret")
                .matches(e -> e.kind() == ErrorKind.NOT_PERMITTED);
    }

    @Test
    void aLinkThatAnybodyMayHavePutThereIsNone() throws IOException {
        Path shared = Files.createDirectory(folder.resolve("tmp"));
        Path secret = folder.resolve("secret");
        SecretFile.write(secret, "no token");
        String name = "bt_u" + Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        Files.createSymbolicLink(shared.resolve(name), secret);
        assertThat(new BearerToken(Map.of(), shared).isThere()).isFalse();
    }
}

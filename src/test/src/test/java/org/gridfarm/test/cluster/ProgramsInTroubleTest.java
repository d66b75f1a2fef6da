package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.nio.FarmFileSystemProvider;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.ProxyMaker;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Java programs that do not close what they opened, or come with what is no good any more. */
@Timeout(120)
class ProgramsInTroubleTest {
    private static final String WHERE = "/trouble";

    private static TestFarm farm;
    private static Path config;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.directory(WHERE, 2);
        config = farm.directory().resolve("client.toml");
    }

    @AfterAll
    static void stop() {
        if (farm != null) farm.client().deleteRecursively(FarmPath.of(WHERE));
    }

    /** It ends by itself, and leaves what it wrote; its lock goes with its lease. */
    @Test
    void aProgramThatEndsWithoutClosingLeavesItsFileToOthers(@TempDir Path local) throws Exception {
        Path said = local.resolve("err");
        Process program =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                AbandonedProgram.class.getName(),
                                config.toString(),
                                WHERE + "/left")
                        .redirectError(said.toFile())
                        .start();
        try (BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))) {
            while (!"open".equals(out.readLine())) {
                assertThat(program.isAlive()).as("%s", Files.readString(said)).isTrue();
            }
            program.getOutputStream().close();
            assertThat(program.waitFor(30, TimeUnit.SECONDS)).as("it ends").isTrue();
            assertThat(program.exitValue()).as("%s", Files.readString(said)).isZero();
        } finally {
            program.destroyForcibly();
        }
        try (Gridfarm other = Gridfarm.open(ClientConfig.read(config))) {
            Path file = new FarmFileSystemProvider().newFileSystem(other).getPath(WHERE + "/left");
            await().atMost(Duration.ofSeconds(30)).until(() -> isUnlocked(file));
            assertThat(Files.readString(file))
                    .isEqualTo(AbandonedProgram.SYNCED + AbandonedProgram.WRITTEN);
            Files.writeString(file, "and more\n", StandardOpenOption.APPEND);
            assertThat(Files.readString(file)).endsWith("and more\n");
        }
    }

    private static boolean isUnlocked(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock != null;
        }
    }

    @Test
    void anExpiredCredentialIsRefusedAndNamed(@TempDir Path local) throws Exception {
        ClientConfig good = ClientConfig.read(config);
        Path expired = local.resolve("expired.pem");
        ProxyMaker.make(
                        Credential.load(credential()),
                        ProxyMaker.Options.usual().withLifetime(Duration.ofSeconds(60)),
                        Instant.now().minus(Duration.ofMinutes(2)))
                .save(expired);
        Path written = local.resolve("client.toml");
        Files.writeString(
                written,
                Files.readString(config).replace(credential().toString(), expired.toString()));
        long from = System.nanoTime();
        assertThatThrownBy(() -> Gridfarm.open(ClientConfig.read(written)).close())
                .isInstanceOfSatisfying(
                        FarmException.class,
                        e -> assertThat(e.kind()).isEqualTo(ErrorKind.NOT_AUTHENTICATED))
                .hasMessageContaining("expired");
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(good.timeout());
    }

    private static Path credential() throws IOException {
        return Files.readAllLines(config).stream()
                .filter(line -> line.startsWith("credential"))
                .map(line -> Path.of(line.substring(line.indexOf('"') + 1, line.lastIndexOf('"'))))
                .findFirst()
                .orElseThrow();
    }
}

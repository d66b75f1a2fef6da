package org.gridfarm.protocol.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.gridfarm.protocol.auth.tls.TlsEngine;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.rpc.HostPort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

class ConfigTest {
    private static final Path FILE = Path.of("/etc/gridfarm/node.toml");

    @Test
    void valuesComeWithTheirTypes() {
        String text =
                """
                name = "n1"
                listen = "[::1]:7000"
                data = ["d1", "/var/d2"]
                one = "alone"
                slots = 4
                share = 0.5
                fast = true
                lease = "2s"
                reserve = "1.5G"
                plain = 4096
                [tls]
                engine = "native"
                """;
        Config.read(
                text,
                FILE,
                config -> {
                    assertThat(config.text("name")).isEqualTo("n1");
                    assertThat(config.address("listen")).isEqualTo(new HostPort("::1", 7000));
                    assertThat(config.paths("data"))
                            .containsExactly(Path.of("/etc/gridfarm/d1"), Path.of("/var/d2"));
                    assertThat(config.texts("one")).containsExactly("alone");
                    assertThat(config.count("slots", 1, 1, 64)).isEqualTo(4);
                    assertThat(config.ratio("share", 1, 0, 1)).isEqualTo(0.5);
                    assertThat(config.flag("fast", false)).isTrue();
                    assertThat(config.duration("lease", Duration.ZERO))
                            .isEqualTo(Duration.ofSeconds(2));
                    assertThat(config.bytes("reserve", 0)).isEqualTo(3L << 29);
                    assertThat(config.bytes("plain", 0)).isEqualTo(4096);
                    assertThat(config.section("tls").choice("engine", TlsEngine.AUTOMATIC))
                            .isEqualTo(TlsEngine.NATIVE);
                    return "read";
                });
    }

    @Test
    void absentKeysHaveTheirDefaults() {
        Config.read(
                "",
                FILE,
                config -> {
                    assertThat(config.text("name", "x")).isEqualTo("x");
                    assertThat(config.section("limits").duration("lease", Duration.ofSeconds(5)))
                            .isEqualTo(Duration.ofSeconds(5));
                    assertThat(config.texts("data")).isEmpty();
                    assertThat(config.pathIfAny("run_file")).isEmpty();
                    return "read";
                });
    }

    @Test
    void anUnknownKeyIsRefusedWithItsLineAndTheNearestKnownOne() {
        FarmException failure =
                refused(
                        "name = \"n1\"\n\nrun_flie = \"x\"\n",
                        config -> config.text("name") + config.pathIfAny("run_file"));
        assertThat(failure.kind()).isEqualTo(ErrorKind.BAD_CONFIGURATION);
        assertThat(failure.subject()).isEqualTo(FILE + ":3");
        assertThat(failure.detail()).isEqualTo("unknown key 'run_flie'; did you mean 'run_file'?");
    }

    @Test
    void aKeyInTheWrongSectionIsPointedToItsOwn() {
        FarmException failure =
                refused("url = \"jdbc:x\"\n", config -> config.section("database").text("url", ""));
        assertThat(failure.detail()).isEqualTo("unknown key 'url'; did you mean 'database.url'?");
    }

    @Test
    void anUnknownSectionIsRefusedAsAWhole() {
        FarmException failure =
                refused(
                        "[databse]\nurl = \"x\"\n",
                        config -> config.section("database").text("url", ""));
        assertThat(failure.subject()).endsWith(":1");
        assertThat(failure.detail()).startsWith("unknown key 'databse'");
    }

    @Test
    void anUnknownKeyInAKnownSectionIsFound() {
        FarmException failure =
                refused(
                        "[database]\nurl = \"x\"\nusr = \"y\"\n",
                        config -> {
                            Config database = config.section("database");
                            return database.text("url") + database.text("user", "");
                        });
        assertThat(failure.subject()).endsWith(":3");
        assertThat(failure.detail())
                .isEqualTo("unknown key 'database.usr'; did you mean 'database.user'?");
    }

    @Test
    void aMissingKeyIsNamedWithItsSection() {
        assertThat(refused("", config -> config.text("name")).detail())
                .isEqualTo("'name' is missing");
        assertThat(refused("[tls]\n", config -> config.section("tls").path("trust")).detail())
                .isEqualTo("'tls.trust' is missing");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "slots = 0            | slots: 0 is not between 1 and 64",
                "slots = \"four\"     | slots: has to be a whole number",
                "lease = \"soon\"     | lease: 'soon' is not a time such as 500ms, 2s, 10m, 12h or 7d",
                "lease = 5            | lease: has to be a text in quotes",
                "reserve = \"1X\"     | reserve: '1X' is not a size such as 4096, 64K, 16M, 1.5G or 2T",
                "listen = \"here\"    | listen: 'here' is not host:port",
                "engine = \"fast\"    | engine: 'fast' is none of automatic, native, jdk",
                "name = \"a\"\\nname = \"b\" | name previously defined at line 1, column 1",
                "tls = 1              | tls: has to be a section: [tls]",
                "name = unquoted      | *",
            })
    void aWrongValueIsExplainedAtItsLine(String line, String why) {
        FarmException failure =
                refused(
                        line.replace("\\n", "\n"),
                        config -> {
                            config.text("name", "");
                            config.count("slots", 1, 1, 64);
                            config.duration("lease", Duration.ZERO);
                            config.bytes("reserve", 0);
                            config.addressIfAny("listen");
                            config.choice("engine", TlsEngine.JDK);
                            return config.section("tls").text("trust", "");
                        });
        assertThat(failure.subject()).matches(".*node\\.toml:[12]");
        if (!why.equals("*")) assertThat(failure.detail()).isEqualTo(why);
    }

    @Test
    void aSecretIsReadFromItsFileAlone(@TempDir Path folder) throws Exception {
        Path secret = Files.writeString(folder.resolve("pw"), "geheim\n");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Path file = folder.resolve("ms.toml");
        String read =
                Config.read("password_file = \"pw\"", file, config -> config.secret("password"));
        assertThat(read).isEqualTo("geheim");

        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
        FarmException open =
                failure(() ->
                        Config.read(
                                "password_file = \"pw\"",
                                file,
                                config -> config.secret("password")));
        assertThat(open.detail()).contains("chmod 600");

        FarmException inline =
                failure(() ->
                        Config.read("password = \"x\"", file, config -> config.secret("password")));
        assertThat(inline.detail()).contains("password_file");

        FarmException absent =
                failure(() ->
                        Config.read(
                                "password_file = \"no\"",
                                file,
                                config -> config.secret("password")));
        assertThat(absent.detail()).contains("no such file");
    }

    @Test
    void aMissingFileIsNamed(@TempDir Path folder) {
        FarmException failure =
                failure(() -> Config.read(folder.resolve("none.toml"), config -> "x"));
        assertThat(failure.getMessage())
                .isEqualTo(
                        "read configuration "
                                + folder.resolve("none.toml")
                                + ": configuration error (no such file)");
    }

    @Test
    void aDaemonsSettingsAreReadAtOnce() {
        String text =
                """
                name = "n1"
                listen = "0.0.0.0:7001"
                advertise = "n1.example:0"
                log_level = "debug"
                tls.certificate = "host.pem"
                tls.key = "host.key"
                tls.trust = "ca"
                [grid]
                map = "grid-mapfile"
                """;
        DaemonSettings settings = Config.read(text, FILE, DaemonSettings::read);
        assertThat(settings.logLevel()).isEqualTo("DEBUG");
        assertThat(settings.security().key()).hasValue(Path.of("/etc/gridfarm/host.key"));
        assertThat(settings.advertised(new HostPort("0.0.0.0", 7001)))
                .isEqualTo(new HostPort("n1.example", 7001));
    }

    @Test
    void aCertificateNeedsItsKey() {
        FarmException failure =
                refused("[tls]\ncertificate = \"c\"\ntrust = \"t\"", SecuritySettings::read);
        assertThat(failure.detail()).isEqualTo("tls.certificate: needs a key beside it");
    }

    @ParameterizedTest
    @CsvSource({"listne,listen", "LISTEN,", "lisen,listen", "zzz,", "nmae,name"})
    void theNearestWordIsFoundOrNone(String word, String nearest) {
        assertThat(DidYouMean.nearest(word, List.of("listen", "name", "http")).orElse(null))
                .isEqualTo(nearest);
    }

    private static FarmException refused(String text, Function<Config, ?> reader) {
        return failure(() -> Config.read(text, FILE, reader));
    }

    private static FarmException failure(ThrowingCallable code) {
        FarmException failure = catchThrowableOfType(FarmException.class, code);
        assertThat(failure).isNotNull();
        return failure;
    }
}

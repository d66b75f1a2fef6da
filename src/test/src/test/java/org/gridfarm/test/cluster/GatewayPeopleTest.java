package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.cli.gateway.Gateway;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.rpc.HostPort;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A gateway that acts as whoever asks, by TLS, with curl: who he is says his certificate, and what
 * he may do the metaserver.
 */
class GatewayPeopleTest {
    private static TestFarm farm;
    private static Path pki;
    private static Gateway gateway;

    @BeforeAll
    static void start() throws IOException {
        Programs.need("curl");
        farm = TestFarm.shared();
        pki = farm.directory().resolve("pki");
        issue("daemon", "user", "daemon,games");
        issue("bin", "user", "bin");
        issue("rooty", "admin", "root");
        farm.gf("mkdir", "-p", "-m", "777", "/people");
        farm.gf("mkdir", "-p", "-m", "700", "/people/roots");
        ClientConfig config = ClientConfig.read(farm.directory().resolve("gateway.toml"));
        gateway = Gateway.start(config, settings(config, "127.0.0.1"));
    }

    private static Gateway.Settings settings(ClientConfig config, String host) {
        WebTls tls = config.security().web(Clock.system(), Optional.empty());
        return new Gateway.Settings(
                new HostPort(host, 0),
                Optional.of(tls),
                config.security().people(Clock.system()),
                Set.of(),
                false,
                Optional.empty(),
                Optional.empty());
    }

    private static void issue(String file, String kind, String accounts) {
        if (Files.exists(pki.resolve(file + ".pem"))) return;
        List<String> words =
                new ArrayList<>(
                        List.of(
                                "ca",
                                "issue",
                                kind,
                                accounts,
                                "--name",
                                "A " + file,
                                "--one-file"));
        words.addAll(List.of("--dir", pki.resolve("authority").toString()));
        words.addAll(List.of("--out", pki.resolve(file).toString()));
        words.addAll(List.of("--map", pki.resolve("grid-mapfile").toString()));
        farm.gf(words.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        if (gateway != null) gateway.close();
        if (farm != null) farm.gf("rm", "-r", "-f", "/people");
    }

    /** What curl says, the status last. */
    private static String curl(String who, String... words) {
        List<String> command =
                new ArrayList<>(List.of("curl", "-sS", "-m", "60", "-w", "%{http_code}"));
        command.addAll(List.of("--cacert", pki.resolve("ca.pem").toString()));
        if (!who.isEmpty()) command.addAll(List.of("--cert", pki.resolve(who + ".pem").toString()));
        for (String word : words) {
            boolean asked = word.startsWith("/fs") || word.startsWith("/webhdfs");
            command.add(asked ? gateway.url() + word : word);
        }
        return farm.run(command).output();
    }

    private static String status(String who, String... words) {
        String said = curl(who, words);
        assertThat(said).as("what curl says").isNotEmpty();
        return said.substring(said.length() - "200".length());
    }

    @Test
    void eachIsWhomHisCertificateNames() {
        assertThat(curl("daemon", "-d", "x", "-X", "PUT", "/fs/people/of-daemon")).endsWith("201");
        assertThat(farm.gf("stat", "-c", "%U %a", "/people/of-daemon").strip())
                .isEqualTo("daemon 644");
        assertThat(curl("bin", "/fs/people/of-daemon")).isEqualTo("x200");
        assertThat(
                        curl(
                                "bin",
                                "-X",
                                "PUT",
                                "/webhdfs/v1/people/of-daemon?op=SETPERMISSION&permission=777"))
                .contains("AccessControlException")
                .endsWith("403");
        assertThat(
                        curl(
                                "daemon",
                                "-X",
                                "PUT",
                                "/webhdfs/v1/people/of-daemon?op=SETPERMISSION&permission=600"))
                .endsWith("200");
        assertThat(curl("bin", "/fs/people/of-daemon"))
                .contains("permission denied")
                .endsWith("403");
        assertThat(curl("daemon", "/fs/people/of-daemon")).isEqualTo("x200");
        for (String who : List.of("daemon", "bin")) {
            assertThat(status(who, "/fs/people/roots")).isEqualTo("403");
            assertThat(status(who, "/fs/people/roots/x")).isEqualTo("403");
            assertThat(status(who, "-d", "x", "-X", "PUT", "/fs/people/roots/x")).isEqualTo("403");
        }
    }

    @Test
    void whoHasSeveralAccountsChoosesAmongThemOnly() {
        assertThat(status("daemon", "-d", "x", "-X", "PUT", "/fs/people/of-games?user.name=games"))
                .isEqualTo("201");
        assertThat(farm.gf("stat", "-c", "%U", "/people/of-games").strip()).isEqualTo("games");
        assertThat(curl("daemon", "/webhdfs/v1/?op=GETHOMEDIRECTORY&doas=games"))
                .contains("/user/games");
        // What Hadoop's clients say of themselves unasked is not looked at.
        assertThat(curl("daemon", "/webhdfs/v1/?op=GETHOMEDIRECTORY&user.name=hdfs"))
                .contains("/user/daemon");
        assertThat(curl("bin", "/webhdfs/v1/?op=GETHOMEDIRECTORY&doas=games")).endsWith("403");
    }

    /** Root is under no quota, so it takes somebody else to pass one. */
    @Test
    void whatDoesNotFitIs507() throws IOException {
        farm.gf("mkdir", "-m", "777", "/people/small");
        farm.gf("quota", "set", "--dir", "/people/small", "--bytes", "1000");
        Path big = Files.writeString(farm.directory().resolve("big"), "x".repeat(50_000));
        assertThat(curl("daemon", "-T", big.toString(), "/fs/people/small/x"))
                .contains("quota exceeded")
                .endsWith("507");
        assertThat(
                        curl(
                                "daemon",
                                "-T",
                                big.toString(),
                                "/webhdfs/v1/people/small/y?op=CREATE&data=true"))
                .contains("DSQuotaExceededException")
                .endsWith("507");
        assertThat(farm.gf("ls", "-A", "/people/small")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "mount-n1", "n1", "gateway", "rooty"})
    void strangersHostsAndRootAreNotLetIn(String who) {
        String said = curl(who, "/fs/people/roots");
        assertThat(said).endsWith(who.isEmpty() ? "401" : "403");
        assertThat(said)
                .contains(
                        who.isEmpty()
                                ? "show the certificate"
                                : who.equals("rooty") ? "never root" : "gives this name to nobody");
    }

    /** The certificate of the gateway in other hands than the program's. */
    @Test
    void theGatewayItselfMayDoNothing() {
        ClientConfig config = ClientConfig.read(farm.directory().resolve("gateway.toml"));
        for (String account : List.of("", "root", "www-data")) {
            assertThatThrownBy(() -> Gridfarm.open(config.withAccount(account)).close())
                    .isInstanceOfSatisfying(
                            FarmException.class,
                            e -> assertThat(e.kind()).isEqualTo(ErrorKind.NOT_PERMITTED));
        }
        try (Gridfarm asDaemon = Gridfarm.open(config.withAccount("daemon"))) {
            assertThat(asDaemon.user()).isEqualTo("daemon");
            assertThat(asDaemon.mayAssert()).isFalse();
            assertThatThrownBy(() -> asDaemon.list(FarmPath.of("/people/roots")))
                    .isInstanceOf(FarmException.class);
        }
    }

    @Test
    void itListensForOthersOnlyWithTls() {
        ClientConfig config = ClientConfig.read(farm.directory().resolve("gateway.toml"));
        Gateway.Settings open =
                new Gateway.Settings(
                        new HostPort("127.0.0.1", 0),
                        Optional.empty(),
                        config.security().people(Clock.system()),
                        Set.of(),
                        false,
                        Optional.empty(),
                        Optional.empty());
        assertThatThrownBy(() -> Gateway.start(config, open)).hasMessageContaining("--tls");
        assertThat(GridMap.load(pki.resolve("grid-mapfile")).hasAccount("games")).isTrue();
    }
}

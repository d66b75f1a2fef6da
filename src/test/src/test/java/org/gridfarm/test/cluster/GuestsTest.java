package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** People without a certificate, by tokens and keys, as docs/login.md says it. */
class GuestsTest {
    private static final Duration KNOWN_WITHIN = Duration.ofMinutes(1); // usually five seconds

    private static TestFarm farm;
    private static String token;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.gf("mkdir", "-p", "-m", "777", "/guests/in");
        farm.gf("mkdir", "-p", "-m", "777", "/guests/inner");
        farm.gf("chmod", "777", "/guests/in", "/guests/inner");
        token = token("storage.read:/guests/in storage.create:/guests/in");
    }

    private static String token(String scope) {
        return farm.gf(
                        "cluster",
                        "token",
                        "--dir",
                        farm.directory().toString(),
                        "--scope",
                        scope,
                        "daemon")
                .strip();
    }

    private static TestFarm.Result guest(Map<String, String> variables, String... words) {
        Map<String, String> all = new HashMap<>(variables);
        all.put("GF_CONFIG", farm.directory().resolve("guest.toml").toString());
        all.put("X509_USER_PROXY", "/nonexistent");
        return farm.tryGf(all, words);
    }

    private static TestFarm.Result byToken(String... words) {
        return guest(Map.of("BEARER_TOKEN", token), words);
    }

    @Test
    void aTokenIsGoodForFilesBelowItsPathsAndNothingElse(@TempDir Path here) throws IOException {
        Path file = Files.writeString(here.resolve("f"), "from a guest\n".repeat(10_000));
        await().atMost(KNOWN_WITHIN)
                .untilAsserted(() -> assertThat(byToken("whoami").output()).isEqualTo("daemon\n"));
        assertThat(byToken("put", file.toString(), "/guests/in/f").status()).isZero();
        assertThat(byToken("cat", "/guests/in/f").output()).isEqualTo(Files.readString(file));
        assertThat(byToken("ls", "/guests/in").output()).isEqualTo("f\n");
        for (List<String> words :
                List.of(
                        List.of("put", file.toString(), "/guests/in/f"),
                        List.of("put", file.toString(), "/guests/inner/f"),
                        List.of("rm", "/guests/in/f"),
                        List.of("mv", "/guests/in/f", "/guests/inner/f"),
                        List.of("ls", "/guests"),
                        List.of("stat", "/guests/inner"),
                        List.of("stat", "/guests/none"))) {
            TestFarm.Result refused = byToken(words.toArray(String[]::new));
            assertThat(refused.status()).as(words.toString()).isEqualTo(77);
            assertThat(refused.errors()).contains("not among what the token allows");
        }
        TestFarm.Result run = byToken("run", "true");
        assertThat(run.status()).isEqualTo(77);
        assertThat(run.errors())
                .contains("jobs need a certificate (gf proxy init) or a key of gf key")
                .doesNotContain(token)
                .hasLineCount(1);
        assertThat(byToken("node", "drain", "n1").status()).isEqualTo(77);
    }

    @Test
    void aTokenThatIsNoneIsRefusedAndShownNowhere() throws IOException {
        String[] parts = token.split("\\.");
        String forged = parts[0] + "." + parts[1] + "." + parts[2].replaceAll("^.{8}", "AAAAAAAA");
        TestFarm.Result refused = guest(Map.of("BEARER_TOKEN", forged), "ls", "/");
        assertThat(refused.status()).isNotZero();
        assertThat(guest(Map.of("BEARER_TOKEN", forged), "auth", "check").output())
                .contains("BAD", "not signed by its issuer")
                .doesNotContain(parts[1]);
        assertThat(refused.errors()).contains("not signed by its issuer").doesNotContain(parts[1]);
        try (Stream<Path> logs = Files.list(farm.directory().resolve("log"))) {
            for (Path log : logs.toList()) {
                assertThat(Files.readString(log, StandardCharsets.ISO_8859_1))
                        .as(log.toString())
                        .doesNotContain(parts[1], parts[2]);
            }
        }
    }

    /** A person who has a key and no certificate, and so gives his tasks no proxy. */
    @Test
    void aJobByKeyRunsAsItsAccountAndItsTasksSubmitNothing(@TempDir Path here) throws IOException {
        Path key = here.resolve("own.key");
        farm.gf("key", "add", "--id", "jobs", "--out", key.toString(), "nobody");
        Path guest = farm.directory().resolve("guest.toml");
        String text = Files.readString(guest);
        Path config =
                Files.writeString(
                        here.resolve("config.toml"),
                        text + "login = \"key\"\nlogin_key = \"" + key + "\"\n");
        await().atMost(KNOWN_WITHIN)
                .untilAsserted(() ->
                        assertThat(guest(Map.of(), "whoami", "--config", config.toString()))
                                .extracting(TestFarm.Result::output)
                                .isEqualTo("nobody\n"));
        farm.gf("mkdir", "-p", "-m", "777", "/guests/jobs");
        farm.gf("chmod", "777", "/guests/jobs");
        farm.gf("mkdir", "-p", "-m", "700", "/guests/roots");
        Files.writeString(farm.mount().resolve("guests/jobs/in"), "for a task\n");
        // What his task finds on the node: the farm's addresses, which are no secret.
        Files.writeString(farm.mount().resolve("guests/jobs/farm.toml"), text);

        String task =
                ("cd $GF_MOUNT/guests/jobs; id -un; cat in; cp in out; ls ../roots; echo \"<$X509_USER_PROXY>\";"
                                + " GF_BUILD=never HOME=$GF_MOUNT/guests/jobs %1$s --config farm.toml run true; echo status $?")
                        .formatted(Checkout.root().resolve("gf"));
        // Its mounts lie in a directory of this test's user alone, which the task has to pass.
        String ways = "'%1$s' '%1$s'/n1 '%1$s'/n2 '%1$s'/n3".formatted(farm.directory());
        farm.sh("chmod a+x " + ways);
        TestFarm.Result run;
        try {
            run = guest(Map.of(), "run", "--config", config.toString(), "--env", "JAVA_HOME", task);
        } finally {
            farm.sh("chmod go-x " + ways);
        }
        assertThat(run.status()).as(run.errors()).isZero();
        assertThat(run.output())
                .startsWith("nobody\nfor a task\n<>\nstatus ")
                .doesNotContain("status 0");
        assertThat(run.errors())
                .containsIgnoringCase("roots': permission denied")
                .contains("make a proxy with gf proxy init");
        Path out = farm.mount().resolve("guests/jobs/out");
        assertThat(out).hasContent("for a task\n");
        assertThat(Files.getOwner(out).getName()).isEqualTo("nobody");
        farm.gf("key", "remove", "jobs");
    }

    @Test
    void aKeyIsItsAccountUntilItIsRemoved(@TempDir Path here) throws IOException {
        Path own = here.resolve("own.key");
        farm.gf("key", "add", "--id", "laptop", "--out", own.toString(), "daemon");
        assertThat(farm.gf("key", "list")).contains("laptop").contains("daemon");
        Path config =
                Files.writeString(
                        here.resolve("config.toml"),
                        Files.readString(farm.directory().resolve("guest.toml"))
                                + "login = \"key\"\nlogin_key = \""
                                + own
                                + "\"\n");
        String[] whoami = {"--config", config.toString()};
        await().atMost(KNOWN_WITHIN)
                .untilAsserted(() ->
                        assertThat(guest(Map.of(), "whoami", whoami[0], whoami[1]).output())
                                .isEqualTo("daemon\n"));
        assertThat(guest(Map.of(), "jobs", "--config", config.toString()).status()).isZero();
        farm.gf("key", "remove", "laptop");
        await().atMost(KNOWN_WITHIN)
                .untilAsserted(() ->
                        assertThat(guest(Map.of(), "whoami", whoami[0], whoami[1]).errors())
                                .contains("no such key"));
        String secret = Files.readString(own).strip().split(" ")[2];
        assertThat(guest(Map.of(), "whoami", whoami[0], whoami[1]).errors()).doesNotContain(secret);
    }
}

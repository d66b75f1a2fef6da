package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import org.gridfarm.client.cli.authority.MapFile;
import org.gridfarm.client.cli.cluster.TrialIssuer;
import org.gridfarm.client.cli.gateway.Gateway;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.NewMode;
import org.gridfarm.protocol.auth.tls.WebTls;
import org.gridfarm.protocol.auth.x509.Pem;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * A gateway to which people come by bearer tokens, with curl: whose a token is and what it is good
 * for the metaserver says.
 */
class GatewayTokensTest {
    private static final Duration KNOWN_WITHIN = Duration.ofMinutes(1); // usually five seconds
    private static final Duration LONG = Duration.ofHours(1);
    private static final int AT_WORK_MAX = 2;
    private static final String CONTENT = "of several copies ".repeat(20_000);

    private static TestFarm farm;
    private static Path pki;
    private static TrialIssuer issuer;
    private static ClientConfig config;
    private static Gateway gateway;
    private static final ListAppender<ILoggingEvent> LOGGED = new ListAppender<>();

    /** What curl says. */
    private record Answer(int status, String head, String body) {}

    @BeforeAll
    static void start() throws IOException {
        Programs.need("curl");
        farm = TestFarm.shared();
        pki = farm.directory().resolve("pki");
        issuer = TrialIssuer.of(farm.directory());
        String known = token("daemon", "storage.read:/");
        token("bin", "storage.read:/");
        farm.gf("mkdir", "-p", "-m", "777", "/tokens/in", "/tokens/inner");
        farm.gf("chmod", "777", "/tokens", "/tokens/in", "/tokens/inner");
        farm.sh("printf x >'%s/tokens/inner/f'".formatted(farm.mount()));
        config = ClientConfig.read(farm.directory().resolve("gateway.toml"));
        LOGGED.start();
        logger().setLevel(Level.DEBUG);
        logger().setAdditive(false);
        logger().addAppender(LOGGED);
        gateway = start(config);
        await().atMost(KNOWN_WITHIN)
                .untilAsserted(() -> assertThat(get(known, "/fs/tokens/in").status).isEqualTo(200));
    }

    /** Of all that the gateway is made of. */
    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger("org.gridfarm");
    }

    private static Gateway start(ClientConfig of) {
        WebTls tls = of.security().web(Clock.system(), Optional.empty());
        return Gateway.start(
                of,
                new Gateway.Settings(
                        new HostPort("127.0.0.1", 0),
                        Optional.of(tls),
                        of.security().people(Clock.system()),
                        Set.of(),
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        AT_WORK_MAX));
    }

    @AfterAll
    static void stop() {
        logger().detachAppender(LOGGED);
        logger().setAdditive(true);
        logger().setLevel(null);
        if (gateway != null) gateway.close();
        if (farm != null) farm.gf("rm", "-r", "-f", "/tokens");
    }

    private static String token(String account, String scope) {
        return issuer.token(account, scope, LONG);
    }

    private static List<String> command(String token, String... words) {
        List<String> command =
                new ArrayList<>(List.of("curl", "-sS", "-i", "-m", "60", "--location-trusted"));
        command.addAll(List.of("--cacert", pki.resolve("ca.pem").toString()));
        command.addAll(List.of("-H", "Authorization: Bearer " + token, "-H", "Expect:"));
        for (String word : words) {
            boolean asked = word.startsWith("/fs") || word.startsWith("/webhdfs");
            command.add(asked ? gateway.url() + word : word);
        }
        return command;
    }

    private static Answer get(String token, String... words) {
        return told(farm.run(command(token, words)).output());
    }

    /** The last of the answers, where one led on to another. */
    private static Answer told(String said) {
        int at = said.lastIndexOf("HTTP/1.1 ");
        assertThat(at).as(said).isNotNegative();
        String last = said.substring(at);
        int end = last.indexOf("\r\n\r\n");
        int status = Integer.parseInt(last.substring("HTTP/1.1 ".length()).substring(0, 3));
        return new Answer(status, last.substring(0, end + 2), last.substring(end + 4));
    }

    private static void put(String name) throws IOException {
        Files.writeString(farm.mount().resolve("tokens/in").resolve(name), CONTENT);
    }

    private static List<String> names() {
        return farm.client()
                .list(FarmPath.of("/tokens/in"))
                .map(each -> each.path().last().toString())
                .toList();
    }

    // ---- scopes

    @Test
    void whoMayReadBelowAPathReadsThereAndNothingElse() throws IOException {
        put("read");
        String token = token("daemon", "storage.read:/tokens/in");
        assertThat(get(token, "/fs/tokens/in/read").body).isEqualTo(CONTENT);
        assertThat(get(token, "-r", "3-9", "/fs/tokens/in/read").body).isEqualTo("several");
        assertThat(get(token, "/fs/tokens/in").body).contains("\"name\":\"read\"");
        assertThat(get(token, "/webhdfs/v1/tokens/in/read?op=OPEN").body).isEqualTo(CONTENT);
        for (String outside : List.of("/tokens/inner", "/tokens/inner/f", "/tokens/none", "/")) {
            Answer refused = get(token, "/fs" + outside);
            assertThat(refused.status).as(outside).isEqualTo(403);
            assertThat(refused.body).contains("not among what the token allows");
        }
        assertThat(get(token, "/webhdfs/v1/tokens/inner?op=LISTSTATUS").body)
                .contains("AccessControlException");
        assertThat(get(token, "-T", "/etc/hostname", "/fs/tokens/in/new").status).isEqualTo(403);
        assertThat(get(token, "-T", "/etc/hostname", "/fs/tokens/in/read").status).isEqualTo(403);
        assertThat(get(token, "-X", "DELETE", "/fs/tokens/in/read").status).isEqualTo(403);
        assertThat(names())
                .contains("read")
                .doesNotContain("new")
                .noneMatch(n -> n.startsWith("."));
    }

    @Test
    void whoMayCreateReplacesRemovesAndReadsNothing() throws IOException {
        put("old");
        String token = token("daemon", "storage.create:/tokens/in");
        assertThat(get(token, "-T", "/etc/hostname", "/fs/tokens/in/made").status).isEqualTo(201);
        assertThat(farm.gf("stat", "-c", "%U", "/tokens/in/made").strip()).isEqualTo("daemon");
        assertThat(
                        get(
                                        token,
                                        "-T",
                                        "/etc/hostname",
                                        "/webhdfs/v1/tokens/in/hadoop?op=CREATE&user.name=root")
                                .status)
                .isEqualTo(201);
        for (String taken : List.of("old", "made")) {
            Answer refused = get(token, "-T", "/etc/hostname", "/fs/tokens/in/" + taken);
            assertThat(refused.status).as(refused.body).isEqualTo(403);
        }
        assertThat(get(token, "/fs/tokens/in/made").status).isEqualTo(403);
        assertThat(get(token, "-X", "DELETE", "/fs/tokens/in/made").status).isEqualTo(403);
        assertThat(get(token, "-T", "/etc/hostname", "/fs/tokens/inner/made").status)
                .isEqualTo(403);
        assertThat(names())
                .contains("old", "made", "hadoop")
                .as("nothing is left behind that he cannot remove")
                .noneMatch(name -> name.startsWith(".upload."));
        String more = token("daemon", "storage.modify:/tokens/in");
        assertThat(get(more, "-T", "/etc/hostname", "/fs/tokens/in/made").status).isEqualTo(204);
        assertThat(get(more, "-X", "DELETE", "/fs/tokens/in/made").status).isEqualTo(204);
    }

    /** What the account may not, no token gives it. */
    @Test
    void aTokenGivesNothingThatTheAccountHasNot() {
        farm.client().mkdir(FarmPath.of("/tokens/in/roots"), NewMode.exactly(0700));
        String token = token("daemon", "storage.read:/ storage.modify:/");
        assertThat(get(token, "/fs/tokens/in/roots").status).isEqualTo(403);
        assertThat(get(token, "-T", "/etc/hostname", "/fs/tokens/in/roots/x").status)
                .isEqualTo(403);
    }

    // ---- who is let in

    @Test
    void whatIsNoTokenOfThisFarmIsRefusedAndSaidNowhere() throws Exception {
        String good = token("daemon", "storage.read:/");
        String[] parts = good.split("\\.");
        String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
        PrivateKey own = Pem.privateKey(Files.readString(pki.resolve("tokens.key"))).orElseThrow();
        List<String> bad =
                List.of(
                        "nonsense",
                        "a.b.c",
                        parts[0] + "." + parts[1] + "." + "A".repeat(parts[2].length()),
                        signed(parts[0], claims, foreignKey()),
                        signed(parts[0], claims.replace("tokens.localhost", "x.example"), own),
                        signed(parts[0], claims.replace("\"gridfarm\"", "\"other\""), own),
                        signed(parts[0], claims.replace("storage.read:/", "openid"), own),
                        signed(parts[0], claims.replace("\"daemon\"", "\"nobody-knows\""), own),
                        issuer.token("daemon", "storage.read:/", Duration.ofMinutes(-2)));
        for (String each : bad) {
            Answer refused = get(each, "/fs/tokens/in");
            assertThat(refused.status).as(each).isEqualTo(401);
            assertThat(refused.head)
                    .containsIgnoringCase("www-authenticate: Bearer error=\"invalid_token\"")
                    .containsIgnoringCase("connection: close");
            assertThat(refused.head + refused.body).doesNotContain(each, parts[1]);
        }
        assertThat(get("", "/fs/tokens/in").status).isEqualTo(401);
        Answer hadoop = get(bad.get(2), "/webhdfs/v1/?op=LISTSTATUS");
        assertThat(hadoop.status).isEqualTo(401);
        assertThat(hadoop.body).contains("SecurityException", "not signed by its issuer");
        Answer parameter = get(good, "/webhdfs/v1/?op=LISTSTATUS&delegation=" + good);
        assertThat(parameter.status).isEqualTo(400);
        assertThat(parameter.body).contains("in the header").doesNotContain(parts[1]);
        assertThat(get(good, "-H", "Authorization: Bearer x", "/fs/").status).isEqualTo(400);

        List<String> secret = new ArrayList<>(bad.subList(2, bad.size()));
        secret.addAll(List.of(good, parts[1], parts[2]));
        assertThat(LOGGED.list).isNotEmpty();
        for (ILoggingEvent event : List.copyOf(LOGGED.list)) {
            assertThat(event.getFormattedMessage()).doesNotContain(secret);
        }
        try (Stream<Path> logs = Files.list(farm.directory().resolve("log"))) {
            for (Path log : logs.toList()) {
                assertThat(Files.readString(log, StandardCharsets.ISO_8859_1))
                        .as(log.toString())
                        .doesNotContain(secret);
            }
        }
    }

    private static PrivateKey foreignKey() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair().getPrivate();
    }

    private static String signed(String header, String claims, PrivateKey key)
            throws GeneralSecurityException {
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        String body = header + "." + base64.encodeToString(claims.getBytes(StandardCharsets.UTF_8));
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(key);
        signature.update(body.getBytes(StandardCharsets.US_ASCII));
        return body + "." + base64.encodeToString(signature.sign());
    }

    @Test
    void whoShowsACertificateAndATokenComesByTheTokenAlone() {
        if (!Files.exists(pki.resolve("daemon.pem"))) {
            farm.gf(
                    ("ca issue user daemon,games --name A_daemon --one-file --dir %1$s/authority --out %1$s/daemon --map %1$s/grid-mapfile")
                            .formatted(pki)
                            .split(" "));
        }
        String[] certified = {"--cert", pki.resolve("daemon.pem").toString()};
        String token = token("bin", "storage.create:/tokens/in");
        assertThat(get(token, with(certified, "-T", "/etc/hostname", "/fs/tokens/in/both")).status)
                .isEqualTo(201);
        assertThat(farm.gf("stat", "-c", "%U", "/tokens/in/both").strip()).isEqualTo("bin");
        assertThat(get(token, with(certified, "/fs/tokens/in/both")).status).isEqualTo(403);
        assertThat(get("nonsense", with(certified, "/fs/tokens/in/both")).status).isEqualTo(401);
        String home = "/webhdfs/v1/?op=GETHOMEDIRECTORY";
        assertThat(get(token, with(certified, home + "&user.name=games")).body)
                .contains("/user/bin");
        assertThat(get(token, with(certified, home + "&doas=bin")).status).isEqualTo(200);
        assertThat(get(token, with(certified, home + "&doas=daemon")).status).isEqualTo(403);
    }

    /** A line of the map may name several. */
    @Test
    void whoHasSeveralAccountsIsTheOneThatHeNamesAndNobodyElses() throws Exception {
        MapFile.add(
                pki.resolve("grid-mapfile"), "https://tokens.localhost several", "daemon,games");
        String[] parts =
                token("daemon", "storage.read:/tokens/in storage.create:/tokens/in").split("\\.");
        String claims = new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8);
        PrivateKey own = Pem.privateKey(Files.readString(pki.resolve("tokens.key"))).orElseThrow();
        String token = signed(parts[0], claims.replace("\"daemon\"", "\"several\""), own);
        String home = "/webhdfs/v1/?op=GETHOMEDIRECTORY";
        assertThat(get(token, home).body).contains("/user/daemon");
        assertThat(get(token, home + "&user.name=games").body).contains("/user/games");
        assertThat(get(token, home + "&doas=games&user.name=daemon").body).contains("/user/games");
        assertThat(get(token, home + "&user.name=hdfs").body)
                .as("what Hadoop's clients say unasked")
                .contains("/user/daemon");
        for (String other : List.of("bin", "root", "daemon,games", "several", "@gateway")) {
            Answer refused = get(token, home + "&doas=" + other);
            assertThat(refused.status).as(other).isEqualTo(403);
            assertThat(refused.body).contains("an account that is not yours");
        }
        String made = "/fs/tokens/in/of-games";
        assertThat(get(token, "-T", "/etc/hostname", made + "?doas=games").status).isEqualTo(201);
        assertThat(farm.gf("stat", "-c", "%U", "/tokens/in/of-games").strip()).isEqualTo("games");
        Answer outside = get(token, "/fs/tokens/inner/f?doas=games");
        assertThat(outside.status).isEqualTo(403);
        assertThat(outside.body).contains("not among what the token allows");
    }

    private static String[] with(String[] first, String... others) {
        return Stream.concat(Stream.of(first), Stream.of(others)).toArray(String[]::new);
    }

    /** Both go on being asked for, so what the gateway keeps is in use. */
    @Test
    void aTokenThatRunsOutAndOneThatTheMapKnowsNoLongerEnd() throws IOException {
        String expiring = issuer.token("daemon", "storage.read:/tokens", Duration.ofSeconds(-54));
        String removed = token("bin", "storage.read:/tokens");
        assertThat(get(expiring, "/fs/tokens/inner/f").body).isEqualTo("x");
        assertThat(get(removed, "/fs/tokens/inner/f").body).isEqualTo("x");
        Path map = pki.resolve("grid-mapfile");
        String before = Files.readString(map);
        String line = "\"https://tokens.localhost bin\" bin\n";
        assertThat(before).contains(line);
        try {
            Files.writeString(map, before.replace(line, ""));
            for (String each : List.of(expiring, removed)) {
                await().atMost(KNOWN_WITHIN)
                        .untilAsserted(() ->
                                assertThat(get(each, "/fs/tokens/inner/f").status).isEqualTo(401));
            }
        } finally {
            Files.writeString(map, before);
        }
        await().atMost(KNOWN_WITHIN)
                .untilAsserted(
                        () -> assertThat(get(removed, "/fs/tokens/inner/f").status).isEqualTo(200));
    }

    // ---- how many

    @Test
    void moreTokensThanThereIsRoomForAreToldToComeAgain(@TempDir Path here) throws Exception {
        List<Process> sending = new ArrayList<>();
        for (String name : List.of("slow1", "slow2")) {
            String token = token("daemon", "storage.modify:/tokens/in");
            sending.add(
                    new ProcessBuilder(command(token, "-T", "-", "/fs/tokens/in/" + name))
                            .redirectErrorStream(true)
                            .redirectOutput(here.resolve(name).toFile())
                            .start());
            int begun = sending.size();
            await().until(() ->
                    names().stream().filter(n -> n.startsWith(".upload.")).count() == begun);
        }
        String third = token("daemon", "storage.read:/tokens");
        Answer full = get(third, "/fs/tokens/inner/f");
        assertThat(full.status).isEqualTo(503);
        assertThat(full.head).containsIgnoringCase("retry-after: ");
        assertThat(full.body).contains(AT_WORK_MAX + " tokens are at work here already");
        for (Process each : sending) {
            each.outputWriter().write("done");
            each.outputWriter().close();
            assertThat(each.waitFor()).isZero();
        }
        for (String name : List.of("slow1", "slow2")) {
            assertThat(farm.mount().resolve("tokens/in").resolve(name)).hasContent("done");
        }
        await().untilAsserted(
                        () -> assertThat(get(third, "/fs/tokens/inner/f").status).isEqualTo(200));
    }

    /** Those who guess, many at once, take nobody's place. */
    @Test
    void guessesLeaveTheOthersAlone() throws Exception {
        String good = token("daemon", "storage.read:/tokens");
        assertThat(get(good, "/fs/tokens/inner/f").status).isEqualTo(200);
        long opened = opened();
        assertThat(opened).isPositive();
        List<Callable<Integer>> guesses = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            String guess = "gu.es.s" + i;
            guesses.add(() -> get(guess, "/fs/tokens/inner/f").status);
        }
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<Integer> each : threads.invokeAll(guesses)) {
                assertThat(each.get()).isIn(401, 503);
            }
        }
        assertThat(get(good, "/fs/tokens/inner/f").status).isEqualTo(200);
        assertThat(opened()).as("sessions opened").isEqualTo(opened);
    }

    private static long opened() {
        return List.copyOf(LOGGED.list).stream()
                .filter(event -> event.getFormattedMessage().startsWith("a session for "))
                .count();
    }

    // ---- where metaservers are not there

    @Test
    void whoCannotBeJudgedIsToldToComeAgainAndWhoIsRefusedIsToldSo(@TempDir Path here)
            throws IOException {
        String good = token("daemon", "storage.read:/tokens");
        assertThat(asked(here, "\"127.0.0.1:1\"", good).status).isEqualTo(503);
        String one = config.metaservers().get(0).toString();
        String half = "\"127.0.0.1:1\", \"" + one + "\"";
        assertThat(asked(here, half, good).status).isEqualTo(200);
        assertThat(asked(here, half, "gu.es.s").status).isEqualTo(401);
    }

    /** By a gateway that knows those metaservers alone. */
    private static Answer asked(Path here, String metaservers, String token) throws IOException {
        String text =
                Files.readString(farm.directory().resolve("gateway.toml"))
                        .replaceFirst("metaservers = .*", "metaservers = [" + metaservers + "]");
        Path file = Files.writeString(here.resolve("c.toml"), "timeout = \"3s\"\n" + text);
        try (Gateway other = start(ClientConfig.read(file))) {
            return get(token, other.url() + "/fs/tokens/inner/f");
        }
    }

    @Test
    void programsInPythonShowTheTokenThatTheyFind() throws IOException {
        Programs.needPython("fsspec");
        put("py");
        String token = token("daemon", "storage.read:/tokens/in storage.create:/tokens/in");
        String said =
                farm.sh(
                        """
                        X509_USER_PROXY=/nonexistent BEARER_TOKEN='%s' PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='%s' python3 -c '
                        from gridfarm import GridfarmFileSystem
                        fs = GridfarmFileSystem(gateway="%s", ca="%s")
                        fs.pipe_file("/tokens/in/made", b"by python")
                        print(fs.cat_file("/tokens/in/py", end=10), fs.cat_file("/tokens/in/made"))
                        try:
                            fs.rm_file("/tokens/in/py")
                        except PermissionError as e:
                            print("refused:", e)'
                        """
                                .formatted(
                                        token,
                                        Checkout.root().resolve("client/python/src"),
                                        gateway.url(),
                                        pki.resolve("ca.pem")));
        assertThat(said)
                .contains("b'" + CONTENT.substring(0, 10) + "' b'by python'")
                .contains("refused:", "not among what the token allows")
                .doesNotContain(token);
    }

    /** One that a person runs has a token of its own. */
    @Test
    void aGatewayOfOnesOwnTakesNoTokensOfTheFarm() {
        ClientConfig own = ClientConfig.read(farm.directory().resolve("client.toml"));
        Gateway.Settings settings =
                new Gateway.Settings(
                        new HostPort("127.0.0.1", 0),
                        Optional.empty(),
                        Optional.empty(),
                        Set.of(),
                        false,
                        Optional.of("own-token-of-this-gateway"),
                        Optional.empty());
        try (Gateway mine = Gateway.start(own, settings)) {
            String url = mine.url() + "/fs/tokens/inner/f";
            assertThat(get(token("daemon", "storage.read:/"), url).status).isEqualTo(401);
            assertThat(get("own-token-of-this-gateway", url).status).isEqualTo(200);
        }
    }
}

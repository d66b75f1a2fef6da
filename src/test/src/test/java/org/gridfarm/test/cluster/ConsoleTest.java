package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.cli.console.ConsoleServer;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.observe.AuditLog;
import org.gridfarm.protocol.rpc.HostPort;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The web console over HTTP, on the usual farm. */
class ConsoleTest {
    private static final String TOKEN = "the token of this test";
    private static final String EVIL = "<script>alert(1)</script>";
    private static final Pattern FORM_KEY = Pattern.compile("name=\"form\" value=\"([^\"]+)\"");

    private static @TempDir Path temporary;
    private static TestFarm farm;
    private static ClientConfig config;
    private static ConsoleServer console;
    private static Runnable audited;
    private final HttpClient browser = HttpClient.newHttpClient();

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.directory("/console", 2);
        Path file = Files.writeString(temporary.resolve("x"), "what the console shows");
        farm.client()
                .copyIn(
                        file,
                        org.gridfarm.protocol.name.FarmPath.of(
                                "/console/" + EVIL.replace('/', '|')));
        config = ClientConfig.read(farm.directory().resolve("client.toml"));
        audited = AuditLog.to(Optional.of(temporary.resolve("audit.log")));
        console = console(Optional.empty(), true);
    }

    private static ConsoleServer console(
            Optional<org.gridfarm.protocol.auth.tls.WebTls> tls, boolean mayAct) {
        return ConsoleServer.start(
                config,
                new ConsoleServer.Settings(
                        new HostPort("127.0.0.1", 0),
                        tls,
                        Set.of(),
                        false,
                        mayAct,
                        Optional.of(TOKEN),
                        temporary.resolve("health-muted")));
    }

    @AfterAll
    static void stop() {
        if (console != null) console.close();
        if (audited != null) audited.run();
    }

    private static HttpRequest.Builder asked(ConsoleServer at, String path) {
        return HttpRequest.newBuilder(URI.create(at.url()).resolve(path))
                .header("Authorization", "Bearer " + TOKEN);
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return browser.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private String page(String path) {
        HttpResponse<String> answer = send(asked(console, path).build());
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        return answer.body();
    }

    @Test
    void everyPageShowsWhatTheFarmHas() {
        assertThat(page("/")).contains("Metaservers", "leader", "nodes up");
        assertThat(page("/nodes")).contains("n1", "n2", "n3", "chip good\">up");
        assertThat(page("/replicas"))
                .contains("can be read", "href=\"/replicas?wanted=2&amp;live=2");
        assertThat(page("/replicas?wanted=2&live=2"))
                .contains("files want 2 and have 2", "href=\"/file?path=");
        assertThat(page("/clients")).contains("gf console", "mount ");
        assertThat(page("/slow")).containsAnyOf("No request took longer", "requests took longer");
        assertThat(page("/health")).containsAnyOf("Nothing is wrong", "What to do");
        assertThat(page("/files?path=%2Fnone")).contains("not found");
    }

    @Test
    void whereAMountDecidesByItselfIsShown() throws IOException {
        Files.createDirectory(farm.mount().resolve("console/<b>own"));
        String row = "(/clients\\?session=[0-9a-f]+)\"><code>[0-9a-f]+</code></a></td><td>";
        Matcher mount =
                Pattern.compile(row + "mount " + farm.mount() + "<").matcher(page("/clients"));
        assertThat(mount.find()).isTrue();
        assertThat(page(mount.group(1)))
                .contains("directories of its own", "<li>/console/&lt;b&gt;own</li>");
    }

    @Test
    void namesThatUsersChoseAreText() {
        String listed = page("/files?path=%2Fconsole");
        assertThat(listed).contains("&lt;script&gt;alert(1)").doesNotContain("<script>alert");
        Matcher link = Pattern.compile("href=\"(/file\\?path=[^\"]+)\"").matcher(listed);
        assertThat(link.find()).isTrue();
        assertThat(page(link.group(1).replace("&amp;", "&")))
                .contains("22 bytes", "<h2>Where</h2>", "chip good")
                .doesNotContain("<script>alert");
    }

    @Test
    void aJobHasATimelineAndItsTasks() {
        farm.gf("run", "--name", EVIL, "echo {}", ":::", "one", "two", "three");
        String jobs = page("/jobs");
        assertThat(jobs).contains("&lt;script&gt;").doesNotContain("<script>alert");
        Matcher job =
                Pattern.compile("/job\\?id=([0-9]+)\">[0-9]+</a></td><td class=\"long\">&lt;s")
                        .matcher(jobs);
        assertThat(job.find()).isTrue();
        assertThat(page("/job?id=" + job.group(1)))
                .contains("What the nodes did", "<rect class=\"none\"", "three", "succeeded");
        assertThat(page("/job?id=99999999")).contains("banner bad");
    }

    @Test
    void whoHasNoTokenSeesNothing() {
        HttpRequest naked = HttpRequest.newBuilder(URI.create(console.url() + "nodes")).build();
        HttpResponse<String> refused = send(naked);
        assertThat(refused.statusCode()).isEqualTo(401);
        assertThat(refused.body()).doesNotContain("n1");
        HttpResponse<String> entered =
                send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                console.url()
                                                        + "nodes?token="
                                                        + URLEncoder.encode(
                                                                TOKEN, StandardCharsets.UTF_8)))
                                .build());
        assertThat(entered.statusCode()).isEqualTo(303);
        assertThat(entered.headers().firstValue("Location")).contains("/nodes");
        String cookie = entered.headers().firstValue("Set-Cookie").orElseThrow();
        assertThat(cookie).contains("HttpOnly", "SameSite=Strict");
        HttpRequest with =
                HttpRequest.newBuilder(URI.create(console.url() + "nodes"))
                        .header("Cookie", cookie.substring(0, cookie.indexOf(';')))
                        .build();
        assertThat(send(with).body()).contains("n1");
        assertThat(send(with).headers().firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self'");
    }

    @Test
    void aPageThatIsWatchedIsSentAgainWhenItChanges() throws Exception {
        HttpRequest watch =
                asked(console, "/live?page=%2Ffiles%3Fpath%3D%252Fconsole%252Fseen").build();
        farm.directory("/console/seen", 1);
        var lines = browser.send(watch, BodyHandlers.ofInputStream());
        try (BufferedReader events =
                new BufferedReader(new InputStreamReader(lines.body(), StandardCharsets.UTF_8))) {
            assertThat(events.readLine()).startsWith("data: ").doesNotContain("appeared");
            farm.directory("/console/seen/appeared", 1);
            String line = events.readLine();
            while (line != null && !line.contains("appeared")) line = events.readLine();
            assertThat(line).startsWith("data: ");
        }
    }

    private String form(String act, String what) {
        Matcher key = FORM_KEY.matcher(page("/confirm?act=" + act + "&what=" + what));
        assertThat(key.find()).isTrue();
        return "form=" + key.group(1) + "&act=" + act + "&what=" + what;
    }

    private HttpResponse<String> post(ConsoleServer at, String form, String... headers) {
        HttpRequest.Builder request =
                asked(at, "/act").POST(HttpRequest.BodyPublishers.ofString(form));
        if (headers.length > 0) request.headers(headers);
        return send(request.build());
    }

    @Test
    void anOwnJobIsCancelledAfterAConfirmationAndTheAuditLogSaysSo() throws IOException {
        String id = farm.gf("run", "--detach", "--name", "to be cancelled", "sleep 600").strip();
        String job = id.replaceAll("[^0-9]", "");
        assertThat(page("/confirm?act=cancel&what=" + job)).contains("Cancel job " + job + "?");
        String form = form("cancel", job);
        assertThat(post(console, form.replaceFirst("form=[^&]+", "form=forged")).statusCode())
                .isEqualTo(403);
        assertThat(post(console, form, "Origin", "http://evil.example").statusCode())
                .isEqualTo(403);
        assertThat(farm.json("jobs", "--json", job).get("jobs").get(0).get("state").asString())
                .isNotEqualTo("cancelled");
        assertThat(post(console, form).statusCode()).isEqualTo(303);
        assertThat(farm.gf("jobs", job)).contains("cancelled");
        assertThat(Files.readString(temporary.resolve("audit.log")))
                .contains("result=done", "what=\"console cancel\" on=\"" + job + "\"")
                .contains("result=refused", "sent by another site");
    }

    @Test
    void aCodeIsMutedAndSaidAgain() {
        assertThat(post(console, form("mute", "NODES_UNEVEN")).statusCode()).isEqualTo(303);
        assertThat(page("/health")).contains("<b>NODES_UNEVEN</b> until");
        assertThat(post(console, form("unmute", "NODES_UNEVEN")).statusCode()).isEqualTo(303);
        assertThat(page("/health")).doesNotContain("NODES_UNEVEN");
        assertThat(page("/confirm?act=format&what=n1")).contains("no such action");
    }

    @Test
    void aConsoleThatOnlyShowsDoesNothing() {
        try (ConsoleServer shows = console(Optional.empty(), false)) {
            HttpResponse<String> refused = post(shows, form("mute", "NODES_UNEVEN"));
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("--actions");
        }
    }

    @Test
    void othersReachAConsoleByTlsOnly() {
        ConsoleServer.Settings anywhere =
                new ConsoleServer.Settings(
                        new HostPort("0.0.0.0", 0),
                        Optional.empty(),
                        Set.of(),
                        false,
                        false,
                        Optional.empty(),
                        temporary.resolve("health-muted"));
        assertThatThrownBy(() -> ConsoleServer.start(config, anywhere))
                .hasMessageContaining("--tls");
    }

    @Test
    void aCertificateThatIsListedNeedsNoToken() {
        var web = config.security().web(Clock.system(), Optional.empty());
        String own = web.nameOf(config.security().credential().chain()).orElseThrow();
        Path credential = config.security().certificate();
        ConsoleServer.Settings settings =
                new ConsoleServer.Settings(
                        new HostPort("127.0.0.1", 0),
                        Optional.of(web),
                        Set.of(own),
                        false,
                        false,
                        Optional.of(TOKEN),
                        temporary.resolve("health-muted"));
        try (ConsoleServer secured = ConsoleServer.start(config, settings)) {
            assertThat(secured.url()).startsWith("https://");
            String[] curl = {"curl", "-s", "-k", secured.url() + "nodes"};
            assertThat(farm.run(java.util.List.of(curl)).output()).contains("Who are you?");
            assertThat(
                            farm.run(
                                            java.util.List.of(
                                                    "curl",
                                                    "-s",
                                                    "-k",
                                                    "--cert",
                                                    credential.toString(),
                                                    secured.url() + "nodes"))
                                    .output())
                    .contains("n1", "n2");
        }
    }
}

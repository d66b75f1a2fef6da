package org.gridfarm.test.helm;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.gridfarm.client.cli.Gf;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.metaserver.postgres.DatabaseSettings;
import org.gridfarm.metaserver.server.state.MetaServerSettings;
import org.gridfarm.metaserver.token.TokenSettings;
import org.gridfarm.metaserver.zookeeper.ZooKeeperSettings;
import org.gridfarm.protocol.auth.GridMap;
import org.gridfarm.protocol.auth.Role;
import org.gridfarm.protocol.auth.x509.Credential;
import org.gridfarm.protocol.auth.x509.DistinguishedName;
import org.gridfarm.protocol.auth.x509.RevocationPolicy;
import org.gridfarm.protocol.auth.x509.TrustStore;
import org.gridfarm.protocol.config.Config;
import org.gridfarm.protocol.observe.Health;
import org.gridfarm.protocol.observe.HttpEndpoint;
import org.gridfarm.protocol.observe.Metrics;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.storagenode.NodeSettings;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;

import tools.jackson.databind.JsonNode;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * What the containers of the chart find: certificates, passwords and configurations, made as in a
 * cluster and read by the programs' own readers.
 */
@Tag("quick")
class ChartFilesTest {
    private static final Set<String> DAEMONS = Set.of("metaserver", "scheduler", "storagenode");

    @TempDir private static Path directory;
    private static Rendered farm;
    private static MadeSecrets made;
    private static Map<String, Map<String, byte[]>> secrets;
    private static Map<String, Map<String, byte[]>> maps;

    @BeforeAll
    static void install() throws Exception {
        farm = Variant.EVERYTHING.rendered();
        made = new MadeSecrets(Files.createDirectory(directory.resolve("made")));
        int status = made.run(farm);
        assertThat(status).as(made.said()).isZero();
        secrets = made.objects("Secret");
        maps = made.objects("ConfigMap");
    }

    private static PodFiles files(JsonNode workload) throws Exception {
        Path root = directory.resolve(Rendered.name(workload) + "-" + System.nanoTime());
        return PodFiles.of(workload, Files.createDirectory(root), farm, secrets, maps);
    }

    private static List<JsonNode> ofTheProgram() {
        return farm.workloads().stream()
                .filter(one -> !one.at("/spec/template/spec/containers/0/args").isMissingNode())
                .filter(one -> !Rendered.name(one).equals("farm-postgresql"))
                .toList();
    }

    private static JsonNode container(JsonNode workload) {
        return Rendered.pod(workload).at("/containers/0");
    }

    private static List<String> words(JsonNode workload, String pod) {
        return Rendered.texts(container(workload).at("/args")).stream()
                .map(word -> word.replace("$(POD_NAME)", pod))
                .toList();
    }

    /** Those of a StatefulSet are numbered. */
    private static List<String> pods(JsonNode workload) {
        List<String> pods = new ArrayList<>();
        String name = Rendered.name(workload);
        for (int i = 0; i < workload.at("/spec/replicas").asInt(1); i++) {
            pods.add(Rendered.kind(workload).equals("StatefulSet") ? name + "-" + i : name);
        }
        return pods;
    }

    private static Path configuration(JsonNode workload, String pod, PodFiles files) {
        List<String> words = words(workload, pod);
        int option = words.indexOf("--config");
        if (option >= 0) return files.at(words.get(option + 1));
        if (words.getFirst().equals("zookeeper")) return files.at(words.get(1));
        return files.at(
                container(workload)
                        .at("/env")
                        .valueStream()
                        .filter(one -> one.at("/name").asString().equals("GF_CONFIG"))
                        .findFirst()
                        .orElseThrow()
                        .at("/value")
                        .asString());
    }

    @Test
    void everyContainerRunsACommandThatThereIs() throws Exception {
        String launcher = Files.readString(Checkout.root().resolve("gf"));
        for (JsonNode workload : ofTheProgram()) {
            List<String> words = words(workload, "pod");
            if (DAEMONS.contains(words.getFirst()) || words.getFirst().equals("zookeeper")) {
                assertThat(launcher).contains("gf:" + words.getFirst() + ")");
            } else {
                assertThat(Gf.line().parseArgs(words.toArray(String[]::new)).errors()).isEmpty();
            }
        }
        assertThat(ofTheProgram()).hasSize(9);
    }

    @Test
    void everyConfigurationIsOneThatItsProgramTakes() throws Exception {
        for (JsonNode workload : ofTheProgram()) {
            PodFiles files = files(workload);
            for (String pod : pods(workload)) {
                Path file = configuration(workload, pod, files);
                switch (words(workload, pod).getFirst()) {
                    case "metaserver" -> metaserver(file, pod.contains("-cache-"));
                    case "scheduler" -> checkedByItsProgram(file);
                    case "storagenode" -> storageNode(workload, file);
                    case "zookeeper" -> new QuorumPeerConfig().parse(file.toString());
                    default -> assertThat(ClientConfig.read(file).schedulers()).hasSize(1);
                }
            }
        }
    }

    private static void metaserver(Path file, boolean isCache) {
        Config.read(
                file,
                config -> {
                    MetaServerSettings server = MetaServerSettings.read(config);
                    assertThat(server.candidate()).isEqualTo(!isCache);
                    assertThat(server.accounts()).containsKey("ann");
                    assertThat(DatabaseSettings.read(config).password()).hasSize(48);
                    assertThat(ZooKeeperSettings.read(config).tls()).isPresent();
                    return TokenSettings.read(config);
                });
    }

    private static void storageNode(JsonNode workload, Path file) {
        NodeSettings node = NodeSettings.read(file);
        Map<String, String> labels = Rendered.map(workload.at("/spec/template/metadata/labels"));
        assertThat(node.daemon().name()).isEqualTo(labels.get("gridfarm.org/node"));
        assertThat(node.rack()).isEqualTo(labels.get("gridfarm.org/rack"));
        assertThat(node.group()).isEqualTo(node.rack().equals("2") ? "ssd" : "default");
        assertThat(node.tasks().slots()).isEqualTo(4);
        Set<String> mounted = new HashSet<>();
        container(workload)
                .at("/volumeMounts")
                .forEach(one -> mounted.add(one.at("/mountPath").asString()));
        assertThat(node.data()).hasSize(2).allMatch(disk -> mounted.contains(disk.toString()));
        assertThat(mounted).contains(Path.of(node.tasks().mount()).getParent().toString());
    }

    /** Its reader is its own. */
    private static void checkedByItsProgram(Path file) throws Exception {
        Path said = directory.resolve("said");
        ProcessBuilder program =
                new ProcessBuilder(
                        Checkout.root().resolve("gf").toString(),
                        "config",
                        "check",
                        "--kind",
                        "scheduler",
                        file.toString());
        program.environment().put("GF_BUILD", "never");
        Process check = program.redirectErrorStream(true).redirectOutput(said.toFile()).start();
        assertThat(check.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(check.exitValue()).as(Files.readString(said)).isZero();
    }

    @Test
    void serversListenWhereTheirPortsAre() throws Exception {
        for (JsonNode workload : ofTheProgram()) {
            if (!DAEMONS.contains(words(workload, "").getFirst())) continue;
            PodFiles files = files(workload);
            for (String pod : pods(workload)) {
                TomlParseResult toml = Toml.parse(configuration(workload, pod, files));
                HostPort listen = HostPort.parse(toml.getString("listen"));
                HostPort http = HostPort.parse(toml.getString("http"));
                HostPort advertised = HostPort.parse(toml.getString("advertise"));
                assertThat(port(workload, "farm"))
                        .isEqualTo(listen.port())
                        .isEqualTo(advertised.port());
                assertThat(port(workload, "http")).isEqualTo(http.port());
                assertThat(List.of(listen.host(), http.host())).containsOnly("0.0.0.0");
                String domain = Rendered.name(workload) + ".ns.svc.cluster.local";
                assertThat(advertised.host())
                        .isEqualTo(
                                Rendered.kind(workload).equals("StatefulSet")
                                        ? pod + "." + domain
                                        : domain);
                assertThat(namesOf(files)).contains(advertised.host());
            }
        }
    }

    private static int port(JsonNode workload, String name) {
        return container(workload)
                .at("/ports")
                .valueStream()
                .filter(one -> one.at("/name").asString().equals(name))
                .findFirst()
                .orElseThrow()
                .at("/containerPort")
                .asInt();
    }

    private static List<String> namesOf(PodFiles files) throws Exception {
        X509Certificate certificate =
                Credential.load(files.at("/etc/gridfarm/own/credential.pem")).certificate();
        return certificate.getSubjectAlternativeNames().stream()
                .map(name -> name.get(1).toString())
                .toList();
    }

    @Test
    void everybodyIsWhoTheMapSaysAndTrustsTheOthers() throws Exception {
        Map<String, Role> roles =
                Map.of(
                        "metaserver", Role.METASERVER,
                        "scheduler", Role.SCHEDULER,
                        "storagenode", Role.NODE,
                        "gateway", Role.GATEWAY,
                        "console", Role.ADMIN,
                        "mount", Role.MOUNT);
        for (JsonNode workload : ofTheProgram()) {
            PodFiles files = files(workload);
            Credential own =
                    Credential.load(
                            files.at("/etc/gridfarm/own/tls.crt"),
                            files.at("/etc/gridfarm/own/tls.key"));
            Credential inOne = Credential.load(files.at("/etc/gridfarm/own/credential.pem"));
            assertThat(inOne.certificate()).isEqualTo(own.certificate());
            TrustStore trust =
                    TrustStore.load(files.at("/etc/gridfarm/trust"), RevocationPolicy.REQUIRED);
            assertThat(trust.authorityOf(own.chain()))
                    .hasValueSatisfying(authority -> {
                        assertThat(authority.restricted()).isTrue();
                        assertThat(authority.listUntil()).isPresent();
                    });
            GridMap map = GridMap.load(files.at("/etc/gridfarm/map/grid-mapfile"));
            String dn = DistinguishedName.subjectOf(own.certificate()).toString();
            Role role = roles.get(words(workload, "").getFirst());
            if (role == null) {
                assertThat(map.lookUp(dn)).as(dn).isEmpty(); // ZooKeeper is nobody to the farm
            } else {
                assertThat(map.lookUp(dn).orElseThrow().role()).as(dn).isEqualTo(role);
            }
            assertThat(map.hasAccount("ann")).isTrue();
        }
    }

    @Test
    void databaseAndZooKeeperAreNamedAsTheirCertificates() throws Exception {
        PodFiles files = files(farm.named("StatefulSet", "farm-metaserver"));
        TomlParseResult toml = Toml.parse(files.at("/etc/gridfarm/config/farm-metaserver-0.toml"));
        assertThat(toml.getString("database.url"))
                .startsWith(
                        "jdbc:postgresql://farm-postgresql:5432/gridfarm?sslmode=verify-full&sslrootcert=")
                .satisfies(url ->
                        assertThat(Path.of(url.substring(url.lastIndexOf('=') + 1))).exists());
        assertThat(toml.getString("zookeeper.connect")).isEqualTo("farm-zookeeper:2281");
        assertThat(namesOf(files(farm.named("StatefulSet", "farm-zookeeper"))))
                .contains("farm-zookeeper");
        String roles = new String(secrets.get("farm-postgresql-init").get("roles.sql"));
        assertThat(roles)
                .contains(
                        "gridfarm_meta login password '%s'"
                                .formatted(
                                        new String(
                                                secrets.get("farm-metaserver-passwords")
                                                        .get("database-password"))));
    }

    @Test
    void theConsoleShowsBrowsersItsOwnNameAndHasItsToken() throws Exception {
        PodFiles files = files(farm.named("Deployment", "farm-console"));
        Credential shown = Credential.load(files.at("/etc/gridfarm/own/web.pem"));
        assertThat(shown.certificate().getSubjectAlternativeNames().toString())
                .contains("farm-console.ns.svc", "console.example.org");
        assertThat(Files.readString(files.at("/etc/gridfarm/own/token"))).hasSize(48);
    }

    @Test
    void probesAskForPagesThatServersHave() throws Exception {
        Set<String> pages = new HashSet<>();
        for (JsonNode workload : farm.workloads()) {
            Rendered.each(
                    Rendered.pod(workload),
                    "httpGet",
                    page -> pages.add(page.at("/path").asString()));
        }
        assertThat(pages).containsExactlyInAnyOrder("/livez", "/readyz");
        try (Loops loops = Loops.start("probes", 1);
                Metrics metrics = new Metrics("probes", "probes");
                HttpEndpoint endpoint =
                        HttpEndpoint.bind(
                                loops, new HostPort("127.0.0.1", 0), metrics, new Health());
                HttpClient client = HttpClient.newHttpClient()) {
            for (String page : pages) {
                URI address = URI.create("http://" + endpoint.address() + page);
                assertThat(
                                client.send(
                                                HttpRequest.newBuilder(address).build(),
                                                HttpResponse.BodyHandlers.discarding())
                                        .statusCode())
                        .isEqualTo(200);
            }
        }
    }

    /**
     * With a metaserver more: the certificate that names it is another one, and all else as it was.
     */
    @Test
    void anUpgradeMakesWhatIsMissingAndNoMore() throws Exception {
        Rendered larger =
                Chart.render(
                        Variant.EVERYTHING
                                .text()
                                .replace(
                                        "antiAffinity: hard", "antiAffinity: hard\n  replicas: 3"));
        assertThat(made.run(larger)).as(made.said()).isZero();
        Map<String, Map<String, byte[]>> after = made.objects("Secret");
        assertThat(after.keySet()).isEqualTo(secrets.keySet());
        Set<String> changed = new HashSet<>();
        after.forEach((name, files) ->
                files.forEach((file, content) -> {
                    if (!Arrays.equals(content, secrets.get(name).get(file)))
                        changed.add(name + "/" + file);
                }));
        assertThat(changed)
                .containsExactlyInAnyOrder(
                        "farm-metaserver-tls/tls.crt",
                        "farm-metaserver-tls/tls.key",
                        "farm-authority/state.tar.gz");
        assertThat(made.objects("ConfigMap").get("farm-map").get("grid-mapfile"))
                .isEqualTo(maps.get("farm-map").get("grid-mapfile"));
    }
}

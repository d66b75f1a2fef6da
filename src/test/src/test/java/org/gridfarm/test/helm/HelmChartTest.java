package org.gridfarm.test.helm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.LintResult;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;

/**
 * The chart for Kubernetes: what Helm and the schemas of Kubernetes say of it, and whether its
 * objects fit each other.
 */
@Tag("quick")
class HelmChartTest {
    /** Of what a Secret holds, which is where Helm keeps a release. */
    private static final int RELEASE_BYTES_MAX = 1 << 20;

    private static final int NODES_OF_A_RACK = 25;

    @Test
    void helmFindsNothingToWarnOf() {
        LintResult result = Chart.lint();
        assertThat(result.isFailed()).isFalse();
        assertThat(result.getMessages()).allMatch(line -> line.startsWith("[INFO]"));
    }

    @Test
    void kubernetesKnowsEveryField(@TempDir Path directory) throws Exception {
        List<String> command = new ArrayList<>(List.of("kubernetes-validate", "--strict"));
        for (Variant variant : Variant.values()) {
            Path file = directory.resolve(variant + ".yaml");
            // Those of the operator of Prometheus it has not.
            String known =
                    Arrays.stream(variant.rendered().text().split("(?m)^---$"))
                            .filter(object -> object.contains("\nkind:"))
                            .filter(object -> !object.contains("monitoring.coreos.com"))
                            .collect(Collectors.joining("---"));
            command.add(Files.writeString(file, known).toString());
        }
        Path said = directory.resolve("said");
        Process run =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        assertThat(run.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(run.exitValue()).as(Files.readString(said)).isZero();
        assertThat(Files.readString(said)).contains("daemonset/farm-mount", "job/farm-secrets");
    }

    @ParameterizedTest
    @EnumSource
    void whatPodsReadIsThere(Variant variant) {
        Rendered farm = variant.rendered();
        Set<String> maps = new HashSet<>(farm.names("ConfigMap"));
        Set<String> secrets = new HashSet<>();
        if (!farm.all("Job").isEmpty()) {
            JsonNode rules = farm.all("Role").getFirst().at("/rules");
            Rendered.each(
                    rules,
                    "resourceNames",
                    names ->
                            (names.toString().contains("farm-trust") ? maps : secrets)
                                    .addAll(Rendered.texts(names)));
            assertThat(secrets).isEqualTo(made(farm));
        }
        JsonNode values = Rendered.yaml(variant.text());
        maps.addAll(Rendered.map(values.at("/configMaps")).values());
        Set<String> named = new HashSet<>(Rendered.map(values.at("/secrets")).values());
        named.addAll(Rendered.texts(values.at("/image/pullSecrets")));
        for (JsonNode workload : farm.workloads()) {
            Set<String> asked = new TreeSet<>();
            Rendered.each(
                    Rendered.pod(workload),
                    "configMap",
                    map -> asked.add(map.at("/name").asString()));
            assertThat(maps).as(Rendered.name(workload)).containsAll(asked);
            Set<String> kept = new TreeSet<>();
            Rendered.each(Rendered.pod(workload), "secretName", name -> kept.add(name.asString()));
            Rendered.each(
                    Rendered.pod(workload),
                    "imagePullSecrets",
                    list -> list.forEach(one -> kept.add(one.at("/name").asString())));
            assertThat(kept)
                    .as(Rendered.name(workload))
                    .allMatch(name ->
                            secrets.contains(name) || named.stream().anyMatch(name::startsWith));
            assertThat(Rendered.pod(workload).at("/serviceAccountName").asString())
                    .isIn(farm.names("ServiceAccount"));
            volumesAreThere(workload);
        }
    }

    private static Set<String> made(Rendered farm) {
        Set<String> made = new HashSet<>(Set.of("farm-authority"));
        farm.named("ConfigMap", "farm-secrets")
                .at("/data/plan")
                .asString()
                .lines()
                .forEach(line -> made.add(line.split(" ")[1]));
        return made;
    }

    private static void volumesAreThere(JsonNode workload) {
        Set<String> volumes = new HashSet<>();
        Rendered.pod(workload)
                .at("/volumes")
                .forEach(one -> volumes.add(one.at("/name").asString()));
        workload.at("/spec/volumeClaimTemplates")
                .forEach(claim -> volumes.add(Rendered.name(claim)));
        Set<String> mounted = new HashSet<>();
        for (JsonNode container : Rendered.containers(workload)) {
            List<String> paths = new ArrayList<>();
            container
                    .at("/volumeMounts")
                    .forEach(one -> {
                        mounted.add(one.at("/name").asString());
                        paths.add(one.at("/mountPath").asString());
                    });
            assertThat(paths).doesNotHaveDuplicates();
        }
        assertThat(mounted).as(Rendered.name(workload)).isEqualTo(volumes);
    }

    @ParameterizedTest
    @EnumSource
    void whatSelectsPodsSelectsThoseItMeans(Variant variant) {
        Rendered farm = variant.rendered();
        for (JsonNode workload : farm.workloads()) {
            if (Rendered.kind(workload).equals("Job")) continue;
            Map<String, String> wanted = Rendered.map(workload.at("/spec/selector/matchLabels"));
            assertThat(selected(farm, wanted))
                    .as(Rendered.name(workload))
                    .containsExactly(Rendered.name(workload));
        }
        for (JsonNode service : farm.all("Service")) {
            assertThat(selected(farm, Rendered.map(service.at("/spec/selector"))))
                    .containsExactly(Rendered.name(service));
        }
        for (JsonNode budget : farm.all("PodDisruptionBudget")) {
            assertThat(selected(farm, Rendered.map(budget.at("/spec/selector/matchLabels"))))
                    .containsExactly(Rendered.name(budget));
        }
        for (JsonNode policy : farm.all("NetworkPolicy")) {
            assertThat(selected(farm, Rendered.map(policy.at("/spec/podSelector/matchLabels"))))
                    .isNotEmpty();
        }
        for (JsonNode workload : farm.workloads()) {
            Rendered.each(
                    Rendered.pod(workload).at("/affinity"),
                    "labelSelector",
                    labels ->
                            assertThat(selected(farm, Rendered.map(labels.at("/matchLabels"))))
                                    .containsExactly(Rendered.name(workload)));
        }
    }

    private static List<String> selected(Rendered farm, Map<String, String> wanted) {
        assertThat(wanted).isNotEmpty();
        return farm.workloads().stream()
                .filter(one ->
                        Rendered.map(one.at("/spec/template/metadata/labels"))
                                .entrySet()
                                .containsAll(wanted.entrySet()))
                .map(Rendered::name)
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void portsThatAreAskedForAreThoseOfContainers(Variant variant) {
        Rendered farm = variant.rendered();
        for (JsonNode service : farm.all("Service")) {
            JsonNode workload =
                    farm.workloads().stream()
                            .filter(one -> Rendered.name(one).equals(Rendered.name(service)))
                            .findFirst()
                            .orElseThrow();
            Map<String, String> ports = ports(workload);
            service.at("/spec/ports")
                    .forEach(port ->
                            assertThat(ports)
                                    .containsEntry(
                                            port.at("/targetPort").asString(),
                                            port.at("/port").asString()));
        }
        for (JsonNode workload : farm.workloads()) {
            Map<String, String> ports = ports(workload);
            for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
                Rendered.each(
                        Rendered.pod(workload),
                        probe,
                        one -> {
                            String port = one.findPath("port").asString("");
                            assertThat(one.has("exec") || ports.containsKey(port))
                                    .as(Rendered.name(workload) + " " + one)
                                    .isTrue();
                        });
            }
        }
        for (JsonNode policy : farm.all("NetworkPolicy")) {
            Set<String> open = new HashSet<>();
            farm.workloads().forEach(workload -> open.addAll(ports(workload).values()));
            Rendered.each(policy, "port", port -> assertThat(port.asString()).isIn(open));
        }
    }

    private static Map<String, String> ports(JsonNode workload) {
        return Rendered.pod(workload)
                .at("/containers/0/ports")
                .valueStream()
                .collect(
                        Collectors.toMap(
                                port -> port.at("/name").asString(),
                                port -> port.at("/containerPort").asString()));
    }

    @ParameterizedTest
    @EnumSource
    void noContainerMayMoreThanItHasTo(Variant variant) {
        for (JsonNode workload : variant.rendered().workloads()) {
            boolean speaksToKubernetes = Rendered.name(workload).equals("farm-secrets");
            JsonNode pod = Rendered.pod(workload);
            assertThat(pod.at("/automountServiceAccountToken").asBoolean())
                    .isEqualTo(speaksToKubernetes);
            for (JsonNode container : Rendered.containers(workload)) {
                String name = Rendered.name(workload) + "/" + container.at("/name").asString();
                JsonNode rights = container.at("/securityContext");
                if (name.matches("farm-mount/(mount|clear)")) {
                    assertThat(rights.at("/privileged").asBoolean()).isTrue();
                    continue;
                }
                assertThat(rights.has("privileged")).as(name).isFalse();
                assertThat(rights.at("/readOnlyRootFilesystem").asBoolean()).as(name).isTrue();
                assertThat(rights.at("/capabilities/drop").toString()).isEqualTo("[\"ALL\"]");
                boolean root =
                        rights.at("/runAsUser").asInt(pod.at("/securityContext/runAsUser").asInt(0))
                                == 0;
                assertThat(root)
                        .as(name)
                        .isEqualTo(name.endsWith("/disks") || rootsAreMeant(variant, name));
                assertThat(rights.has("/capabilities/add") && !root).as(name).isFalse();
                assertThat(container.at("/resources/requests").isEmpty()).as(name).isFalse();
            }
        }
    }

    private static boolean rootsAreMeant(Variant variant, String name) {
        boolean jobs = Rendered.yaml(variant.text()).at("/jobs/enabled").asBoolean(false);
        return name.startsWith("farm-mount/") || (jobs && name.startsWith("farm-node-"));
    }

    @Test
    void theRulesForPrometheusAreThoseOfTheTree() throws IOException {
        Rendered farm = Variant.EVERYTHING.rendered();
        JsonNode rules =
                Rendered.yaml(
                        Files.readString(Checkout.root().resolve("deploy/observe/alerts.yml")));
        assertThat(farm.all("PrometheusRule").getFirst().at("/spec")).isEqualTo(rules);
        // They say job="gridfarm", which is the label of pods that the monitor names.
        JsonNode monitor = farm.all("PodMonitor").getFirst();
        for (JsonNode workload : farm.workloads()) {
            JsonNode labels = workload.at("/spec/template/metadata/labels");
            assertThat(labels.get(monitor.at("/spec/jobLabel").asString()).asString())
                    .isEqualTo("gridfarm");
        }
        assertThat(rules.toString()).contains("job=\\\"gridfarm\\\"");
    }

    /** Each node has an object of each kind: what Helm keeps of all has to fit into a Secret. */
    @Test
    void aThousandNodesAreNoTrouble() throws IOException {
        int racks = Tier.count("chart.racks");
        StringBuilder values = new StringBuilder("storage:\n  racks:\n");
        for (int rack = 0; rack < racks; rack++) {
            values.append("    - {name: rack%d, nodes: [".formatted(rack));
            for (int i = 0; i < NODES_OF_A_RACK; i++)
                values.append("worker-%d-%d, ".formatted(rack, i));
            values.append("]}\n");
        }
        String farm = Chart.text(Chart.RELEASE, values.toString());
        int nodes = racks * NODES_OF_A_RACK;
        assertThat(farm.split("\nkind: DaemonSet\n", -1)).hasSize(nodes + 1);
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(kept)) {
            out.write(farm.getBytes(StandardCharsets.UTF_8));
        }
        assertThat(kept.size() * (1000.0 / nodes)).isLessThan(RELEASE_BYTES_MAX);
    }

    @Test
    void theChartHasTheVersionOfTheProgram() throws IOException {
        JsonNode chart = Rendered.yaml(Files.readString(Chart.file("Chart.yaml")));
        String pom = Files.readString(Checkout.root().resolve("pom.xml"));
        assertThat(pom)
                .contains("<version>" + chart.at("/appVersion").asString() + "-SNAPSHOT</version>");
    }

    /** Word for word. */
    @Test
    void theValuesOfTheDocumentMakeAFarm() throws IOException {
        String document = Files.readString(Checkout.root().resolve("docs/kubernetes.md"));
        String begin = "```yaml\n# farm.yaml\n";
        int at = document.indexOf(begin) + begin.length();
        Rendered farm = Chart.render(document.substring(at, document.indexOf("```", at)));
        assertThat(farm.names("DaemonSet"))
                .containsExactly("farm-node-worker1", "farm-node-worker2", "farm-node-worker3");
        assertThat(farm.names("Deployment")).containsExactly("farm-console");
        assertThat(farm.names("StatefulSet"))
                .containsExactly("farm-metaserver", "farm-postgresql", "farm-zookeeper");
        assertThat(document).contains("gridfarm.org/rack=rack1");
        assertThat(
                        farm.named("DaemonSet", "farm-node-worker1")
                                .at("/spec/template/metadata/labels/gridfarm.org~1rack")
                                .asString())
                .isEqualTo("rack1");
    }

    @Test
    void whoInstallsItIsToldHowToGoOn() {
        assertThat(Chart.notes("")).contains("no storage node yet", "farm-console -- gf nodes");
        assertThat(Chart.notes(Variant.EVERYTHING.text()))
                .contains("1 storage node(s) in rack1, 1 storage node(s) in 2", "to try it");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    metaservers: {replicas: 0}                                       | metaservers.replicas: Must be greater than or equal to 1
                    metaserver: {replicas: 3}                                        | Additional property metaserver is not allowed
                    metaservers: {heap: lots}                                        | metaservers.heap: Does not match
                    metaservers: {settings: 'role = "cache"'}                        | metaservers.settings: Does not match
                    storage: {disks: [data]}                                         | storage.disks.0: Does not match
                    storage: {disks: []}                                             | storage.disks: Array must have at least 1 items
                    storage: {racks: [{name: r1}]}                                   | storage.racks.0: nodes is required
                    storage: {racks: [{name: r1, nodes: [Worker_1]}]}                | storage.racks.0.nodes.0: Does not match
                    people: [ann]                                                    | people.0: Does not match
                    accounts: ["ann"]                                                | accounts.0: Does not match
                    zookeeper: {servers: [zk1]}                                      | zookeeper.servers.0: Does not match
                    logLevel: loud                                                   | logLevel must be one of
                    nameOverride: a-name-that-is-much-too-long-for-it                | longer than 30 characters: give nameOverride
                    storage: {racks: [{name: r1, nodes: [a]}, {name: r2, nodes: [a]}]} | names the node a again, in rack r2
                    storage: {racks: [{name: r1, nodes: [a.b, a-b]}]}                | names the node a-b again, in rack r1
                    storage: {domain: example.org}                                   | set storage.hostNetwork, or leave it empty
                    storage: {racks: [{name: r1, nodes: [a123456789b123456789c123456789d123456789e123456789f123456789]}]} | longer than 63 characters
                    jobs: {enabled: true, schedulers: 0}                             | set jobs.schedulers to 1 or more
                    mount: {enabled: true, path: /gridfarm}                          | give it a directory of its own, such as /mnt/gridfarm
                    mount: {enabled: true, path: /var/lib/gridfarm/mount}            | keep the mount and the disks apart
                    certificates: {make: false}                                      | certificates.make is false: name what you have made in configMaps.trust
                    secrets: {metaserverTls: mine} | secrets.metaserverTls is named, and the Job of certificates.make
                    {certificates: {make: false}, postgresql: {enabled: true}}       | set certificates.make, or run your own
                    {secrets: {metaserverPasswords: mine}, postgresql: {enabled: true}} | secrets.metaserverPasswords names passwords that the database
                    {zookeeper: {tls: false}, zookeeperServer: {enabled: true}}      | leave zookeeper.tls true
                    """)
    void aWrongValueHasItsSentence(String values, String sentence) {
        assertThatThrownBy(() -> Chart.render(values)).hasMessageContaining(sentence);
    }

    @Test
    void soHasAReleaseWhoseNameServicesCannotHave() {
        assertThatThrownBy(() -> Chart.render("4.farm", ""))
                .hasMessageContaining("begins with a letter and has no dots");
        assertThat(Chart.render("4.farm", "nameOverride: farm").names("StatefulSet"))
                .containsExactly("farm-metaserver");
    }
}

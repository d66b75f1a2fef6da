package org.gridfarm.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import org.assertj.core.api.SoftAssertions;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.test.cluster.TestFarm;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What each command prints with {@code --json}, beside docs/schema/gf.json. Keys that the schema
 * does not name are let through by it, for what is to come, but not here.
 */
class JsonDocumentsTest {
    private static final String TOP = "/documents";

    /**
     * They make farms of their own, or take minutes; the demo is run by .ci/run. Figures of all
     * benchmarks are printed by the same class as those that are run.
     */
    private static final Set<String> NOT_RUN =
            Set.of("demo", "bench data", "bench jobs", "bench meta", "bench mount", "bench opens");

    private final DocumentIndex index = DocumentIndex.read();
    private final ObjectNode schema = strict();
    private final Set<String> seen = new HashSet<>();
    private final SoftAssertions wrong = new SoftAssertions();
    private String config = "";

    JsonDocumentsTest() throws IOException {}

    /** The schema that refuses keys it does not name. */
    private static ObjectNode strict() throws IOException {
        JsonNode read =
                JsonMapper.shared()
                        .readTree(Files.readString(Checkout.root().resolve("docs/schema/gf.json")));
        close(read);
        return (ObjectNode) read;
    }

    private static void close(JsonNode node) {
        if (node instanceof ObjectNode object
                && object.path("properties").isObject()
                && object.path("type").asString("").equals("object")
                && !object.has("additionalProperties")) {
            object.put("additionalProperties", false);
        }
        node.forEach(JsonDocumentsTest::close);
    }

    private Schema definition(String name) {
        assertThat(schema.path("$defs").has(name)).as("docs/schema/gf.json has %s", name).isTrue();
        ObjectNode one = schema.deepCopy();
        one.put("$ref", "#/$defs/" + name);
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12).getSchema(one);
    }

    @Test
    void everyCommandThatHasADocumentIsInTheIndex() {
        List<String> commands = DocumentIndex.commandsWithDocuments();
        Set<String> rows = index.definitions().keySet();
        assertThat(commands)
                .hasSizeGreaterThan(50)
                .allMatch(
                        command -> rows.stream().anyMatch(row -> DocumentIndex.isOf(row, command)));
        assertThat(rows)
                .allMatch(row ->
                        commands.stream().anyMatch(command -> DocumentIndex.isOf(row, command)));
        assertThat(index.definitions().values())
                .allSatisfy(name -> assertThat(definition(name)).isNotNull());
    }

    @Test
    void documentsAreAsTheSchemaSays(@TempDir Path local) throws IOException {
        TestFarm farm = TestFarm.shared();
        config = farm.directory().resolve("client.toml").toString();
        try {
            files(local);
            copies();
            jobs(local);
            administration(farm);
            measures(local);
            withoutAFarm(local);
        } finally {
            farm.gf("rm", "-rf", TOP);
            farm.close();
        }
        wrong.assertAll();
        Set<String> left = new HashSet<>(index.definitions().keySet());
        left.removeAll(seen);
        assertThat(left).as("not looked at").isEqualTo(NOT_RUN);
    }

    private void files(Path local) throws IOException {
        Path in = Files.createDirectories(local.resolve("in/below"));
        Files.writeString(in.resolve("a"), "one\n");
        check("mkdir", "-p", TOP + "/x/y");
        check("put", "-r", local.resolve("in").toString(), TOP + "/in");
        check("cp", TOP + "/in/below/a", TOP + "/b");
        check("get", TOP + "/b", local.resolve("b").toString());
        check("sync", local.resolve("in").toString(), "gf:" + TOP + "/synced");
        run("setfattr", "-n", "user.k", "-v", "v", TOP + "/b");
        run("setfacl", "-m", "u:1:r", TOP + "/b");
        check("ls", TOP);
        check("stat", TOP, TOP + "/b");
        check("find", TOP);
        check("tree", TOP);
        check("du", TOP);
        check("df");
        check("getfacl", TOP + "/b");
        check("getfattr", TOP + "/b");
        check("mv", TOP + "/b", TOP + "/c");
        check("rmdir", TOP + "/x/y");
        check("rm", "-r", TOP + "/x");
        check("whoami");
    }

    private void copies() {
        String file = TOP + "/c";
        check("setstripe", "-c", "2", TOP);
        check("getstripe", TOP, file);
        check("sum", file);
        check("where", file);
        check("why", file);
        check("setrep", "1", file);
        check("rep", "--to", "n2", file);
        check("replicas", "--under");
        check("sched", "-f", file);
    }

    private void jobs(Path local) throws IOException {
        check("run", "--", "true", ":::", "a"); // such a job reads no standard input
        JsonNode detached = check("run --detach", "--", "false"); // to be tried again
        String job = detached.get("job").asString();
        check("job show", job);
        check("job top", job);
        check("job why", job);
        check("job wait", job);
        check("jobs");
        check("job retry", job);
        Path script = Files.writeString(local.resolve("script"), "#!/bin/sh\ntrue\n");
        JsonNode submitted = check("submit", script.toString());
        run("job", "wait", submitted.get("job").asString());
    }

    private void administration(TestFarm farm) {
        check("status");
        check("health");
        check("health --codes");
        check("doctor");
        check("auth check");
        check("nodes");
        check("node", "status", "n1");
        check("balance", "--dry-run");
        check("scrub", "status");
        check("fsck");
        check("delegations", "--paths");
        check("delegations --return", TOP);
        check("slow");
        check("top", "--delay", "0.2");
        check("usage");
        check("quota set", "--dir", TOP, "--bytes", "1T");
        check("quota show");
        check("quota check");
        run("quota", "set", "--dir", TOP, "--none");
        check("meta rotate-secret");
        aSessionThatStays();
        check("cluster status", "--dir", farm.directory().toString());
    }

    private void aSessionThatStays() {
        Path file = Path.of(config);
        try (Gridfarm stays = Gridfarm.open(ClientConfig.read(file), "it stays")) {
            assertThat(stays.exists(FarmPath.of(TOP))).isTrue();
            for (JsonNode client : check("clients").get("clients")) {
                if (client.get("client").asString().equals("it stays")) {
                    check("clients SESSION", client.get("session").asString());
                }
            }
        }
    }

    /** Little of each: that it measures everything at every door, not how much. */
    private void measures(Path local) {
        String volume = "--size=2M --files=8 --entries=20 --repeat=1 --local=" + local;
        List<String> words = new ArrayList<>(List.of(volume.split(" ")));
        words.addAll(List.of("--config", config));
        JsonNode bench = check("bench api", words.toArray(String[]::new));
        Set<String> doors = new HashSet<>();
        for (JsonNode row : bench.get("rows")) {
            String name = row.get("case").asString();
            wrong.assertThat(row.get("value").asDouble()).as(name).isPositive();
            wrong.assertThat(row.path("yardstick").asDouble()).as(name).isPositive();
            doors.add(name.substring(name.lastIndexOf(", ") + 2));
        }
        wrong.assertThat(doors).contains("Gridfarm", "NIO", "Gridfarm from far", "NIO from far");
        wrong.assertThat(run("ls", "/")).doesNotContain("gf-bench-api");
    }

    private void withoutAFarm(Path local) {
        check("bench tls", "--connections", "2", "--size", "1M", "--repeat", "1");
        String authority = local.resolve("authority").toString();
        String person = local.resolve("ann").toString();
        String proxy = local.resolve("proxy").toString();
        run("ca", "init", "--dir", authority, "/O=Documents");
        run("ca", "issue", "--dir", authority, "--out", person, "user", "ann");
        check("ca list", "--dir", authority);
        check("proxy init", "--cert", person + ".pem", "--key", person + ".key", "--out", proxy);
        check("proxy info", "--file", proxy);
    }

    /**
     * Runs a command of the index.
     *
     * @param row as it stands there; its words in capitals are among the operands
     */
    private JsonNode check(String row, String... operands) {
        List<String> words = new ArrayList<>();
        for (String word : row.split(" ")) {
            if (!word.equals(word.toUpperCase(java.util.Locale.ROOT))) words.add(word);
        }
        seen.add(row);
        String command =
                DocumentIndex.commandsWithDocuments().stream()
                        .filter(one -> DocumentIndex.isOf(row, one))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no command has 'gf " + row + "'"));
        words.add(command.split(" ").length, "--json");
        words.addAll(List.of(operands));
        String said = run(words.toArray(String[]::new));
        JsonNode document = JsonMapper.shared().readTree(said);
        String name = index.definitions().getOrDefault(row, "(no line in docs/json.md)");
        wrong.assertThat(definition(name).validate(document)).as("gf %s: %s", row, said).isEmpty();
        return document;
    }

    /** In this process, as the configuration of the farm says; its standard output. */
    private String run(String... words) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream out = System.out;
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            List<String> all = new ArrayList<>();
            boolean asksAFarm = !Set.of("ca", "proxy", "cluster", "bench").contains(words[0]);
            if (asksAFarm) all.addAll(List.of("--config", config));
            all.addAll(List.of(words));
            Gf.run("gf", all.toArray(String[]::new));
        } finally {
            System.setOut(out);
        }
        return said.toString(StandardCharsets.UTF_8);
    }
}

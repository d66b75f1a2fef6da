package org.gridfarm.client.cli.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;

class HostPlanTest {
    private static HostPlan plan(String host, Path... data) {
        return new HostPlan(
                host,
                "n1",
                List.of(host + ":7000"),
                List.of(host + ":7200"),
                "localhost:2181",
                List.of(data),
                Path.of("/gridfarm"),
                1L << 30,
                4);
    }

    private final HostPlan plan = plan("h.example.org", Path.of("/a"), Path.of("/b \"c\""));

    @Test
    void aClientsFileIsReadAsItWasMeant(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("c"), plan.all().get("config.toml"));
        ClientConfig config = ClientConfig.read(file);
        assertThat(config.metaservers()).hasToString("[h.example.org:7000]");
        assertThat(config.schedulers()).hasToString("[h.example.org:7200]");
        assertThat(config.node()).isEqualTo("n1");
        assertThat(config.nodeData()).containsExactly(Path.of("/a"), Path.of("/b \"c\""));
    }

    @Test
    void noNameOfAnExampleIsLeft() {
        plan.all()
                .forEach((name, text) -> {
                    List<String> said = text.lines().filter(line -> !line.startsWith("#")).toList();
                    assertThat(said)
                            .as(name)
                            .noneMatch(line ->
                                    line.matches(".*(meta1|zk1|db|sched1|n1)\\.example\\.org.*"));
                });
    }

    @Test
    void everyFileHasTheDirectoriesThatWereNamed() {
        assertThat(plan.ofNode().get("storagenode.toml"))
                .contains("data = [\"/a\", \"/b \\\"c\\\"\"]");
        assertThat(plan.ofNode()).containsOnlyKeys("config.toml", "storagenode.toml");
    }

    @Test
    void badWishesAreRefusedByName() {
        assertThatThrownBy(() -> plan("no such", Path.of("/a")))
                .isInstanceOf(FarmException.class)
                .hasMessageContaining("not a good host");
        assertThatThrownBy(() -> plan("h", Path.of("a"))).hasMessageContaining("absolute path");
        assertThatThrownBy(() -> plan("h")).hasMessageContaining("not a good data");
    }

    @Test
    void aValueIsReplacedInItsSectionAloneAndKeepsItsComment() {
        Template template = new Template("a = \"#1\" # why\n[one]\n#a = 2\n[two]\na = 3");
        assertThat(template.with("", "a", "x").text())
                .isEqualTo("a = \"x\" # why\n[one]\n#a = 2\n[two]\na = 3");
        assertThat(template.raw("one", "a", "5").text())
                .isEqualTo("a = \"#1\" # why\n[one]\na = 5\n[two]\na = 3");
        assertThatThrownBy(() -> template.raw("three", "a", "5")).hasMessageContaining("[three]");
    }

    @Test
    void heapsFitTheMemory() {
        assertThat(Units.dropIns(2L << 30, Path.of("/m"), "/usr/bin/gf"))
                .containsEntry(
                        Units.METASERVER,
                        "# Written by gf setup.\n[Service]\nEnvironment=GF_HEAP=512m\n")
                .hasEntrySatisfying(
                        Units.MOUNT,
                        text -> assertThat(text).contains("GF_HEAP=192m", "--foreground /m\n"));
        assertThat(Units.dropIns(64L << 30, Path.of("/m"), "gf").get(Units.METASERVER))
                .contains("4096m");
    }

    @Test
    void aJoinFileIsReadAsItWasWritten() {
        var files = new TreeMap<>(java.util.Map.of("tls/mount.pem", "x", "grid-mapfile", "y"));
        JoinFile file = JoinFile.of("n2.org", "n2", List.of("h:7000"), List.of("h:7200"), files);
        assertThat(JoinFile.parse(file.text(), "f")).isEqualTo(file);
    }

    @Test
    void whatIsNoJoinFileIsRefused() {
        assertThatThrownBy(() -> JoinFile.parse("hello", "f"))
                .hasMessageContaining("not a file of gf node add");
        assertThatThrownBy(() -> JoinFile.parse("{\"version\":1}", "f"))
                .hasMessageContaining("not complete");
        assertThatThrownBy(() -> JoinFile.parse("{\"version\":2}", "f"))
                .hasMessageContaining("same release");
        for (String name : List.of("../passwd", "tls/../../passwd", "/etc/passwd", "tls/a/b")) {
            var files = new TreeMap<>(java.util.Map.of(name, "x"));
            String text = JoinFile.of("h", "n", List.of(), List.of(), files).text();
            assertThatThrownBy(() -> JoinFile.parse(text, "f")).hasMessageContaining("would write");
        }
    }
}

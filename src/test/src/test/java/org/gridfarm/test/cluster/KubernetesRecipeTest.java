package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The recipe for Kubernetes, by the schemas of Kubernetes itself; nothing is asked for. */
class KubernetesRecipeTest {
    @Test
    void eachFileIsAPodThatPrefersTheNodeWhichHoldsIt(@TempDir Path here) throws IOException {
        TestFarm farm = TestFarm.shared();
        farm.gf("mkdir", "-p", "/kube");
        Files.writeString(farm.mount().resolve("kube/a b"), "1\n");
        Files.writeString(farm.mount().resolve("kube/c"), "2\n");
        await().untilAsserted(() ->
                assertThat(farm.gf("sched", "-n", "1", "-f", "/kube/c")).isNotEmpty());
        String manifest =
                farm.script(
                        """
                        cd '%s'
                        printf '#!/bin/sh\\nGF_BUILD=never exec "%s" "$@"\\n' > gf
                        chmod +x gf
                        PATH=$PWD:$PATH '%s' --name Count 'wc -l < "$1"' ::: '/kube/a b' /kube/c > jobs.yaml
                        kubernetes-validate --strict jobs.yaml >&2
                        cat jobs.yaml
                        """
                                .formatted(
                                        here,
                                        Checkout.root().resolve("gf"),
                                        Checkout.root()
                                                .resolve("docs/examples/kubernetes/gf-kube")));
        List<JsonNode> items =
                Arrays.stream(manifest.split("\n---\n")).map(KubernetesRecipeTest::json).toList();
        int pods = 0;
        for (JsonNode item : items) {
            if (item.get("kind").asString().equals("Job")) {
                pods += item.get("spec").get("completions").asInt();
                JsonNode preference =
                        item.at(
                                "/spec/template/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution/0");
                String node = preference.at("/preference/matchExpressions/0/values/0").asString();
                assertThat(item.at("/metadata/name").asString()).isEqualTo("count-" + node);
                assertThat(node).matches("n[123]");
            }
        }
        assertThat(pods).isEqualTo(2);
        assertThat(manifest).contains("/gfarm/kube/a b\\n", "/gfarm/kube/c\\n");
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }
}

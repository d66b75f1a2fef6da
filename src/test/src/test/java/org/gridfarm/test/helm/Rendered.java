package org.gridfarm.test.helm;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MappingIterator;
import tools.jackson.dataformat.yaml.YAMLMapper;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Objects of Kubernetes, in the order in which they were rendered. */
record Rendered(String text, List<JsonNode> objects) {
    private static final YAMLMapper YAML = new YAMLMapper();
    private static final Set<String> WORKLOADS =
            Set.of("Deployment", "StatefulSet", "DaemonSet", "Job");

    static Rendered of(String text) {
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(text)) {
            return new Rendered(
                    text, documents.readAll().stream().filter(JsonNode::isObject).toList());
        }
    }

    static JsonNode yaml(String text) {
        return YAML.readTree(text);
    }

    List<JsonNode> all(String kind) {
        return objects.stream().filter(one -> kind(one).equals(kind)).toList();
    }

    JsonNode named(String kind, String name) {
        return all(kind).stream()
                .filter(one -> name(one).equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
    }

    Set<String> names(String kind) {
        Set<String> names = new TreeSet<>();
        all(kind).forEach(one -> names.add(name(one)));
        return names;
    }

    /** Whatever has pods. */
    List<JsonNode> workloads() {
        return objects.stream().filter(one -> WORKLOADS.contains(kind(one))).toList();
    }

    static String kind(JsonNode object) {
        return object.at("/kind").asString();
    }

    static String name(JsonNode object) {
        return object.at("/metadata/name").asString();
    }

    static JsonNode pod(JsonNode workload) {
        return workload.at("/spec/template/spec");
    }

    static List<JsonNode> containers(JsonNode workload) {
        List<JsonNode> all = new ArrayList<>();
        pod(workload).at("/initContainers").forEach(all::add);
        pod(workload).at("/containers").forEach(all::add);
        return all;
    }

    static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asString).toList();
    }

    static Map<String, String> map(JsonNode object) {
        Map<String, String> map = new HashMap<>();
        object.properties().forEach(entry -> map.put(entry.getKey(), entry.getValue().asString()));
        return map;
    }

    /** Each value of that key, wherever it stands. */
    static void each(JsonNode below, String key, Consumer<JsonNode> use) {
        below.findValues(key).forEach(use);
    }
}

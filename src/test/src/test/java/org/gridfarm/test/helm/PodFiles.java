package org.gridfarm.test.helm;

import static org.assertj.core.api.Assertions.assertThat;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The files of one pod, below a directory instead of its root: volumes as kubelet makes them, and
 * what its first container makes of them by the real script.
 */
final class PodFiles {
    private final Path root;
    private final JsonNode workload;

    private PodFiles(Path root, JsonNode workload) {
        this.root = root;
        this.workload = workload;
    }

    static PodFiles of(
            JsonNode workload,
            Path root,
            Rendered farm,
            Map<String, Map<String, byte[]>> secrets,
            Map<String, Map<String, byte[]>> maps)
            throws IOException, InterruptedException {
        PodFiles pod = new PodFiles(root, workload);
        Map<String, Path> volumes = new HashMap<>();
        for (JsonNode volume : Rendered.pod(workload).at("/volumes")) {
            String name = volume.at("/name").asString();
            Path directory = Files.createDirectories(root.resolve("volumes/" + name));
            volumes.put(name, directory);
            if (volume.has("configMap")) {
                String map = volume.at("/configMap/name").asString();
                fill(directory, maps.containsKey(map) ? maps.get(map) : pod.rendered(farm, map));
            } else if (volume.has("secret")) {
                fill(directory, secrets.get(volume.at("/secret/secretName").asString()));
            }
        }
        for (JsonNode container : Rendered.containers(workload)) {
            for (JsonNode mount : container.at("/volumeMounts")) {
                Path at = pod.at(mount.at("/mountPath").asString());
                Files.createDirectories(at.getParent());
                Path volume = volumes.get(mount.at("/name").asString());
                if (volume != null && Files.notExists(at)) Files.createSymbolicLink(at, volume);
            }
        }
        JsonNode first = Rendered.pod(workload).at("/initContainers/0");
        if (first.at("/name").asString().equals("keys")) pod.run(first);
        return pod;
    }

    /** Where the container sees that path. */
    Path at(String path) {
        return root.resolve(path.substring(1));
    }

    /** Paths of the container in a text, as they are here. */
    String here(String text) {
        return text.replace("/etc/gridfarm/", at("/etc/gridfarm") + "/")
                .replace("/secrets/", at("/secrets") + "/");
    }

    private Map<String, byte[]> rendered(Rendered farm, String map) {
        Map<String, byte[]> files = new HashMap<>();
        farm.named("ConfigMap", map)
                .at("/data")
                .properties()
                .forEach(entry ->
                        files.put(
                                entry.getKey(),
                                here(entry.getValue().asString())
                                        .getBytes(StandardCharsets.UTF_8)));
        return files;
    }

    /** By links, of which one is changed when the object does. */
    private static void fill(Path directory, Map<String, byte[]> files) throws IOException {
        Path version = Files.createDirectories(directory.resolve("..2026_01_31_00_00_00.1"));
        Files.createSymbolicLink(directory.resolve("..data"), version.getFileName());
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            Files.write(version.resolve(file.getKey()), file.getValue());
            Files.createSymbolicLink(
                    directory.resolve(file.getKey()), Path.of("..data", file.getKey()));
        }
    }

    private void run(JsonNode container) throws IOException, InterruptedException {
        List<String> command =
                List.of(
                        container.at("/command/0").asString(),
                        container.at("/command/1").asString(),
                        here(container.at("/args/0").asString()));
        Path said = root.resolve("said");
        Process run =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile())
                        .start();
        assertThat(run.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(run.exitValue()).as(Files.readString(said)).isZero();
    }

    @Override
    public String toString() {
        return Rendered.name(workload);
    }
}

package org.gridfarm.test.helm;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.test.tidy.Checkout;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What the chart's Job makes of its plan, with the same script and the real gf; but for the cluster
 * that takes it.
 */
final class MadeSecrets {
    private final Path directory;
    private final Path manifests;

    /**
     * @param directory where state is kept from one run to the next
     */
    MadeSecrets(Path directory) {
        this.directory = directory;
        manifests = directory.resolve("manifests");
    }

    /**
     * As an installation or upgrade with these objects does; what the script said, and 0 if all
     * went well.
     */
    int run(Rendered farm) throws IOException, InterruptedException {
        return run(farm, "");
    }

    /**
     * @param more lines of the plan
     */
    int run(Rendered farm, String more) throws IOException, InterruptedException {
        Path bin = Files.createDirectories(directory.resolve("bin"));
        Path gf = bin.resolve("gf");
        Files.writeString(
                gf,
                "#!/bin/sh\nGF_BUILD=never exec \"%s\" \"$@\"\n"
                        .formatted(Checkout.root().resolve("gf")));
        Files.setPosixFilePermissions(gf, PosixFilePermissions.fromString("rwx------"));
        JsonNode files = farm.named("ConfigMap", "farm-secrets").at("/data");
        for (Map.Entry<String, JsonNode> file : files.properties()) {
            Files.writeString(directory.resolve(file.getKey()), file.getValue().asString());
        }
        Files.writeString(directory.resolve("plan"), more, StandardOpenOption.APPEND);
        ProcessBuilder script =
                new ProcessBuilder(
                        "/bin/sh", "farm-secrets", "plan", "people", "state", manifests.toString());
        script.directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("said").toFile());
        farm.named("Job", "farm-secrets")
                .at("/spec/template/spec/containers/0/env")
                .forEach(one ->
                        script.environment()
                                .put(one.at("/name").asString(), one.at("/value").asString()));
        script.environment().put("PATH", bin + ":" + System.getenv("PATH"));
        Process run = script.start();
        assertThat(run.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return run.exitValue();
    }

    String said() throws IOException {
        return Files.readString(directory.resolve("said"));
    }

    /** Of each Secret or ConfigMap its files. */
    Map<String, Map<String, byte[]>> objects(String kind) throws IOException {
        Map<String, Map<String, byte[]>> objects = new HashMap<>();
        try (Stream<Path> all = Files.list(manifests)) {
            for (Path file : all.toList()) {
                JsonNode object = JsonMapper.shared().readTree(file);
                if (!Rendered.kind(object).equals(kind)) continue;
                Map<String, byte[]> files = new HashMap<>();
                object.at(kind.equals("Secret") ? "/data" : "/binaryData")
                        .properties()
                        .forEach(entry ->
                                files.put(
                                        entry.getKey(),
                                        Base64.getDecoder().decode(entry.getValue().asString())));
                objects.put(Rendered.name(object), files);
            }
        }
        return objects;
    }

    Path manifests() {
        return manifests;
    }
}

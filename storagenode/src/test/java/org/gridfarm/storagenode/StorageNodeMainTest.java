package org.gridfarm.storagenode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.gridfarm.storagenode.TestFarm.PATIENCE;
import static org.gridfarm.storagenode.TestFarm.object;

import org.gridfarm.protocol.wire.ObjectId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** The node as a process of its own. */
class StorageNodeMainTest {
    @TempDir Path root;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    private Process start(Path config, Path log) throws IOException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx128m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-cp",
                                System.getProperty(
                                        "surefire.test.class.path",
                                        System.getProperty("java.class.path")),
                                StorageNodeMain.class.getName(),
                                "--config",
                                config.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                        .start();
        started.add(process);
        return process;
    }

    private Path configure(TestFarm farm) throws Exception {
        farm.host("n1").save(root.resolve("n1.pem"));
        Files.writeString(root.resolve("ca.pem"), farm.authority.certificatePem());
        Files.writeString(root.resolve("map"), TestFarm.MAP);
        return Files.writeString(
                root.resolve("n1.toml"),
                """
                name = "n1"
                metaservers = ["%s"]
                data = ["disk1", "disk2"]
                reserve = "1M"
                run_file = "n1.run"
                [tls]
                credential = "n1.pem"
                trust = "ca.pem"
                [grid]
                map = "map"
                """
                        .formatted(farm.metaserver.address()));
    }

    private Properties running() throws IOException {
        Path file = root.resolve("n1.run");
        await().atMost(PATIENCE).until(() -> Files.exists(file));
        Properties properties = new Properties();
        try (var in = Files.newBufferedReader(file)) {
            properties.load(in);
        }
        return properties;
    }

    private static String page(Properties running, String path)
            throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + running.getProperty("http") + path))
                        .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> reply = client.send(request, HttpResponse.BodyHandlers.ofString());
            return reply.statusCode() + "\n" + reply.body();
        }
    }

    @Test
    void aNodeServesSurvivesBeingKilledAndEndsInOrder() throws Exception {
        Path log = root.resolve("log");
        byte[] bytes = new byte[500_000];
        new Random(1).nextBytes(bytes);
        ObjectId id = object(1, 1);
        try (TestFarm farm = new TestFarm(root)) {
            Path config = configure(farm);
            Process first = start(config, log);
            Properties running = running();
            await().atMost(PATIENCE).until(() -> page(running, "/readyz").startsWith("200"));
            farm.write(id, 0, bytes, "n1");
            assertThat(page(running, "/metrics"))
                    .contains("gf_node_written_bytes_total{", "gf_node_disk_available_bytes{");
            first.destroyForcibly().waitFor();
            Files.delete(root.resolve("n1.run"));

            Process second = start(config, log);
            Properties again = running();
            await().atMost(PATIENCE).until(() -> page(again, "/readyz").startsWith("200"));
            assertThat(farm.read("n1", id, 0, bytes.length)).isEqualTo(bytes);
            second.destroy();
            assertThat(second.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(new File(root.toFile(), "n1.run")).doesNotExist();
        }
    }

    @Test
    void aMistakeInTheConfigurationIsOneLineAndItsExitCode() throws Exception {
        try (TestFarm farm = new TestFarm(root)) {
            Path config = configure(farm);
            Files.writeString(config, "slotz = 3\n" + Files.readString(config));
            Path log = root.resolve("log");
            assertThat(start(config, log).waitFor()).isEqualTo(78);
            assertThat(Files.readString(log))
                    .contains("slotz")
                    .contains("did you mean 'slots'")
                    .hasLineCount(1);
        }
    }
}

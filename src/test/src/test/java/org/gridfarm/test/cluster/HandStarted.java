package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.test.tidy.Checkout;

import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A daemon started with {@code ./gf} from one of the templates, filled in as its reader would by
 * hand.
 */
final class HandStarted implements AutoCloseable {
    private static final Duration START_MAX = Duration.ofSeconds(90);
    private static final int STOP_SECONDS_MAX = 30;

    private final String name;
    private final Process process;
    private final Path log;
    private final Path runFile;

    private HandStarted(String name, Process process, Path log, Path runFile) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.runFile = runFile;
    }

    /**
     * @param values the keys to change, by name or {@code section.name}; all others stay as the
     *     template has them
     */
    static HandStarted start(Path directory, String daemon, String name, Map<String, String> values)
            throws IOException {
        Path log = directory.resolve(name + ".log");
        Path runFile = directory.resolve("run").resolve(name + ".properties");
        String text =
                "run_file = \""
                        + runFile
                        + "\"\n"
                        + filledIn(
                                Files.readString(
                                        Checkout.root()
                                                .resolve("deploy/config/" + daemon + ".toml")),
                                values);
        Path config = Files.writeString(directory.resolve(name + ".toml"), text);
        ProcessBuilder builder =
                new ProcessBuilder(
                                Checkout.root().resolve("gf").toString(),
                                daemon,
                                "--config",
                                config.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile());
        builder.environment().put("GF_BUILD", "never");
        return new HandStarted(name, builder.start(), log, runFile);
    }

    private static String filledIn(String template, Map<String, String> values) {
        String text = template;
        for (Map.Entry<String, String> value : values.entrySet()) {
            Matcher line = line(value.getKey()).matcher(text);
            assertThat(line.find())
                    .as("the template has a line '%s = ...'", value.getKey())
                    .isTrue();
            text = text.substring(0, line.start(1)) + value.getValue() + text.substring(line.end());
        }
        return text;
    }

    /** Its first group is the value. */
    static Pattern line(String key) {
        int dot = key.indexOf('.');
        String section = dot < 0 ? "" : "^\\[" + key.substring(0, dot) + "\\]$[^\\[]*?";
        return Pattern.compile("(?m)" + section + "^" + key.substring(dot + 1) + " = (.*)$");
    }

    /** Waits until it says that it runs, and that it is well. */
    void awaitHealth() {
        await(name)
                .atMost(START_MAX)
                .failFast("it has ended: see " + log, () -> !process.isAlive())
                .untilAsserted(() -> {
                    assertThat(get("/healthz").statusCode())
                            .as(Files.readString(log))
                            .isEqualTo(200);
                });
    }

    String metrics() throws IOException, InterruptedException {
        return get("/metrics").body();
    }

    /** As systemd stops a unit; the log is the answer where it does not end in time. */
    void stop() throws IOException, InterruptedException {
        process.destroy();
        assertThat(process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS))
                .as(() -> name + " still runs: " + log)
                .isTrue();
        assertThat(runFile).doesNotExist();
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        Properties running = new Properties();
        assertThat(runFile).exists();
        running.load(new StringReader(Files.readString(runFile)));
        assertThat(running.getProperty("pid")).isEqualTo(Long.toString(process.pid()));
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI address = URI.create("http://" + running.getProperty("http") + path);
            return client.send(
                    HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(10)).build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}

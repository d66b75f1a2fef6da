package org.gridfarm.client.cli.support;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What this machine says: configurations, logs, metrics and threads of the daemons on it. */
public final class HostFacts {
    private static final long LOG_BYTES_MAX = 5 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String OURS = "org.gridfarm.";
    private static final Pattern HTTP =
            Pattern.compile("(?m)^http\\s*=\\s*\"([^\"]+:[1-9][0-9]*)\"");
    private static final String JOURNAL = "gridfarm-*";

    private final Bundle bundle;

    public HostFacts(Bundle bundle) {
        this.bundle = bundle;
    }

    /**
     * @param configurations folders of TOML files
     * @param logs folders of log files, besides what journald has
     */
    public void add(List<Path> configurations, List<Path> logs) {
        bundle.add("host/versions.txt", HostFacts::versions);
        bundle.add("host/mounts.txt", () -> Files.readString(Path.of("/proc/mounts")));
        bundle.add("host/space.txt", () -> output("df", "-hT"));
        bundle.add("host/memory.txt", () -> Files.readString(Path.of("/proc/meminfo")));
        for (Path folder : configurations) {
            for (Path file : files(folder, ".toml")) configuration(file);
        }
        if (Files.isDirectory(Path.of("/run/systemd/system"))) {
            bundle.add(
                    "log/journal.txt",
                    () -> output("journalctl", "-u", JOURNAL, "--since", "-1d", "--no-pager"));
            bundle.add(
                    "host/units.txt",
                    () -> output("systemctl", "status", JOURNAL, "--no-pager", "--lines=0"));
        }
        for (Path folder : logs) {
            for (Path file : files(folder, ".log")) {
                bundle.add("log/" + file.getFileName(), () -> end(file));
            }
        }
        threads();
    }

    private static String versions() {
        return "java %s (%s), %s %s %s, %d processors%n"
                .formatted(
                        System.getProperty("java.version"),
                        System.getProperty("java.vendor"),
                        System.getProperty("os.name"),
                        System.getProperty("os.version"),
                        System.getProperty("os.arch"),
                        Runtime.getRuntime().availableProcessors());
    }

    private List<Path> files(Path folder, String end) {
        if (!Files.isDirectory(folder)) return List.of();
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(end)).sorted().toList();
        } catch (IOException e) {
            bundle.add(
                    "folders" + folder,
                    () -> {
                        throw e;
                    });
            return List.of();
        }
    }

    /** The file, and what its daemon serves at the address that it names. */
    private void configuration(Path file) {
        String name = String.valueOf(file.getFileName());
        bundle.add("config/" + name, () -> Files.readString(file));
        String http = http(file);
        if (http.isEmpty()) return;
        for (String page : List.of("metrics", "healthz")) {
            bundle.add("daemons/" + name + "." + page, () -> get("http://" + http + "/" + page));
        }
    }

    /** Where the daemon serves metrics; empty: it is none, or says it nowhere. */
    private static String http(Path file) {
        try {
            Matcher named = HTTP.matcher(Files.readString(file));
            return named.find() ? named.group(1) : "";
        } catch (IOException e) {
            return ""; // told where the file itself was to be read
        }
    }

    private static String get(String address) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build()) {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create(address)).timeout(PATIENCE).build();
            return client.send(request, BodyHandlers.ofString()).body();
        }
    }

    /** The last part of a log that may be long. */
    private static String end(Path file) throws IOException {
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            long from = Math.max(0, log.length() - LOG_BYTES_MAX);
            byte[] bytes = new byte[(int) (log.length() - from)];
            log.seek(from);
            log.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private void threads() {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        long self = ProcessHandle.current().pid();
        StringBuilder list = new StringBuilder();
        for (ProcessHandle process : ours()) {
            list.append(process.pid()).append(' ');
            list.append(process.info().commandLine().orElse("?")).append('\n');
            if (process.pid() == self) continue;
            bundle.add(
                    "threads/" + process.pid() + ".txt",
                    () -> output(jcmd.toString(), Long.toString(process.pid()), "Thread.print"));
        }
        bundle.add("host/processes.txt", list::toString);
    }

    private static List<ProcessHandle> ours() {
        List<ProcessHandle> found = new ArrayList<>();
        ProcessHandle.allProcesses()
                .filter(process ->
                        process.info().command().filter(c -> c.endsWith("/java")).isPresent()
                                && process.info().commandLine().orElse("").contains(OURS))
                .forEach(found::add);
        return found;
    }

    /** What a program says, on both outputs; it is ended when it takes too long. */
    private static String output(String... command) throws IOException, InterruptedException {
        Path file = Files.createTempFile("gf-support", ".txt");
        try {
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(file.toFile())
                            .start();
            process.getOutputStream().close();
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return end(file) + "\n(ended after " + PATIENCE.toSeconds() + " s)\n";
            }
            return end(file);
        } finally {
            Files.delete(file);
        }
    }
}

package org.gridfarm.client.cli.cluster;

import org.gridfarm.client.mount.takeover.Supervisor;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One development farm in one directory: start, stop, status, kill, restart, mount. Data in the
 * directory survive stop and start. One command works on a farm at a time; not thread-safe.
 */
public final class Cluster {
    private static final Duration READY_MAX = Duration.ofMinutes(3); // on a machine that is busy
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);

    /** Of a process that writes down what it loaded, on a machine that builds besides. */
    private static final Duration REHEARSED_STOP_PATIENCE = Duration.ofSeconds(40);

    private static final int LOG_TAIL_LINES = 15;

    private final Path directory;
    private final Consumer<String> progress;
    private ClusterState state;

    private Cluster(Path directory, ClusterState state, Consumer<String> progress) {
        this.directory = directory;
        this.state = state;
        this.progress = progress;
    }

    /** The farm that exists in the directory. */
    public static Cluster open(Path directory, Consumer<String> progress) {
        Path absolute = directory.toAbsolutePath().normalize();
        return new Cluster(absolute, ClusterState.read(absolute), progress);
    }

    /**
     * Makes the farm where there is none, and starts everything that is not running; returns when
     * all of it answers.
     */
    public static Cluster start(Path directory, ClusterOptions options, Consumer<String> progress) {
        Path absolute = directory.toAbsolutePath().normalize();
        ClusterState state =
                ClusterState.exists(absolute)
                        ? ClusterState.read(absolute)
                        : new ClusterPlan(absolute, options).make(progress);
        Cluster cluster = new Cluster(absolute, state, progress);
        if (!options.userMount().isEmpty()) {
            cluster.plan()
                    .mount(
                            state,
                            "mount",
                            cluster.firstNode(),
                            Path.of(options.userMount()),
                            options.mountOptions())
                    .ifPresent(added -> cluster.state = added);
        }
        cluster.startAll();
        return cluster;
    }

    /** Stops the farm in the directory, if there is one, and removes everything that is there. */
    public static void remove(Path directory) {
        if (isIn(directory)) open(directory, _ -> {}).stop();
        try (Stream<Path> all = Files.walk(directory)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path directory() {
        return directory;
    }

    /** Whether there is a farm in the directory. */
    public static boolean isIn(Path directory) {
        return ClusterState.exists(directory);
    }

    /** The database of a farm on this machine. */
    public record Database(String url, String user, String password) {}

    public Database database() {
        Path file = directory.resolve("pg-password");
        try {
            return new Database(
                    "jdbc:postgresql://"
                            + state.require("postgres").address()
                            + "/"
                            + Postgres.DATABASE,
                    Postgres.USER,
                    Files.readString(file).strip());
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "read",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    /** Whether one of its mounts is there. */
    public boolean hasMount(Path at) {
        return state.ofRole("mount").stream().anyMatch(c -> c.address().equals(at.toString()));
    }

    public Path clientConfig() {
        return directory.resolve("client.toml");
    }

    /** Stops every process in the reverse order of their start; what does not stop is killed. */
    public void stop() {
        List<Component> order = state.components();
        for (int i = order.size() - 1; i >= 0; i--) {
            stopOne(order.get(i));
        }
    }

    public void kill(String name, String signal) {
        Component component = state.require(name);
        Optional<ProcessHandle> server =
                component.isMount()
                        ? Supervisor.of(Path.of(component.address())).server()
                        : Optional.empty();
        if (server.isPresent()) {
            // The process that serves; its supervisor is to see what becomes of it.
            OsProcess.signal(server.get().pid(), signal);
        } else {
            OsProcess.signal(component, signal);
        }
    }

    public void restart(String name) {
        Component component = state.require(name);
        stopOne(component);
        startOne(state.require(name));
        awaitReady(state.require(name));
    }

    /**
     * A further mount, attached to the node; it is part of the farm from now on and is stopped and
     * started with it.
     */
    public void mount(String node, Path at, List<String> options) {
        String name = mountName(at);
        state =
                plan().mount(state, name, node, at, options)
                        .orElseThrow(() ->
                                new FarmException(
                                        ErrorKind.UNAVAILABLE,
                                        "mount",
                                        at.toString(),
                                        Mounts.obstacle()));
        startOne(state.require(name));
        awaitReady(state.require(name));
    }

    /** Ends such a mount, whatever is open there; it is no part of the farm from now on. */
    public void unmount(Path at) {
        Component mount = state.require(mountName(at));
        stopOne(mount);
        state = state.without(mount.name());
        state.write();
    }

    private static String mountName(Path at) {
        return "mount-" + at.toAbsolutePath().normalize().toString().replace('/', '_');
    }

    /** A further storage node; its name. */
    public String addNode(String rack, String group) {
        ClusterState more = plan().node(state, rack, group);
        String name = more.components().getLast().name();
        state = more;
        startOne(state.require(name));
        awaitReady(state.require(name));
        return name;
    }

    /** Stops the node and the mount of its tasks, which are no part of the farm from now on. */
    public void removeNode(String name) {
        Component node = state.require(name);
        if (!node.role().equals("storagenode")) {
            throw new FarmException(ErrorKind.INVALID, "remove", name, "it is no storage node");
        }
        for (String part : List.of("mount-" + name, name)) {
            Optional<Component> there = state.find(part);
            if (there.isPresent()) {
                stopOne(there.get());
                state = state.without(part);
                state.write();
            }
        }
    }

    public List<ComponentStatus> status() {
        return state.components().stream()
                .map(c ->
                        new ComponentStatus(
                                c.name(),
                                c.role(),
                                c.pid(),
                                c.address(),
                                c.http(),
                                OsProcess.state(c),
                                isReady(c),
                                c.log()))
                .toList();
    }

    public boolean isRunning() {
        return state.components().stream().anyMatch(OsProcess::isAlive);
    }

    /** Last lines of a component's log, for a person. */
    public String logTail(String name) {
        return logTail(state.require(name));
    }

    private void startAll() {
        // Those that others need first; then everything at once, since each waits for what it
        // needs.
        for (Component component : state.components()) {
            if (isFoundation(component) && !OsProcess.isAlive(component)) {
                startOne(component);
            }
        }
        state.components().stream().filter(Cluster::isFoundation).forEach(this::awaitReady);
        for (Component component : state.components()) {
            if (!isFoundation(component) && !component.isMount() && !OsProcess.isAlive(component)) {
                startOne(component);
            }
        }
        state.components().stream()
                .filter(c -> !isFoundation(c) && !c.isMount())
                .forEach(c -> awaitReady(state.require(c.name())));
        for (Component component : state.components()) {
            if (component.isMount() && !OsProcess.isAlive(component)) {
                startOne(component);
            }
        }
        state.components().stream()
                .filter(Component::isMount)
                .forEach(c -> awaitReady(state.require(c.name())));
    }

    private static boolean isFoundation(Component component) {
        return component.role().equals("postgres") || component.role().equals("zookeeper");
    }

    private void startOne(Component component) {
        if (!component.isMount() && Ports.answers(component.address())) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "start",
                    component.name(),
                    "its port " + component.address() + " is in use by another program");
        }
        List<String> command = Jvm.warm(component.command());
        try {
            if (component.isMount()) {
                Path at = Path.of(component.address());
                Mounts.detach(at); // a dead mount left behind
                Files.createDirectories(at);
                Supervisor supervisor = Supervisor.of(at);
                supervisor.clear();
                command = supervisor.command(at, false, command);
            }
            if (component.role().equals("postgres")) {
                new PostmasterFile(directory.resolve("pg")).clear();
            }
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "start",
                    component.name(),
                    String.valueOf(e.getMessage()),
                    e);
        }
        Component started = OsProcess.start(component, command);
        state = state.with(started);
        state.write();
    }

    private void stopOne(Component component) {
        // PostgreSQL's fast shutdown is SIGINT; SIGTERM would wait for every client to leave.
        String signal = component.role().equals("postgres") ? "INT" : "TERM";
        Duration patience = Jvm.isRehearsed() ? REHEARSED_STOP_PATIENCE : STOP_PATIENCE;
        if (!OsProcess.end(component, signal, patience)) {
            progress.accept(
                    component.name()
                            + " did not stop within "
                            + patience.toSeconds()
                            + " s and is killed");
            if (component.isMount()) {
                // A thread of it may wait inside the kernel for an answer of this very process.
                Mounts.force(Path.of(component.address()));
            }
            OsProcess.kill(component);
        }
        if (component.isMount()) {
            Mounts.detach(Path.of(component.address()));
        }
        state = state.with(component.stopped());
        state.write();
    }

    private void awaitReady(Component component) {
        boolean ready =
                Await.until(READY_MAX, () -> !OsProcess.isAlive(component) || isReady(component));
        if (!ready || !OsProcess.isAlive(component)) {
            String what = ready ? "it ended" : "not ready after " + READY_MAX.toSeconds() + " s";
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "start",
                    component.name(),
                    what + "; the end of " + component.log() + ":\n" + logTail(component));
        }
        progress.accept(component.name() + " ready");
    }

    private boolean isReady(Component component) {
        if (!OsProcess.state(component).equals("running")) {
            return false;
        }
        return switch (component.role()) {
            case "postgres" -> new PostmasterFile(directory.resolve("pg")).isReady();
            case "zookeeper" -> Ports.answers(component.address());
            case "mount" ->
                    Mounts.isMounted(Path.of(component.address()))
                            && Supervisor.of(Path.of(component.address())).isServed();
            default -> readyz(component.http());
        };
    }

    /** One for all questions: whoever waits for a process asks it fifty times a second. */
    private static final class Http {
        static final HttpClient CLIENT =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();
    }

    private static boolean readyz(String http) {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + http + "/readyz"))
                        .timeout(Duration.ofSeconds(2))
                        .build();
        try {
            return Http.CLIENT.send(request, HttpResponse.BodyHandlers.discarding()).statusCode()
                    == 200;
        } catch (IOException e) {
            return false; // not listening yet
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "ask", http, "", e);
        }
    }

    private String logTail(Component component) {
        try {
            List<String> lines =
                    Files.readAllLines(
                            component.logFile(), java.nio.charset.StandardCharsets.ISO_8859_1);
            return String.join(
                    "\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e.getMessage() + ")";
        }
    }

    /** A storage node, to which a client of this host may be attached. */
    public String firstNode() {
        return state.ofRole("storagenode").get(0).name();
    }

    private ClusterPlan plan() {
        return new ClusterPlan(directory, ClusterOptions.usual());
    }

    /** What {@code gf cluster status} shows of a process. */
    public record ComponentStatus(
            String name,
            String role,
            long pid,
            String address,
            String http,
            String state,
            boolean ready,
            String log) {
        public Map<String, Object> toMap() {
            return Map.of(
                    "name", name, "role", role, "pid", pid, "address", address, "http", http,
                    "state", state, "ready", ready, "log", log);
        }
    }
}

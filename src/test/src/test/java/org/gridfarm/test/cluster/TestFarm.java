package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.awaitility.core.ConditionTimeoutException;
import org.gridfarm.campaign.Tier;
import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.client.cli.cluster.Mounts;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.Policy;
import org.gridfarm.client.core.transfer.local.LocalDisk;
import org.gridfarm.client.mount.takeover.Supervisor;
import org.gridfarm.protocol.api.MetadataMethods;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.ClusterStatusRequest;
import org.gridfarm.protocol.wire.ObjectId;
import org.gridfarm.test.tidy.Checkout;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A farm in a temporary directory, with a mount where the machine can mount. Everything goes at
 * close, whatever the test did to it.
 */
public final class TestFarm implements AutoCloseable {
    private static final Pattern PACKAGED = Pattern.compile("/gridfarm-cli-[^:/]*\\.jar(:|$)");
    private static final long COMMAND_SECONDS_MAX = 900;
    private static final Duration SUM_MAX = Duration.ofMinutes(1);
    private static final int TRACE_LINES = 40;
    private static final Duration WHOLE_MAX = Duration.ofSeconds(30);

    /**
     * In the gate processes of farms live for a minute or two: what the optimising compiler would
     * cost them they do not earn back. In campaigns they run as they are shipped.
     */
    private static final Map<String, String> SHORT_LIVES =
            Tier.current() == Tier.GATE
                    ? Map.of("GF_JAVA_OPTS", "-XX:TieredStopAtLevel=1")
                    : Map.of();

    private final Path directory;
    private final Map<String, String> environment; // of every process of the farm, besides ours
    private final List<Path> smallDisks = new ArrayList<>();
    private final Queue<StayingGf> staying = new ConcurrentLinkedQueue<>(); // those that are idle
    private final List<Path> furtherMounts = new ArrayList<>(); // of one test class
    private @Nullable Gridfarm client;

    /** Tests of one JVM run one after the other: nobody else looks at it. */
    private static @Nullable TestFarm shared;

    private TestFarm(Path directory, Map<String, String> environment) {
        this.directory = directory;
        this.environment = Map.copyOf(environment);
    }

    /**
     * Started with these further options of {@code gf cluster start}. With {@code -Dgf.farm=DIR}
     * and no options it is the one that runs in DIR, mounted at DIR/mnt, and goes on running.
     */
    public static TestFarm start(String... options) throws IOException {
        String running = System.getProperty("gf.farm");
        if (running != null && options.length == 0) {
            return new TestFarm(Path.of(running), Map.of());
        }
        return startIn(Files.createTempDirectory("gf-test-"), options);
    }

    /**
     * The farm of three nodes that classes of this JVM share. Each works on names of its own,
     * decides about levels for its own directories alone, and leaves all processes running, those
     * that it killed or stopped among them. It ends when a test starts another farm, so that there
     * is one at a time, when a class has left it broken, or with the last test.
     */
    public static TestFarm shared() throws IOException {
        if (shared != null && !shared.isWhole()) {
            System.out.println("the shared farm is not whole: another is started");
            endShared();
        }
        TestFarm running = shared;
        if (running == null) {
            running = start();
            shared = running;
        }
        return running;
    }

    /** Whether all its processes are there; a moment after a fault some may still be on the way. */
    private boolean isWhole() {
        try {
            await().atMost(WHOLE_MAX)
                    .until(() ->
                            Cluster.open(directory, line -> {}).status().stream()
                                    .allMatch(Cluster.ComponentStatus::ready));
            return true;
        } catch (ConditionTimeoutException e) {
            return false;
        }
    }

    /** Where there is a shared one. */
    public static void endShared() throws IOException {
        TestFarm running = shared;
        shared = null;
        if (running != null) {
            running.close();
        }
    }

    /** In a directory where something may lie already. */
    public static TestFarm startIn(Path directory, String... options) throws IOException {
        Assumptions.assumeTrue(Mounts.obstacle().isEmpty(), Mounts.obstacle());
        return new TestFarm(directory, Map.of()).started(options);
    }

    /** Without a mount of the user. */
    public static TestFarm startWithoutMount(String... options) throws IOException {
        Assumptions.assumeTrue(Mounts.obstacle().isEmpty(), Mounts.obstacle());
        return new TestFarm(Files.createTempDirectory("gf-test-"), Map.of())
                .startedWith(List.of(options));
    }

    /** A metaserver, storage nodes and the mount, without the rest: for tests of contents. */
    public static TestFarm startOfNodes(String... options) throws IOException {
        return startOfNodes(Files.createTempDirectory("gf-test-"), Map.of(), options);
    }

    /** As above, in a directory; its processes have these variables besides ours. */
    public static TestFarm startOfNodes(
            Path directory, Map<String, String> environment, String... options) throws IOException {
        Assumptions.assumeTrue(Mounts.obstacle().isEmpty(), Mounts.obstacle());
        List<String> all =
                new ArrayList<>(List.of("--caches", "0", "--schedulers", "0", "--no-node-mounts"));
        all.addAll(List.of(options));
        return new TestFarm(directory, environment).started(all.toArray(String[]::new));
    }

    /**
     * As above, with a small disk in memory for each node.
     *
     * @param nodes that get one, n1 and so on
     */
    public static TestFarm startOnSmallDisks(int nodes, int megabytes, String... options)
            throws IOException {
        Assumptions.assumeTrue(
                Files.isWritable(Path.of("/proc/sys/vm/drop_caches")), "disks need root");
        Assumptions.assumeTrue(Mounts.obstacle().isEmpty(), Mounts.obstacle());
        TestFarm farm = new TestFarm(Files.createTempDirectory("gf-test-"), Map.of());
        for (int i = 1; i <= nodes; i++) {
            farm.smallDisk("n" + i, megabytes);
        }
        return farm.started(options);
    }

    private TestFarm started(String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("--mount", mount().toString()));
        all.addAll(List.of(options));
        return startedWith(all);
    }

    private TestFarm startedWith(List<String> options) throws IOException {
        endShared();
        List<String> command =
                new ArrayList<>(List.of("cluster", "start", "--dir", directory.toString()));
        command.addAll(options);
        command.addAll(asked());
        try {
            gf(command.toArray(new String[0]));
        } catch (AssertionError e) {
            try {
                close();
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw e;
        }
        return this;
    }

    /**
     * Options of all mounts, for a run of these tests with others than a user has who gives none:
     * {@code -Dgf.mounts=writebehind=off}.
     */
    private static List<String> asked() {
        String options = System.getProperty("gf.mounts", "");
        return options.isEmpty() ? List.of() : List.of("-o", options);
    }

    /** Before the node is made. */
    public void smallDisk(String node, int megabytes) {
        Path data = directory.resolve(node).resolve("data");
        sh("mkdir -p %1$s && mount -t tmpfs -o size=%2$dm gf-test %1$s".formatted(data, megabytes));
        smallDisks.add(data);
    }

    /** Of a component, as {@code gf cluster status} shows it. */
    public long pid(String component) {
        return component(component).pid();
    }

    public Cluster.ComponentStatus component(String name) {
        return Cluster.open(directory, line -> {}).status().stream()
                .filter(c -> c.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    public Path directory() {
        return directory;
    }

    /** The user's mount, attached to n1. */
    public Path mount() {
        return directory.resolve("mnt");
    }

    /** The process that serves the user's mount, when another is ready to go on. */
    public ProcessHandle mountServer() {
        return mountServer(mount());
    }

    /** The same of another mount. */
    public ProcessHandle mountServer(Path mount) {
        Supervisor supervisor = Supervisor.of(mount);
        await("another that is ready")
                .atMost(Duration.ofMinutes(2))
                .until(() -> {
                    Optional<ProcessHandle> server = supervisor.server();
                    Optional<ProcessHandle> standby = supervisor.standby();
                    // One that has just gone on is noted as ready a moment longer.
                    return server.isPresent() && standby.isPresent() && !server.equals(standby);
                });
        return supervisor.server().orElseThrow();
    }

    /** What the plain files of an object's replicas are called. */
    public static String fileName(ObjectId object) {
        return Long.toHexString(object.getInode())
                + "."
                + object.getStripe()
                + "."
                + Integer.toUnsignedString(object.getGeneration());
    }

    /** The plain file of a replica. */
    public Optional<Path> replica(String node, ObjectId object) throws IOException {
        String file = fileName(object);
        try (Stream<Path> all =
                Files.walk(directory.resolve(node).resolve("data").resolve("objects"))) {
            return all.filter(path -> path.getFileName().toString().equals(file)).findFirst();
        } catch (UncheckedIOException e) {
            return Optional.empty(); // a directory went away while we looked
        }
    }

    /** The mount for the tasks of a node. */
    public Path mountOf(String node) {
        return directory.resolve(node).resolve("mnt");
    }

    /** A mount at that node that does everything itself. */
    public Path mountWithoutPassthrough(String node) {
        return mounted(directory.resolve("plain-" + node), node, "-o", "nopassthrough");
    }

    /** The same, which shows metrics at the address. */
    Path mountWithoutPassthrough(String node, String http) {
        return mounted(
                directory.resolve("plain-" + node), node, "-o", "nopassthrough,http=" + http);
    }

    /** A mount at that node where users are who has the same name in the farm. */
    Path mountByNames(String node) {
        return mounted(directory.resolve("names-" + node), node, "-o", "names");
    }

    /** A mount at that node as the user's, for a test that leaves nothing of it. */
    public Path anotherMount(String node) {
        return mounted(directory.resolve("another-" + node), node);
    }

    /** A mount at that node that decides by itself in the directories that it makes. */
    Path mountThatDecides(String node) {
        return mounted(directory.resolve("born-" + node), node, "-o", "writebehind=born");
    }

    /** Until the test class closes the farm. */
    private Path mounted(Path mount, String node, String... options) {
        furtherMounts.add(mount);
        List<String> command = new ArrayList<>(List.of("cluster", "mount"));
        command.addAll(List.of(options));
        command.addAll(asked());
        command.addAll(List.of("--node", node, "--dir", directory.toString(), mount.toString()));
        gf(command.toArray(String[]::new));
        return mount;
    }

    /** A mount at that node whose processes may have so many descriptors. */
    Path mountWithDescriptors(String node, int most) {
        Path mount = directory.resolve("short-" + node);
        furtherMounts.add(mount);
        List<String> words =
                new ArrayList<>(
                        List.of(
                                "/bin/sh",
                                "-c",
                                "ulimit -n \"$0\" && exec \"$@\"",
                                Integer.toString(most)));
        words.addAll(
                command(
                        "cluster",
                        "mount",
                        "--node",
                        node,
                        "--dir",
                        directory.toString(),
                        mount.toString()));
        succeeded("gf cluster mount", run(words));
        return mount;
    }

    /** Runs a command that must succeed; its standard output. */
    public String gf(String... words) {
        Result result = tryGf(words);
        return succeeded("gf " + String.join(" ", words), result);
    }

    /**
     * A command that begins when its input is closed: started now, it inherits no file that is
     * opened later.
     */
    public Process prepare(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "read line; exec \"$@\"", "sh"));
        command.addAll(command(words));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** A script of the shell that must succeed, in which {@code gf} is this farm's command. */
    public String script(String text) {
        StringBuilder gf = new StringBuilder();
        for (String word : command()) {
            gf.append(' ').append(StayingGf.quoted(word));
        }
        String script = "set -e; gf() { " + gf + " \"$@\"; }; " + text;
        return succeeded(text, run(List.of("sh", "-c", script)));
    }

    public Result tryGf(String... words) {
        return isPackaged() && StayingGf.takes(words) ? runStaying(words) : run(command(words));
    }

    /** By one that is idle, or another one. */
    private Result runStaying(String... words) {
        try {
            StayingGf gf = staying.poll();
            if (gf != null && !gf.isAlive()) {
                gf.close();
                gf = null;
            }
            return runBy(gf == null ? new StayingGf(command(), variables()) : gf, words);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Result runBy(StayingGf gf, String... words) throws IOException {
        boolean well = false;
        try {
            Result result = gf.run(COMMAND_SECONDS_MAX, words);
            well = staying.add(gf);
            return result;
        } finally {
            if (!well) gf.close();
        }
    }

    private void endStaying() throws IOException {
        for (StayingGf gf = staying.poll(); gf != null; gf = staying.poll()) gf.close();
    }

    private Map<String, String> variables() {
        Map<String, String> variables = new HashMap<>(SHORT_LIVES);
        variables.putAll(environment);
        variables.put("GF_CONFIG", directory.resolve("client.toml").toString());
        return variables;
    }

    /** With further variables; an interrupt ends it, even where we are to ignore ours. */
    public Result tryGf(Map<String, String> variables, String... words) {
        return run(command(variables, words));
    }

    /** As above, without waiting for its end; what it prints goes to a file. */
    public Process begin(Map<String, String> variables, Path output, String... words)
            throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command(variables, words))
                        .redirectInput(Path.of("/dev/null").toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile());
        builder.environment().putAll(SHORT_LIVES);
        builder.environment().put("GF_CONFIG", directory.resolve("client.toml").toString());
        return builder.start();
    }

    private static List<String> command(Map<String, String> variables, String... words) {
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        variables.forEach((name, value) -> command.add(name + "=" + value));
        command.addAll(command(words));
        return command;
    }

    private static boolean isPackaged() {
        return PACKAGED.matcher(System.getProperty("java.class.path")).find();
    }

    /**
     * What was built to be shipped, start-up caches and all, where these tests run on the packaged
     * command line; else the classes as they are.
     */
    private static List<String> command(String... words) {
        if (isPackaged()) {
            List<String> shipped =
                    new ArrayList<>(
                            List.of(
                                    "env",
                                    "GF_BUILD=never",
                                    Checkout.root().resolve("gf").toString()));
            shipped.addAll(List.of(words));
            return shipped;
        }
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "org.gridfarm.client.cli.Gf"));
        command.addAll(List.of(words));
        return command;
    }

    /** Where new files have so many copies. */
    public void directory(String path, int level) {
        FarmPath directory = FarmPath.of(path);
        client().mkdirs(directory);
        client().setPolicy(
                        directory,
                        new Policy(
                                OptionalInt.of(level),
                                Optional.empty(),
                                OptionalInt.empty(),
                                OptionalLong.empty()));
    }

    public JsonNode json(String... words) {
        return JsonMapper.builder().build().readTree(gf(words));
    }

    /**
     * A client of the library, open as long as the farm: to ask for a state again and again without
     * a process for each question.
     */
    public Gridfarm client() {
        Gridfarm open = client;
        if (open == null) {
            open = Gridfarm.open(ClientConfig.read(directory.resolve("client.toml")));
            client = open;
        }
        return open;
    }

    /** What {@code gf status} tells, asked from this process. */
    public ClusterStatusReply status() {
        return client().callLeader(
                        MetadataMethods.CLUSTER_STATUS, ClusterStatusRequest.getDefaultInstance());
    }

    /** Whether a file has a sum that each of its replicas has, as {@code gf sum} tells. */
    public boolean hasSum(String path) {
        try {
            return agrees(path, false);
        } catch (FarmException e) {
            return false; // as of a file that is still open for writing
        }
    }

    /** Every replica of the file is read, and is what was closed, as {@code gf sum --verify}. */
    public void requireVerified(String path) {
        assertThat(agrees(path, true)).as("replicas of %s", path).isTrue();
    }

    private boolean agrees(String path, boolean verify) {
        return client().sum(FarmPath.of(path), verify, SUM_MAX).getReplicasList().stream()
                .allMatch(replica ->
                        replica.getFailure().isEmpty()
                                && replica.getBadBlocksCount() == 0
                                && !replica.getDiffers());
    }

    /** As {@code gf cluster kill}, without the time that a command takes to start. */
    public void kill(String component, String signal) {
        Cluster.open(directory, line -> {}).kill(component, signal);
    }

    /** As {@code gf cluster restart}, by a command only where the process is to have variables. */
    public void restart(String component) {
        if (environment.isEmpty()) {
            Cluster.open(directory, line -> {}).restart(component);
        } else {
            gf("cluster", "restart", component, "--dir", directory.toString());
        }
    }

    /** Until the leader counts every node as there. */
    public void awaitNodes() {
        await("all nodes")
                .atMost(Duration.ofSeconds(60))
                .until(() ->
                        client().nodes().stream()
                                .noneMatch(node -> node.getState().equals("down")));
    }

    public void stop() {
        gf("cluster", "stop", "--dir", directory.toString());
    }

    void startAgain() {
        gf("cluster", "start", "--dir", directory.toString());
    }

    public record Result(int status, String output, String errors) {
        private String last() {
            List<String> lines = (output + errors).lines().filter(line -> !line.isBlank()).toList();
            return String.join(" | ", lines.subList(Math.max(0, lines.size() - 4), lines.size()));
        }
    }

    public Result run(List<String> command) {
        try {
            Path out = Files.createTempFile("gf-out", ".txt");
            Path err = Files.createTempFile("gf-err", ".txt");
            ProcessBuilder builder =
                    new ProcessBuilder(command)
                            .redirectInput(Path.of("/dev/null").toFile())
                            .redirectOutput(out.toFile())
                            .redirectError(err.toFile());
            builder.environment().putAll(variables());
            Process process = builder.start();
            if (!process.waitFor(COMMAND_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(
                        command + " did not end within " + COMMAND_SECONDS_MAX + " s");
            }
            Result result =
                    new Result(
                            process.exitValue(),
                            Files.readString(out, StandardCharsets.UTF_8),
                            Files.readString(err, StandardCharsets.UTF_8));
            Files.delete(out);
            Files.delete(err);
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** The path of a program that lies beside the tests. */
    public String program(String name) throws IOException {
        try (var in = TestFarm.class.getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            Path file = directory().resolve(name);
            Files.write(file, in.readAllBytes());
            return file.toString();
        }
    }

    /** A shell that carries out commands beside us, and {@code gf} among them. */
    public ShellBeside shellBeside() throws IOException {
        return new ShellBeside(directory, command());
    }

    /** A shell command that must succeed. */
    public String sh(String script) {
        return succeeded(script, run(List.of("/bin/sh", "-c", script)));
    }

    /** What it said last comes first: some reports show one line of a failure. */
    private static String succeeded(String command, Result result) {
        assertThat(result.status())
                .as("%s: %s%n%s%s", result.last(), command, result.output(), result.errors())
                .isZero();
        return result.output();
    }

    @Override
    public void close() throws IOException {
        if (!Files.exists(directory)) {
            return; // it has ended with the one that was shared
        }
        if (this == shared) {
            furtherMounts.forEach(Cluster.open(directory, line -> {})::unmount);
            furtherMounts.clear();
            assertThat(misplaced()).as("see LocalDisk").isEmpty();
            return; // others may want it
        }
        endStaying();
        if (client != null) {
            client.close();
        }
        if (directory.toString().equals(System.getProperty("gf.farm"))) {
            return;
        }
        if (Files.exists(directory.resolve("cluster.json"))) {
            stop();
        }
        smallDisks.forEach(disk -> sh("umount -l " + disk));
        if (Boolean.getBoolean("gf.keep")) {
            System.out.println("kept: " + directory);
            return;
        }
        List<String> misplaced = misplaced();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
        assertThat(misplaced).as("see LocalDisk").isEmpty();
    }

    /** What mounts have said of threads that wait for a disk and should not. */
    private List<String> misplaced() throws IOException {
        List<String> found = new ArrayList<>();
        Path logs = directory.resolve("log");
        if (!Files.isDirectory(logs)) {
            return found; // it was never started
        }
        try (Stream<Path> all = Files.list(logs)) {
            for (Path log : all.toList()) {
                try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
                    List<String> said = lines.toList();
                    for (int i = 0; i < said.size(); i++) {
                        if (said.get(i).contains(LocalDisk.MISPLACED)) {
                            found.addAll(said.subList(i, Math.min(said.size(), i + TRACE_LINES)));
                        }
                    }
                }
            }
        }
        return found;
    }
}

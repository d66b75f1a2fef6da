package org.gridfarm.client.cli.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a daemon of this program is started: the same JVM and class path as this process, with a
 * daemon's options.
 */
public final class Jvm {
    /**
     * Names a folder: daemons started by this process note there, when they end, what they loaded
     * and what of it ran often, as KIND-pidPID.aotconf.
     */
    public static final String REHEARSAL = "gf.rehearsal";

    private static final String MOUNT = "org.gridfarm.client.mount.MountMain";

    /** Main classes of what {@code gf cluster} runs on this program's class path. */
    public static final List<String> DAEMONS =
            List.of(
                    "org.gridfarm.metaserver.MetaServerMain",
                    "org.gridfarm.storagenode.StorageNodeMain",
                    "org.gridfarm.scheduler.SchedulerMain",
                    MOUNT,
                    "org.apache.zookeeper.server.ZooKeeperServerMain");

    /** All processes share the pages of a cache that is not moved. */
    private static final List<String> WHERE_IT_WANTS_TO_LIE =
            List.of(
                    "-XX:+IgnoreUnrecognizedVMOptions",
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:ArchiveRelocationMode=0");

    /** A start-up cache fits these only. */
    private static final List<String> LIKE_THE_CACHE =
            List.of(
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow",
                    "-XX:+UseCompactObjectHeaders",
                    "-XX:+UseSerialGC");

    /**
     * On so few the optimising compiler takes from its own program more than it gives back for a
     * long time: docs/decisions/small-hosts.md.
     */
    private static final int FEW_PROCESSORS = 2;

    private static final String QUICK_COMPILER_ALONE = "-XX:TieredStopAtLevel=1";

    /** What was freed outside the heap goes back to the system: the C library keeps it. */
    private static final int TRIM_MILLIS = 10_000;

    private Jvm() {}

    /** A short run of another main class, in a process of its own. */
    public static List<String> command(String mainClass, String... arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                java(),
                                "-XX:+UseSerialGC",
                                QUICK_COMPILER_ALONE,
                                "-cp",
                                classPath(),
                                mainClass));
        command.addAll(List.of(arguments));
        return command;
    }

    /** One that computes little: the time of the optimising compiler would be lost on it. */
    static List<String> light(List<String> command) {
        List<String> light = new ArrayList<>(command);
        light.add(1, QUICK_COMPILER_ALONE);
        return light;
    }

    /**
     * Its heap is a cache, and what goes through it lies outside: that is not to shrink with it.
     */
    static List<String> mount(String heap, List<String> arguments) {
        List<String> command = daemon(MOUNT, heap, arguments.toArray(new String[0]));
        command.add(1, "-XX:MaxDirectMemorySize=256m");
        return command;
    }

    static List<String> daemon(String mainClass, String heap, String... arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "-XX:+ExitOnOutOfMemoryError",
                                "-XX:TrimNativeHeapInterval=" + TRIM_MILLIS,
                                "-Xms16m",
                                "-Xmx" + heap,
                                "-Dgf.log.level=INFO"));
        command.addAll(0, LIKE_THE_CACHE);
        command.addFirst(java());
        boolean isSmall = Runtime.getRuntime().availableProcessors() <= FEW_PROCESSORS;
        if (isSmall && !isRehearsed()) command.add(QUICK_COMPILER_ALONE);
        command.addAll(words(System.getenv().getOrDefault("GF_JAVA_OPTS", "")));
        command.add("-cp");
        command.add(classPath());
        command.add(mainClass);
        command.addAll(List.of(arguments));
        return command;
    }

    /** Whether the daemons that this process starts note what a start-up cache is made of. */
    static boolean isRehearsed() {
        return System.getProperty(REHEARSAL) != null;
    }

    /** Options as the launcher takes them: words with blanks between them. */
    static List<String> words(String options) {
        return options.isBlank() ? List.of() : List.of(options.strip().split("\\s+"));
    }

    /**
     * A daemon's command as it is to be run now: with the start-up cache of its kind where the
     * build made one, or noting what such a cache is made of. See docs/decisions/start-up.md.
     */
    static List<String> warm(List<String> command) {
        Optional<String> kind = DAEMONS.stream().filter(command::contains).findFirst();
        if (kind.isEmpty() || !command.getFirst().equals(java())) return command;
        List<String> warm = new ArrayList<>(command);
        String rehearsal = System.getProperty(REHEARSAL);
        if (rehearsal != null) {
            String notes = "%s/%s-%%p.aotconf".formatted(rehearsal, simpleName(kind.get()));
            warm.addAll(1, List.of("-XX:AOTMode=record", "-XX:AOTConfiguration=" + notes));
        } else {
            Path cache = cache(kind.get(), command.get(command.indexOf("-cp") + 1));
            if (Files.isReadable(cache)) {
                warm.addAll(1, WHERE_IT_WANTS_TO_LIE);
                warm.add(1, "-XX:AOTCache=" + cache);
            }
        }
        return warm;
    }

    /** What makes the start-up cache of a kind of daemon of its notes. */
    public static List<String> cacheCommand(String kind, Path notes) {
        List<String> command = new ArrayList<>(LIKE_THE_CACHE);
        command.addFirst(java());
        command.addAll(
                List.of(
                        "-XX:AOTMode=create",
                        "-XX:AOTConfiguration=" + notes,
                        "-XX:AOTCache=" + cache(kind, classPath()),
                        "-cp",
                        classPath()));
        return command;
    }

    /** Beside the jar, since it fits that and no other, and no other JDK. */
    private static Path cache(String kind, String jar) {
        String name = "%s-%s.aot".formatted(simpleName(kind), Runtime.version());
        return Path.of(jar).resolveSibling(name);
    }

    public static String simpleName(String kind) {
        return kind.substring(kind.lastIndexOf('.') + 1);
    }

    /**
     * The command of a daemon with the name its log lines shall bear; any other command as it is.
     */
    static List<String> named(String name, List<String> command) {
        if (!command.get(0).equals(java())) {
            return command;
        }
        List<String> named = new ArrayList<>(command);
        named.add(1, "-Dgf.component=" + name);
        return named;
    }

    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static String classPath() {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(":")) {
            entries.add(Path.of(entry).toAbsolutePath().toString());
        }
        return String.join(":", entries);
    }
}

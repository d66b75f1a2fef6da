package org.gridfarm.client.cli.cluster;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a daemon of this program is started: the same JVM and class path as this process, with a
 * daemon's options.
 */
public final class Jvm {
    private static final String MOUNT = "org.gridfarm.client.mount.MountMain";

    private Jvm() {}

    /** A short run of another main class, in a process of its own. */
    public static List<String> command(String mainClass, String... arguments) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                java(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                classPath(),
                                mainClass));
        command.addAll(List.of(arguments));
        return command;
    }

    /** One that computes little: the time of the optimising compiler would be lost on it. */
    static List<String> light(List<String> command) {
        List<String> light = new ArrayList<>(command);
        light.add(1, "-XX:TieredStopAtLevel=1");
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
                                java(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-XX:+UseCompactObjectHeaders",
                                "-XX:+UseSerialGC",
                                "-XX:+ExitOnOutOfMemoryError",
                                "-Xms16m",
                                "-Xmx" + heap,
                                "-Dgf.log.level=INFO"));
        command.add("-cp");
        command.add(classPath());
        command.add(mainClass);
        command.addAll(List.of(arguments));
        return command;
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

package org.gridfarm.client.cli.cluster;

import org.gridfarm.client.mount.MountMain;
import org.gridfarm.client.mount.takeover.Supervisor;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The processes behind {@code gf mount}: a supervisor, and the one that serves. */
public final class MountProcess {
    private static final Duration READY_MAX = Duration.ofSeconds(20);
    private static final Duration UPGRADED_MAX = Duration.ofSeconds(30);

    /** With it a process stays below 300 MB, whatever it serves. */
    static final String HEAP = "160m";

    private static final long LOG_BYTES_MAX = 1 << 20;
    private static final Pattern LOG_LINE = Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT\\S+ [A-Z]+ ");

    private final Path at;
    private final List<String> server; // the command of the process that serves
    private final boolean supervised;
    private final Supervisor supervisor;

    private MountProcess(Path at, List<String> arguments) {
        this.at = at;
        String heap = System.getenv().getOrDefault("GF_HEAP", HEAP);
        this.server = Jvm.warm(Jvm.named("mount", Jvm.mount(heap, arguments)));
        this.supervised = MountMain.isToBeSupervised(arguments);
        this.supervisor = Supervisor.of(at);
    }

    /**
     * @param arguments of the process that serves
     * @throws FarmException USAGE for what no mount would take
     */
    public static MountProcess of(Path directory, List<String> arguments) {
        return new MountProcess(directory.toAbsolutePath().normalize(), arguments);
    }

    /** Turns this process into the mount's, or its supervisor. */
    public int runHere() {
        requireFree();
        IOException failure = MountMain.become(command());
        throw new FarmException(
                ErrorKind.UNAVAILABLE,
                "mount",
                at.toString(),
                String.valueOf(failure.getMessage()),
                failure);
    }

    private List<String> command() {
        supervisor.clear();
        return supervised ? supervisor.command(at, false, server) : server;
    }

    private void requireFree() {
        if (Mounts.isMounted(at)) {
            if (Mounts.isServed(at)) {
                throw new FarmException(
                        ErrorKind.BUSY, "mount", at.toString(), "something is mounted there");
            }
            Mounts.detach(at); // what a mount that died left behind
        }
        if (!Files.isDirectory(at)) {
            throw new FarmException(
                    ErrorKind.NOT_A_DIRECTORY,
                    "mount",
                    at.toString(),
                    Files.exists(at)
                            ? "a mount needs a directory"
                            : "make it first: mkdir -p " + at);
        }
        String obstacle = Mounts.obstacle();
        if (!obstacle.isEmpty()) {
            throw new FarmException(ErrorKind.UNAVAILABLE, "mount", at.toString(), obstacle);
        }
    }

    /** Returns when the mount is there, or throws with the last lines of its log. */
    public int startInBackground() {
        requireFree();
        List<String> command = command();
        try {
            Path log = Supervisor.log(at);
            long before = shortened(log);
            Component mount =
                    new Component(
                            "mount",
                            "mount",
                            server,
                            Map.of(),
                            log.toString(),
                            at.toString(),
                            "",
                            0,
                            0);
            // Only the process group that was asked to mount gets past an automount point.
            Component component =
                    Mounts.isAutomountPoint(at)
                            ? OsProcess.startInThisGroup(mount, command)
                            : OsProcess.start(mount, command);
            Await.until(READY_MAX, () -> isReady() || !OsProcess.isAlive(component));
            if (!isReady()) {
                throw new FarmException(
                        ErrorKind.UNAVAILABLE, "mount", at.toString(), reason(since(log, before)));
            }
            return 0;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private boolean isReady() {
        return Mounts.isMounted(at) && (supervised ? supervisor.isServed() : Mounts.isServed(at));
    }

    /** A log that has grown makes room; how long it is now. */
    private static long shortened(Path log) throws IOException {
        if (Files.exists(log) && Files.size(log) > LOG_BYTES_MAX) {
            Files.move(
                    log,
                    log.resolveSibling(log.getFileName() + ".old"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        return Files.exists(log) ? Files.size(log) : 0;
    }

    private static String since(Path log, long before) throws IOException {
        byte[] all = Files.readAllBytes(log);
        return new String(all, (int) before, all.length - (int) before, StandardCharsets.UTF_8);
    }

    /** What was said to whoever mounts, or all there is. */
    private static String reason(String said) {
        List<String> lines = said.lines().filter(line -> !line.isBlank()).toList();
        List<String> words =
                lines.stream()
                        .filter(line -> !LOG_LINE.matcher(line).find())
                        .map(line -> line.replaceFirst("^gf mount: ", ""))
                        .toList();
        return String.join("; ", words.isEmpty() ? lines : words);
    }

    /**
     * The mount goes on with this program instead of the one that serves it now.
     *
     * @param config that was asked for; INVALID where the mount has another
     * @param options that were asked for, instead of those that it has
     */
    public static int upgrade(Path directory, Optional<Path> config, List<String> options) {
        Path at = directory.toAbsolutePath().normalize();
        ProcessHandle before = Supervisor.of(at).server().orElseThrow(() -> noneAt(at));
        List<String> now = words(before);
        int main = now.indexOf(MountMain.class.getName());
        if (main < 0) throw noneAt(at);
        List<String> words = MountWords.goingOn(now.subList(main + 1, now.size()), config, options);
        return new MountProcess(at, words).upgraded(before);
    }

    private static FarmException noneAt(Path at) {
        return new FarmException(
                ErrorKind.NOT_FOUND,
                "mount --upgrade",
                at.toString(),
                "no supervised mount of this user is there; see gf mount");
    }

    /** All of its command line: ProcessHandle knows the first 4 KiB. */
    private static List<String> words(ProcessHandle process) {
        Path line = Path.of("/proc/" + process.pid() + "/cmdline");
        try {
            return List.of(Files.readString(line).split("\0"));
        } catch (IOException e) {
            return List.of(); // it is just ending
        }
    }

    private int upgraded(ProcessHandle before) {
        long standby = supervisor.standby().map(ProcessHandle::pid).orElse(0L);
        ProcessHandle keeper = supervisor.process().orElseThrow();
        try {
            supervisor.startFromNowOn(server);
        } catch (IOException e) {
            throw failed(e);
        }
        // Has a process of this program stand by; without one the present process ends at once.
        OsProcess.run(List.of("kill", "-s", "HUP", Long.toString(keeper.pid())));
        Await.until(
                READY_MAX,
                () ->
                        !before.isAlive()
                                || supervisor
                                        .standby()
                                        .filter(now -> now.pid() != standby)
                                        .isPresent());
        before.destroyForcibly();
        if (!Await.until(UPGRADED_MAX, () -> isServedByAnother(before))) {
            throw new FarmException(
                    ErrorKind.TIMED_OUT, "mount --upgrade", at.toString(), "see the mount's log");
        }
        return 0;
    }

    private boolean isServedByAnother(ProcessHandle before) {
        return supervisor.beats()
                && supervisor.server().filter(now -> now.pid() != before.pid()).isPresent();
    }

    private FarmException failed(IOException e) {
        return new FarmException(
                ErrorKind.DISK_FAILED, "mount", at.toString(), String.valueOf(e.getMessage()), e);
    }
}

package org.gridfarm.client.cli.health;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The farm's mounts on this machine. Each is asked by a process of its own, which is given up when
 * it gets no answer: this one never waits in the kernel for a mount.
 */
public final class LocalMounts {
    private static final Duration ANSWER_MAX =
            Duration.ofSeconds(12); // a call on the farm ends within 10 s

    private LocalMounts() {}

    public static List<HealthFinding> findings() {
        List<HealthFinding> findings = new ArrayList<>();
        try {
            for (Path mount : mounts(Files.readAllLines(Path.of("/proc/self/mountinfo")))) {
                ask(mount, List.of("stat", "-f", mount.toString()), ANSWER_MAX, findings);
            }
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "read",
                    "/proc/self/mountinfo",
                    String.valueOf(e.getMessage()),
                    e);
        }
        return findings;
    }

    /**
     * From the kernel's table: mount point is the fifth field, the type the first behind the dash.
     */
    static List<Path> mounts(List<String> table) {
        List<Path> mounts = new ArrayList<>();
        for (String line : table) {
            String[] halves = line.split(" - ", 2);
            String[] fields = halves[0].split(" ");
            if (halves.length == 2 && fields.length > 4 && halves[1].startsWith("fuse.gf ")) {
                mounts.add(Path.of(unescaped(fields[4])));
            }
        }
        return mounts;
    }

    private static String unescaped(String field) {
        return field.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }

    static void ask(Path mount, List<String> command, Duration most, List<HealthFinding> findings)
            throws IOException {
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                        .start();
        try {
            if (!process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
                findings.add(
                        HealthFinding.of(
                                HealthCode.MOUNT_HANGS,
                                1,
                                mount + " has not answered for " + most.toSeconds() + " s",
                                "gf umount --force " + mount + ", then mount again"));
                return;
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new FarmException(ErrorKind.INTERRUPTED, "health", mount.toString(), "", e);
        }
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.exitValue() != 0) {
            findings.add(
                    HealthFinding.of(
                            HealthCode.MOUNT_DEAD,
                            1,
                            mount + ": " + said.strip(),
                            "gf umount --force " + mount + ", then mount again"));
        }
    }
}

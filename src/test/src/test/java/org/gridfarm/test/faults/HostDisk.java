package org.gridfarm.test.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A disk whose host can lose power: a file system of its own in a file. What its pages in memory
 * hold and the device was not given is gone then.
 */
final class HostDisk implements AutoCloseable {
    private final Path image;
    private final Path at;

    private HostDisk(Path image, Path at) {
        this.image = image;
        this.at = at;
    }

    /** Whether such a disk can be had here. */
    static boolean isPossible() throws IOException {
        return Files.isWritable(Path.of("/dev/loop-control"))
                && Files.isWritable(Path.of("/proc/sys/vm/drop_caches"))
                && ended("losetup", "-f") == 0;
    }

    static HostDisk make(Path image, Path at, int megabytes) throws IOException {
        Files.createDirectories(at);
        run("truncate", "-s", megabytes + "M", image.toString());
        run("mkfs.ext4", "-q", "-F", image.toString());
        HostDisk disk = new HostDisk(image, at);
        disk.mount();
        return disk;
    }

    /** When everybody who had files open there is dead: the disk as it was left. */
    void losePower() throws IOException {
        Path left = image.resolveSibling(image.getFileName() + ".left");
        run("cp", "--sparse=always", image.toString(), left.toString());
        await("nobody has a file of the disk open")
                .until(() -> ended("umount", at.toString()) == 0);
        run("mv", left.toString(), image.toString());
        mount();
    }

    private void mount() throws IOException {
        run("mount", "-o", "loop", image.toString(), at.toString());
    }

    @Override
    public void close() throws IOException {
        run("umount", "-l", at.toString());
    }

    private static void run(String... command) throws IOException {
        assertThat(ended(command)).as(String.join(" ", command)).isZero();
    }

    private static int ended(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.onExit().join().exitValue();
        if (status != 0) System.out.println(List.of(command) + ": " + said.strip());
        return status;
    }
}

package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** More programs read and write at once than what they move would fit into the mount's memory. */
class ManyAtOnceTest {
    private static final int PROGRAMS = 300;
    private static final int FILES = 1000;

    private static TestFarm farm;

    /** Its process has done nothing else before. */
    private static Path mount;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        mount = farm.anotherMount("n1");
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    /** Files that are there already are written through the mount's process, a MiB at a time. */
    @Test
    void allThatWriteGetTheirTurnAndTheMountStaysSmall() throws IOException {
        Path directory = Files.createDirectory(mount.resolve("written"));
        Path source = farm.directory().resolve("source");
        farm.sh("head -c 3M /dev/urandom > " + source);
        farm.sh("for i in $(seq %d); do : > %s/$i; done".formatted(PROGRAMS, directory));
        farm.sh(
                """
                pids=
                for i in $(seq %1$d); do
                    dd if=%2$s of=%3$s/$i bs=1M conv=notrunc status=none &
                    pids="$pids $!"
                done
                for pid in $pids; do wait $pid || exit 1; done
                """
                        .formatted(PROGRAMS, source, directory));
        assertThat(megabytesAtMost()).isLessThan(450);
        Path elsewhere = farm.mountOf("n2").resolve("written");
        farm.sh(
                "for i in $(seq %d); do cmp %s %s/$i || exit 1; done"
                        .formatted(PROGRAMS, source, elsewhere));
    }

    @Test
    void allThatReadGetTheirTurnAndTheMountStaysSmall() throws IOException {
        Path file = farm.mountOf("n2").resolve("read");
        farm.sh("head -c 16M /dev/urandom > " + file);
        String sum = farm.sh("sha256sum < " + file);
        String sums =
                farm.sh(
                        "for i in $(seq %d); do dd if=%s bs=1M iflag=direct status=none | sha256sum & done; wait"
                                .formatted(PROGRAMS, mount.resolve("read")));
        assertThat(sums.lines()).hasSize(PROGRAMS).allMatch(sum.strip()::equals);
        assertThat(megabytesAtMost()).isLessThan(450);
    }

    /**
     * One user opens more directories than he may, and then more files than the mount's process has
     * descriptors. Others go on; and so do all his files when the process is killed.
     */
    @Test
    void whoOpensMoreThanThereIsRoomForHarmsNobody() throws Exception {
        Programs.need("python3");
        Assumptions.assumeTrue(Files.isWritable(Path.of("/etc")), "another user needs root");
        Path small = farm.mountWithDescriptors("n1", 900);
        Path directory = Files.createDirectory(small.resolve("many"));
        farm.sh("chmod 711 %s && chmod 777 %s".formatted(farm.directory(), directory));
        long server = farm.mountServer(small).pid();
        Process hog =
                new ProcessBuilder(
                                "python3",
                                farm.program("open-many.py"),
                                directory.toString(),
                                Integer.toString(FILES))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (BufferedReader told = hog.inputReader();
                BufferedWriter tell = hog.outputWriter()) {
            assertThat(told.readLine()).isEqualTo("directories: ENFILE");
            Files.writeString(small.resolve("another's"), "content");
            assertThat(farm.mountOf("n2").resolve("another's")).hasContent("content");
            goOn(tell);
            assertThat(told.readLine()).isEqualTo("files: " + FILES);
            Files.writeString(small.resolve("another's"), "more");
            ProcessHandle now = farm.mountServer(small);
            assertThat(now.pid()).as("the process that serves").isEqualTo(server);
            now.destroyForcibly();
            goOn(tell);
            assertThat(told.readLine()).isEqualTo("lost: 0");
            assertThat(farm.mountOf("n2").resolve("another's")).hasContent("more");
        } finally {
            hog.destroyForcibly();
        }
    }

    private static void goOn(BufferedWriter program) throws IOException {
        program.write("go on\n");
        program.flush();
    }

    /** Of the mount's process, since it began. */
    private static long megabytesAtMost() throws IOException {
        Path status = Path.of("/proc/" + farm.mountServer(mount).pid() + "/status");
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
                .findFirst()
                .orElseThrow();
    }
}

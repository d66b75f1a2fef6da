package org.gridfarm.client.mount.fuse.linux;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

class ThisProcessTest {

    /// A program of its own, which has a file open and locked when it becomes another.
    static final class Becoming {
        public static void main(String[] words) throws IOException {
            FileChannel channel =
                    FileChannel.open(
                            Path.of(words[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            channel.lock();
            throw ThisProcess.become(List.of("/bin/sh", "-c", "ls -l /proc/$$/fd"));
        }
    }

    @Test
    void theNextProgramGetsNothingThatStaysOpenByChance(@TempDir Path directory) throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Becoming.class.getName(),
                                directory.resolve("locked").toString())
                        .redirectErrorStream(true)
                        .start();
        String listed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(listed).isZero();
        assertThat(listed).contains(" 2 -> ").doesNotContain("locked").doesNotContain(".jar");
    }
}

package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.name.FarmPath;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

/**
 * A program is killed with files open, and others look at them all the time, from before the
 * metaserver hears of its end until the last of them has been sealed: what a write was answered is
 * there for everybody at every moment, whether it was synced or not, in size and in bytes, by a new
 * open and by one from before.
 */
@Timeout(120)
class KilledWriterTest {
    private static final String WHERE = "/killed";
    private static final int FILES = Tier.count("killed.files");

    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.directory(WHERE, 1);
    }

    @AfterAll
    static void stop() {
        if (farm != null) farm.client().deleteRecursively(FarmPath.of(WHERE));
    }

    @Test
    void whatAKilledProgramWroteIsThereAtEveryMoment() throws Exception {
        Path config = farm.directory().resolve("client.toml");
        Process program =
                new ProcessBuilder(
                                JavaMachines.own().resolve("bin/java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                WritingProgram.class.getName(),
                                config.toString(),
                                "n1",
                                WHERE,
                                Integer.toString(FILES))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        int blocks; // of the last one
        try (BufferedReader out =
                new BufferedReader(
                        new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))) {
            blocks =
                    out.lines()
                            .filter(line -> line.startsWith(WritingProgram.WROTE))
                            .map(line -> line.substring(WritingProgram.WROTE.length()))
                            .mapToInt(Integer::parseInt)
                            .findFirst()
                            .orElseThrow();
        } finally {
            program.destroyForcibly().waitFor();
        }
        try (Gridfarm near = Gridfarm.open(ClientConfig.read(config).withNode("n1"));
                Gridfarm far = Gridfarm.open(ClientConfig.read(config).withNode("n2"));
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> readers = new ArrayList<>();
            for (Gridfarm who : List.of(near, far)) {
                readers.add(threads.submit(() -> looksAtAll(who, blocks)));
                readers.add(threads.submit(() -> holdsAll(who, blocks)));
            }
            for (Future<?> reader : readers) reader.get();
        }
    }

    /** Opens each anew. */
    private static @Nullable Void looksAtAll(Gridfarm who, int blocks) {
        untilSealed(
                who,
                blocks,
                (path, most) -> {
                    try (FarmFile file = who.open(path, OpenFlags.READ)) {
                        return read(file, most);
                    }
                });
        return null;
    }

    /** As they were opened while their writer was thought to live. */
    private static @Nullable Void holdsAll(Gridfarm who, int blocks) {
        Map<FarmPath, FarmFile> open = new HashMap<>();
        for (int i = 0; i <= FILES; i++) {
            open.put(path(i), who.open(path(i), OpenFlags.READ));
        }
        untilSealed(who, blocks, (path, most) -> read(open.get(path), most));
        open.values().forEach(FarmFile::close);
        return null;
    }

    private static void untilSealed(
            Gridfarm who, int blocks, BiFunction<FarmPath, Integer, byte[]> contents) {
        Set<Integer> unsealed = new TreeSet<>();
        for (int i = 0; i <= FILES; i++) unsealed.add(i);
        while (!unsealed.isEmpty()) {
            unsealed.removeIf(i -> {
                byte[] written = WritingProgram.content(i, i == FILES ? blocks : 2);
                FileInfo before = who.stat(path(i));
                int generation = before.attributes().getGeneration();
                String what = path(i) + ", generation " + generation;
                assertThat(before.size()).as("size of %s", what).isEqualTo(written.length);
                byte[] content = contents.apply(path(i), written.length + 1);
                assertThat(content.length).as("read of %s", what).isEqualTo(written.length);
                assertThat(Arrays.equals(content, written)).as("all bytes of %s", what).isTrue();
                return generation > 1;
            });
        }
    }

    private static FarmPath path(int number) {
        return FarmPath.of(WHERE + "/" + number);
    }

    private static byte[] read(FarmFile file, int most) {
        ByteBuffer content = ByteBuffer.allocate(most);
        file.read(0, content);
        return Arrays.copyOf(content.array(), content.position());
    }
}

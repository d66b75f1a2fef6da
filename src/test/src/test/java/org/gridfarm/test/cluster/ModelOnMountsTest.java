package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Several programs at once on a farm that has just been started, where everything is slow, each
 * through all mounts: what one mount has closed, removed, renamed or dated, every other shows.
 */
class ModelOnMountsTest {
    private static final long SEED = 20261127;
    private static final int PROGRAMS = 6;

    @Test
    void everyMountShowsWhatTheModelSays() throws Exception {
        int steps = Tier.count("model.steps");
        long seed = Tier.seed(SEED);
        try (TestFarm farm = TestFarm.start();
                ExecutorService threads = Executors.newFixedThreadPool(PROGRAMS)) {
            List<Path> mounts =
                    List.of(
                            farm.mount(),
                            farm.mountOf("n1"),
                            farm.mountOf("n2"),
                            farm.mountOf("n3"));
            List<Callable<List<String>>> programs = new ArrayList<>();
            for (int i = 0; i < PROGRAMS; i++) {
                String directory = "model" + i;
                Files.createDirectory(farm.mount().resolve(directory));
                ModelProgram program = new ModelProgram(mounts, directory, seed + i);
                programs.add(() -> program.run(steps));
            }
            List<String> wrong = new ArrayList<>();
            for (Future<List<String>> program : threads.invokeAll(programs)) {
                wrong.addAll(program.get());
            }
            assertThat(wrong).as("seed %d", seed).isEmpty();
        }
    }
}

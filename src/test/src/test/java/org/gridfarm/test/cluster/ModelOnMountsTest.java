package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.cluster.ModelProgram.Pace;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
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

    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.start();
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    private record Programs(long seed, List<Future<List<String>>> running) {
        void requireRight() throws Exception {
            List<String> wrong = new ArrayList<>();
            for (Future<List<String>> program : running) {
                wrong.addAll(program.get());
            }
            assertThat(wrong).as("seed %d", seed).isEmpty();
        }
    }

    private static Programs begin(ExecutorService threads, String name, Pace pace, int steps)
            throws IOException {
        List<Path> mounts =
                List.of(farm.mount(), farm.mountOf("n1"), farm.mountOf("n2"), farm.mountOf("n3"));
        long seed = Tier.seed(SEED);
        List<Callable<List<String>>> programs = new ArrayList<>();
        for (int i = 0; i < PROGRAMS; i++) {
            String directory = name + i;
            Files.createDirectory(farm.mount().resolve(directory));
            ModelProgram program = new ModelProgram(mounts, directory, seed + i, pace);
            programs.add(() -> program.run(steps));
        }
        return new Programs(seed, programs.stream().map(threads::submit).toList());
    }

    @Test
    void everyMountShowsWhatTheModelSays() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(PROGRAMS)) {
            begin(threads, "looks", Pace.LOOKS, Tier.count("model.steps")).requireRight();
        }
    }

    @Test
    void soItIsWhereNobodyHasLookedInBetween() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(PROGRAMS)) {
            begin(threads, "hurries", Pace.HURRIES, Tier.count("model.hurries")).requireRight();
        }
    }

    @Test
    void soItIsWhenTheProcessOfAMountIsKilled() throws Exception {
        int kills = Tier.count("model.kills");
        try (ExecutorService threads = Executors.newFixedThreadPool(PROGRAMS)) {
            Programs programs =
                    begin(threads, "killed", Pace.HURRIES, kills * Tier.count("model.kills.steps"));
            for (int i = 0; i < kills; i++) {
                farm.mountServer().destroyForcibly();
                Files.list(farm.mount()).close(); // answered by the next process
            }
            programs.requireRight();
        }
    }
}

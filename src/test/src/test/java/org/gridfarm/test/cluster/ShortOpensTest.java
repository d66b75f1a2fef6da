package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.cluster.ShortOpens.Library;
import org.gridfarm.test.cluster.ShortOpens.Program;
import org.gridfarm.test.cluster.ShortOpens.Worker;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Close to open, whatever way the bytes take and whoever opens next. */
class ShortOpensTest {
    private static final long SEED = 20261126;

    @Test
    void whoOpensAfterACloseSeesAllThatItLeft() throws IOException {
        Programs.need("python3");
        TestFarm farm = TestFarm.shared();
        Path local = Files.createTempDirectory("gf-local-");
        List<Worker> workers = new ArrayList<>();
        try {
            String script = farm.program("short_opens.py");
            for (int level = 1; level <= 3; level++) {
                farm.sh("mkdir -p %s/short/%d %s/%d".formatted(farm.mount(), level, local, level));
                farm.gf("setrep", Integer.toString(level), "/short/" + level);
            }
            Path plain = farm.mountWithoutPassthrough("n3");
            for (Path mount :
                    List.of(
                            farm.mount(),
                            farm.mount(), // two programs
                            farm.mountOf("n2"),
                            farm.mountOf("n3"),
                            plain)) {
                workers.add(new Program(script, mount.resolve("short")));
            }
            workers.add(new Library(farm.client(), "/short"));
            try (Worker beside = new Program(script, local)) {
                ShortOpens opens = new ShortOpens(workers, beside, Tier.seed(SEED));
                List<String> different = opens.run(Tier.count("short.opens"));
                assertThat(different).as(String.join("\n", different)).isEmpty();
            }
        } finally {
            for (Worker worker : workers) {
                worker.close();
            }
            farm.sh("rm -rf " + local);
        }
    }
}

package org.gridfarm.test.cluster;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;

/** The sessions of the pages for people who know another way to run jobs, word for word. */
class JobGuidesTest {
    @ParameterizedTest
    @ValueSource(strings = {"gfrun", "parallel", "slurm"})
    void everyLineDoesWhatThePageSays(String name, @TempDir Path here) throws IOException {
        GuideSession.check(TestFarm.shared(), "jobs-from-" + name + ".md", here, "");
    }
}

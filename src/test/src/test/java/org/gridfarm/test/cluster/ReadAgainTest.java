package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Files that were written or read a moment ago are read without asking their node for them. */
class ReadAgainTest {
    private static final int FILES = 50;
    private static final String ASKED = "gf_node_local_opens_total";

    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    private static double asked() {
        return Metrics.value(farm.component("n1"), ASKED, "access=\"read\"");
    }

    private static void readAll(Path directory, String content) throws IOException {
        for (int i = 0; i < FILES; i++) {
            assertThat(directory.resolve("f" + i)).hasContent(content);
        }
    }

    @Test
    void whatWasWrittenHereIsReadWithoutItsNode() throws IOException {
        Path directory = Files.createDirectory(farm.mount().resolve("here"));
        for (int i = 0; i < FILES; i++) {
            Files.writeString(directory.resolve("f" + i), "content");
        }
        double before = asked();
        readAll(directory, "content");
        readAll(directory, "content");
        assertThat(asked()).isEqualTo(before);
    }

    @Test
    void whatWasReadHereIsReadAgainWithoutItsNode() throws IOException {
        Path elsewhere = Files.createDirectory(farm.mountOf("n2").resolve("there"));
        farm.gf("setrep", "3", "/there"); // one copy is here
        for (int i = 0; i < FILES; i++) {
            Files.writeString(elsewhere.resolve("f" + i), "content");
        }
        Path here = farm.mount().resolve("there");
        double before = asked();
        readAll(here, "content");
        double once = asked();
        assertThat(once - before).isEqualTo(FILES);
        readAll(here, "content");
        assertThat(asked()).isEqualTo(once);
        for (String changed : List.of("longer than before", "x")) {
            for (int i = 0; i < FILES; i++) {
                Files.writeString(elsewhere.resolve("f" + i), changed);
            }
            readAll(here, changed);
        }
    }
}

package org.gridfarm.storagenode.replica;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class UnusedStagedFilesTest {
    @TempDir Path root;

    /**
     * A client that was killed leaves what it had at hand; eight such would fill an owner's share.
     */
    @Test
    void whatNobodyHasWrittenIntoIsDiscardedAndMakesRoom() throws Exception {
        try (StoreFixture fixture = StoreFixture.at(root)) {
            List<ReplicaStore.Place> places = new ArrayList<>();
            while (places.size() < StagedFiles.FILES_EACH_MAX) {
                places.addAll(fixture.store.stage(64, "mount"));
            }
            Path written = Files.writeString(places.getFirst().path(), "bytes");
            List<Long> numbers = places.stream().map(ReplicaStore.Place::number).toList();
            fixture.store.unstageUnused(numbers, "another");
            assertThat(places).allMatch(place -> Files.exists(place.path()));
            fixture.store.unstageUnused(numbers, "mount");
            assertThat(places).filteredOn(place -> Files.exists(place.path())).hasSize(1);
            assertThat(written).hasContent("bytes");
            assertThat(fixture.store.stage(64, "mount")).hasSize(64);
        }
    }
}

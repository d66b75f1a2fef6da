package org.gridfarm.storagenode.disk;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.env.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.TreeMap;
import java.util.stream.Stream;

class OwnerOnlyTest {
    @TempDir private Path scratch;

    private DataDirectory open(Path root) {
        return DataDirectory.open(root, new PortableDisk(), Clock.system(), 0);
    }

    private static void allow(Path path, String modes) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(modes));
    }

    private static String modes(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    /** Of all below. */
    private static TreeMap<String, String> tree(Path root) throws IOException {
        TreeMap<String, String> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.toList()) {
                found.put(root.relativize(path).toString(), modes(path));
            }
        }
        return found;
    }

    @Test
    void whatIsMadeIsTheOwnersAloneWhateverTheUmask() throws IOException {
        Path root = scratch.resolve("above/data");
        try (DataDirectory disk = open(root)) {
            disk.objects().make(0x1234);
            assertThat(tree(root))
                    .containsEntry("", "rwx------")
                    .containsEntry("objects/12/34", "rwx------")
                    .containsEntry("version", "rw-------")
                    .allSatisfy((path, modes) -> assertThat(modes).as(path).endsWith("------"));
            assertThat(modes(scratch.resolve("above")))
                    .as("what is above is not ours to close")
                    .isNotEqualTo("rwx------");
        }
    }

    @Test
    void anOldFarmIsClosedAtOnceAtItsDoorAndThenThroughout() throws IOException {
        Path root = scratch.resolve("data");
        open(root).close();
        Files.writeString(root.resolve("version"), "format=1\nfarm=ab\n");
        Path slot = Files.createDirectories(root.resolve("objects/00/00"));
        Path replica = Files.writeString(slot.resolve("5.0.1"), "secret");
        Path outside = Files.writeString(scratch.resolve("outside"), "not of the farm");
        Files.createSymbolicLink(slot.resolve("link"), outside);
        allow(root, "rwxr-xr-x");
        allow(slot, "rwxrwxrwx");
        allow(replica, "rw-r--r--");
        allow(outside, "rw-r--r--");

        try (DataDirectory disk = open(root)) {
            assertThat(modes(root)).isEqualTo("rwx------");
            assertThat(modes(replica)).as("start does not wait for all").isEqualTo("rw-r--r--");
            disk.closeTree();
            assertThat(modes(slot)).isEqualTo("rwx------");
            assertThat(modes(replica)).isEqualTo("rw-------");
            assertThat(modes(outside)).isEqualTo("rw-r--r--");
            assertThat(root.resolve("version")).content().contains("modes=owner", "farm=ab");

            allow(replica, "rw-r--r--");
            disk.closeTree();
            assertThat(modes(replica)).as("done once").isEqualTo("rw-r--r--");
        }
    }
}

package org.gridfarm.client.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.fs.BlockLocation;
import org.gridfarm.client.FileLayout;
import org.gridfarm.client.FileLayout.Copy;
import org.gridfarm.client.FileLayout.Stripe;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;

class BlockPlacesTest {
    private static final long BLOCK = 128;

    private static Copy copy(String node, boolean readable) {
        return new Copy(node, "host-" + node + ":7000", readable);
    }

    private static Stripe stripe(int index, String... nodes) {
        return new Stripe(index, List.of(nodes).stream().map(node -> copy(node, true)).toList());
    }

    private static BlockLocation[] found(FileLayout layout, long size, long offset, long length) {
        return new BlockPlaces(
                        layout,
                        size,
                        BLOCK,
                        copy -> new BlockPlaces.Place(copy.host(), copy.address(), "r1"))
                .of(offset, length);
    }

    @Test
    void aFileOfOneStripeIsCutIntoBlocksThatLieAtAllItsNodes() throws IOException {
        FileLayout layout = new FileLayout(0, List.of(stripe(0, "a", "b")));
        BlockLocation[] all = found(layout, 300, 0, 300);
        assertThat(all).hasSize(3);
        assertThat(all[2].getOffset()).isEqualTo(256);
        assertThat(all[2].getLength()).isEqualTo(44);
        assertThat(all[1].getHosts()).containsExactly("host-a", "host-b");
        assertThat(all[1].getTopologyPaths()[0]).isEqualTo("/r1/host-a:7000");
    }

    @Test
    void onlyBlocksThatWereAskedForAreTold() throws IOException {
        FileLayout layout = new FileLayout(0, List.of(stripe(0, "a")));
        assertThat(found(layout, 300, 130, 10))
                .extracting(BlockLocation::getOffset)
                .containsExactly(128L);
        assertThat(found(layout, 300, 127, 2)).hasSize(2);
        assertThat(found(layout, 300, 256, Long.MAX_VALUE)).hasSize(1);
        assertThat(found(layout, 300, 300, 10)).isEmpty();
        assertThat(found(layout, 300, 130, 0)).isEmpty();
    }

    @Test
    void copiesThatCannotBeReadAreNotTold() throws IOException {
        Stripe stripe =
                new Stripe(0, List.of(copy("a", false), new Copy("b", "", true), copy("c", true)));
        assertThat(found(new FileLayout(0, List.of(stripe)), 10, 0, 10)[0].getHosts())
                .containsExactly("host-c");
        Stripe lost = new Stripe(0, List.of(copy("a", false)));
        BlockLocation none = found(new FileLayout(0, List.of(lost)), 10, 0, 10)[0];
        assertThat(none.getHosts()).isEmpty();
        assertThat(none.isCorrupt()).isTrue();
    }

    @Test
    void aFileWithoutContentHasNoPlaces() throws IOException {
        assertThat(found(new FileLayout(0, List.of()), 0, 0, 10)).isEmpty();
    }

    @Test
    void largeUnitsOfAStripedFileAreToldEachForItself() throws IOException {
        FileLayout layout = new FileLayout(64, List.of(stripe(0, "a"), stripe(1, "b")));
        BlockLocation[] all = found(layout, 200, 0, 200);
        assertThat(all).hasSize(4);
        assertThat(all[0].getHosts()).containsExactly("host-a");
        assertThat(all[1].getHosts()).containsExactly("host-b");
        assertThat(all[3].getHosts()).containsExactly("host-b");
        assertThat(all[3].getLength()).isEqualTo(8);
    }

    @Test
    void ofSmallUnitsTheNodesThatHoldMostComeFirst() throws IOException {
        FileLayout layout =
                new FileLayout(4, List.of(stripe(0, "a"), stripe(1, "b", "c"), stripe(2, "c")));
        BlockLocation[] all = found(layout, 134, 0, 134);
        assertThat(all).hasSize(2);
        assertThat(all[0].getHosts()[0]).isEqualTo("host-c");
        // Six bytes from 128 on: four of stripe 2, then two of stripe 0.
        assertThat(all[1].getHosts()).containsExactly("host-c", "host-a");
    }
}

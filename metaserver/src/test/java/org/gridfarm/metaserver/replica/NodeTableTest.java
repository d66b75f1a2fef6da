package org.gridfarm.metaserver.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import org.gridfarm.protocol.wire.Change;
import org.gridfarm.protocol.wire.HeartbeatRequest;
import org.gridfarm.protocol.wire.NodeAddress;
import org.gridfarm.protocol.wire.NodeAddresses;
import org.gridfarm.protocol.wire.NodeImage;
import org.junit.jupiter.api.Test;

import java.time.Duration;

class NodeTableTest {
    private static final long SECOND = 1_000_000_000L;

    private final NodeTable table = new NodeTable(Duration.ofSeconds(2), Duration.ofSeconds(30));

    private void admin(String state) {
        table.apply(
                Change.newBuilder()
                        .setNode(
                                NodeImage.newBuilder()
                                        .setName("n")
                                        .setRack("r")
                                        .setAdminState(state)
                                        .setCapacity(100))
                        .build());
    }

    private static HeartbeatRequest beat(long capacity, long available) {
        return HeartbeatRequest.newBuilder()
                .setName("n")
                .setCapacity(capacity)
                .setAvailable(available)
                .build();
    }

    @Test
    void aNodeIsUpOnceItsInventoryIsTakenAndFallsSilentInSteps() {
        admin("up");
        table.registered("n", false, 0);
        assertThat(table.state("n", 1)).isEqualTo(NodeState.SUSPECT);
        table.inventoryTaken("n");
        assertThat(table.tick(1))
                .containsExactly(new NodeTable.Shift("n", NodeState.SUSPECT, NodeState.UP));
        assertThat(table.tick(2)).isEmpty();
        assertThat(table.state("n", 2 * SECOND)).isEqualTo(NodeState.SUSPECT);
        assertThat(table.heard(beat(100, 40), 3 * SECOND)).isTrue();
        assertThat(table.state("n", 3 * SECOND)).isEqualTo(NodeState.UP);
        assertThat(table.facts(3 * SECOND).getFirst().freeShare()).isEqualTo(0.4);
        assertThat(table.tick(33 * SECOND))
                .containsExactly(new NodeTable.Shift("n", NodeState.UP, NodeState.DOWN));
    }

    private void at(String name, String address) {
        table.apply(
                Change.newBuilder()
                        .setNode(NodeImage.newBuilder().setName(name).setAddress(address))
                        .build());
    }

    @Test
    void theAddressesOfAllHaveAVersionThatStandsForThem() {
        long none = table.addresses().getVersion();
        at("n2", "b:7");
        at("n1", "a:7");
        NodeAddresses both = table.addresses();
        assertThat(both.getNodesList())
                .extracting(NodeAddress::getNode, NodeAddress::getAddress)
                .containsExactly(tuple("n1", "a:7"), tuple("n2", "b:7"));
        assertThat(both.getVersion()).isNotIn(0L, none);
        at("n2", "c:7");
        assertThat(table.addresses().getVersion()).isNotEqualTo(both.getVersion());
        at("n2", "b:7");
        assertThat(table.addresses()).isEqualTo(both);
        table.apply(Change.newBuilder().setNodeGone("n1").build());
        assertThat(table.addresses().getNodesList()).hasSize(1);
        table.clear();
        assertThat(table.addresses().getVersion()).isEqualTo(none);
    }

    @Test
    void aNodeThatCouldNotBeHeardIsSilentFromThenOn() {
        admin("up");
        table.registered("n", true, 0);
        table.heardNobody(100 * SECOND);
        assertThat(table.state("n", 100 * SECOND)).isEqualTo(NodeState.SUSPECT);
        assertThat(table.state("n", 127 * SECOND)).isEqualTo(NodeState.SUSPECT);
        assertThat(table.state("n", 128 * SECOND)).isEqualTo(NodeState.DOWN);
    }

    @Test
    void whatAnAdministratorDecidedShowsWhileTheNodeIsHeardOf() {
        admin("draining");
        table.registered("n", true, 0);
        assertThat(table.state("n", 1)).isEqualTo(NodeState.DRAINING);
        admin("readonly");
        assertThat(table.state("n", 1)).isEqualTo(NodeState.READONLY);
        admin("removed");
        assertThat(table.state("n", 1)).isEqualTo(NodeState.REMOVED);
        assertThat(table.state("unknown", 1)).isEqualTo(NodeState.REMOVED);
    }

    @Test
    void aNewLeaderWaitsBeforeItCallsAnybodyDown() {
        admin("up");
        table.restart(100 * SECOND);
        assertThat(table.state("n", 100 * SECOND)).isEqualTo(NodeState.SUSPECT);
        assertThat(table.heard(beat(1, 1), 101 * SECOND)).as("has to register first").isFalse();
        assertThat(table.state("n", 127 * SECOND)).isEqualTo(NodeState.SUSPECT);
        assertThat(table.state("n", 128 * SECOND)).isEqualTo(NodeState.DOWN);
    }
}

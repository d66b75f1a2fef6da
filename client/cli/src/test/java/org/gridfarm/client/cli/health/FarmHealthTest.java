package org.gridfarm.client.cli.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.ClusterStatusReply;
import org.gridfarm.protocol.wire.NodeControlReply;
import org.gridfarm.protocol.wire.NodeInfo;
import org.gridfarm.protocol.wire.ServerInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Pains of administrators, injected as facts: each is found under its code, with a cure. */
class FarmHealthTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");
    private static final long GIB = 1L << 30;

    private static ClusterStatusReply.Builder well() {
        return ClusterStatusReply.newBuilder()
                .addServers(ServerInfo.newBuilder().setName("m1").setRole("leader"))
                .addServers(ServerInfo.newBuilder().setName("m2").setRole("cache"));
    }

    private static NodeInfo.Builder node(String name, String state, long percentFree) {
        return NodeInfo.newBuilder()
                .setName(name)
                .setState(state)
                .setCapacity(100 * GIB)
                .setAvailable(percentFree * GIB);
    }

    private static List<HealthFinding> look(
            ClusterStatusReply.Builder status, NodeInfo.Builder... nodes) {
        List<NodeInfo> built = List.of(nodes).stream().map(NodeInfo.Builder::build).toList();
        return FarmHealth.of(status.build(), built, Map.of());
    }

    private static void assertFound(
            List<HealthFinding> findings, HealthCode code, String cause, String cure) {
        assertThat(findings).extracting(HealthFinding::code).containsExactly(code);
        assertThat(findings.get(0).cause()).contains(cause);
        assertThat(findings.get(0).cure()).contains(cure);
    }

    @Test
    void aFarmThatIsWellHasNoFindings() {
        assertThat(
                        look(
                                well(),
                                node("n1", "up", 50),
                                node("n2", "up", 60),
                                node("n3", "removed", 0)))
                .isEmpty();
    }

    @Test
    void aMissingNodeIsNamedWithTheFilesThatWaitForIt() {
        List<HealthFinding> findings =
                look(
                        well().setReplicasAway(3),
                        node("n1", "up", 50),
                        node("n2", "down", 50).setLastSeenMillisAgo(61_000));
        assertThat(findings)
                .extracting(HealthFinding::code, HealthFinding::count)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(HealthCode.FILES_AWAY, 3L),
                        org.assertj.core.groups.Tuple.tuple(HealthCode.NODE_DOWN, 1L));
        assertThat(findings.get(0).cause()).isEqualTo("3 files on silent nodes alone (n2)");
        assertThat(findings.get(1).cure())
                .contains("start gridfarm-storagenode", "gf node remove n2");
        assertThat(findings.get(1).cure()).doesNotContain("drain");
    }

    @Test
    void lostAndCorruptFilesAreErrorsAndMissingCopiesAWarning() {
        List<HealthFinding> findings =
                look(
                        well().setReplicasLost(1)
                                .setReplicasCorrupt(2)
                                .setReplicasUnder(5)
                                .setRepairQueue(5)
                                .setRepairBytesLeft(GIB),
                        node("n1", "up", 50));
        assertThat(findings)
                .extracting(f -> f.code() + " " + f.count() + " " + f.code().severity().status())
                .containsExactly("FILES_LOST 1 2", "FILES_CORRUPT 2 2", "FILES_UNDER_LEVEL 5 1");
        assertThat(findings.get(2).cause()).contains("1.0G");
    }

    @Test
    void aFullNodeBesideAnEmptyOneAsksForABalance() {
        List<HealthFinding> findings = look(well(), node("n1", "up", 2), node("n2", "up", 90));
        assertThat(findings)
                .extracting(HealthFinding::code)
                .containsExactly(HealthCode.NODE_FULL, HealthCode.NODES_UNEVEN);
        assertThat(findings.get(1).cause()).isEqualTo("n1 has 2 % free, n2 90 %");
        assertThat(findings.get(1).cure()).contains("gf balance --dry-run");
    }

    @Test
    void repairThatHasNoRoomSaysSo() {
        List<HealthFinding> findings = look(well().setReplicasUnder(4), node("n1", "up", 0));
        assertThat(findings)
                .extracting(HealthFinding::code)
                .containsExactly(
                        HealthCode.REPAIR_HAS_NO_ROOM, HealthCode.NODE_FULL, HealthCode.FARM_FULL);
    }

    @Test
    void aDrainThatCannotEndNamesWhatIsInTheWay() {
        NodeControlReply reply =
                NodeControlReply.newBuilder()
                        .setReplicasLeft(7)
                        .addBlockers("/a: no other node has room")
                        .addBlockers("/b: open for writing")
                        .build();
        List<HealthFinding> findings =
                FarmHealth.of(
                        well().build(),
                        List.of(node("n1", "draining", 50).build()),
                        Map.of("n1", reply, "n2", NodeControlReply.getDefaultInstance()));
        assertFound(
                findings, HealthCode.NODE_DRAIN_BLOCKED, "no other node has room", "undrain n1");
        assertThat(findings.get(0).details()).hasSize(2);
    }

    @Test
    void metaserversThatAreAloneBehindOrFullAreNamedAndTheirDatabase() {
        assertFound(
                look(
                        ClusterStatusReply.newBuilder()
                                .addServers(ServerInfo.newBuilder().setName("m1"))),
                HealthCode.METASERVER_ALONE,
                "nobody would take over",
                "start another one");
        assertFound(
                look(well().addServers(ServerInfo.newBuilder().setName("m3").setLag(6000))),
                HealthCode.METASERVER_BEHIND,
                "m3 is 6000 batches behind",
                "its log");
        assertFound(
                look(well().addServers(ServerInfo.newBuilder().setName("m3").setProblem("heap"))),
                HealthCode.METASERVER_FULL,
                "m3: heap",
                "GF_HEAP");
        assertFound(
                look(well().setDatabaseSilentMillis(42_100)),
                HealthCode.DATABASE_SILENT,
                "has not answered the leading metaserver for 42 s",
                "its log");
        assertThat(look(well().setDatabaseSilentMillis(900))).isEmpty();
        assertFound(
                look(well().setCoordinationLost(true)),
                HealthCode.COORDINATION_LOST,
                "nobody takes over",
                "start ZooKeeper");
        assertFound(
                look(well().setJournalRowsBehind(9000)),
                HealthCode.TABLES_BEHIND,
                "9000 batches",
                "PostgreSQL");
    }

    @Test
    void mountsThatKeepDirectoriesOrDecideOtherwiseAreToldOf() {
        assertThat(look(well().setDelegations(5).setDelegationsWaitMillis(300))).isEmpty();
        assertFound(
                look(well().setDelegationsOverdue(3).setDelegationsWaitMillis(4100)),
                HealthCode.DELEGATIONS_STALLED,
                "not given back: 3, for up to 4 s",
                "gf delegations");
        List<HealthFinding> wrong = look(well().setCommandsDifferent(2).setCommandsRefused(1));
        assertFound(
                wrong,
                HealthCode.DELEGATIONS_DIFFER,
                "something else: 2, that were refused: 1",
                "writebehind=off");
        assertThat(wrong.getFirst().count()).isEqualTo(3);
    }

    @Test
    void badBlocksSendToTheDisk() {
        assertFound(
                look(well(), node("n1", "up", 50).setBadBlocks(2)),
                HealthCode.NODE_BAD_BLOCKS,
                "2 bad blocks",
                "gf scrub start n1");
    }

    @Test
    void aRefusedPersonAndADeadServerHaveDifferentCures() {
        HealthFinding refused =
                FarmHealth.unreachable(
                        new FarmException(ErrorKind.NOT_AUTHENTICATED, "connect", "m1:7000", "no"));
        assertThat(refused.code()).isEqualTo(HealthCode.ACCESS_REFUSED);
        assertThat(refused.cure()).contains("gf auth check");
        HealthFinding dead =
                FarmHealth.unreachable(
                        new FarmException(
                                ErrorKind.TIMED_OUT, "status", "", "no metaserver leads"));
        assertThat(dead.code()).isEqualTo(HealthCode.NO_METASERVER_ANSWERS);
        assertThat(dead.cure()).contains("ZooKeeper", "gf doctor");
    }

    @Test
    void certificatesAreToldOfBeforeTheyRunOut() {
        Instant begin = NOW.minus(Duration.ofDays(390));
        assertThat(FarmHealth.certificate("c", begin, NOW.plus(Duration.ofDays(60)), NOW))
                .isEmpty();
        assertFound(
                FarmHealth.certificate("c", begin, NOW.plus(Duration.ofDays(8)), NOW),
                HealthCode.CERTIFICATE_EXPIRES,
                "runs out at 2026-12-04",
                "gf ca renew c");
        assertFound(
                FarmHealth.certificate("c", begin, NOW.minusSeconds(1), NOW),
                HealthCode.CERTIFICATE_EXPIRED,
                "ran out",
                "gf proxy init");
        Instant proxy = NOW.minus(Duration.ofHours(1));
        assertThat(FarmHealth.certificate("p", proxy, proxy.plus(Duration.ofHours(12)), NOW))
                .isEmpty();
    }

    @Test
    void aMountThatHangsOrWhoseProcessIsGoneIsNamed() throws IOException {
        assertThat(
                        LocalMounts.mounts(
                                List.of(
                                        "36 1 0:3 / /a\\040b rw - fuse.gf gf rw",
                                        "37 1 0:4 / /c rw shared:1 - ext4 /dev/a rw",
                                        "38 1 0:5 / /d rw shared:1 - fuse.gf gf rw")))
                .containsExactly(Path.of("/a b"), Path.of("/d"));
        List<HealthFinding> findings = new ArrayList<>();
        Path at = Path.of("/gridfarm");
        LocalMounts.ask(at, List.of("true"), Duration.ofSeconds(10), findings);
        assertThat(findings).isEmpty();
        LocalMounts.ask(at, List.of("tail", "-f", "/dev/null"), Duration.ofMillis(50), findings);
        assertFound(findings, HealthCode.MOUNT_HANGS, "/gridfarm", "gf umount --force /gridfarm");
        findings.clear();
        LocalMounts.ask(at, List.of("stat", "-f", "/no such"), Duration.ofSeconds(10), findings);
        assertFound(findings, HealthCode.MOUNT_DEAD, "No such file", "gf umount --force /gridfarm");
    }

    @Test
    void aMutedCodeIsSilentUntilItsTime(@TempDir Path directory) {
        Muted muted = new Muted(directory.resolve("muted"));
        assertThat(muted.at(NOW)).isEmpty();
        muted.mute(HealthCode.METASERVER_ALONE, NOW.plusSeconds(10), NOW);
        muted.mute(HealthCode.NODE_FULL, NOW.plusSeconds(100), NOW);
        assertThat(muted.at(NOW))
                .containsOnlyKeys(HealthCode.METASERVER_ALONE, HealthCode.NODE_FULL);
        assertThat(muted.at(NOW.plusSeconds(10))).containsOnlyKeys(HealthCode.NODE_FULL);
        muted.unmute(HealthCode.NODE_FULL, NOW);
        assertThat(muted.at(NOW)).containsOnlyKeys(HealthCode.METASERVER_ALONE);
        assertThatThrownBy(() -> Muted.code("NO_SUCH")).hasMessageContaining("gf health --codes");
    }
}

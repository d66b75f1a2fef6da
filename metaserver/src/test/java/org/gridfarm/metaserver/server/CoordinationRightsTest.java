package org.gridfarm.metaserver.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.gridfarm.metaserver.server.state.Cluster;
import org.gridfarm.metaserver.zookeeper.ZooKeeperCluster;
import org.gridfarm.metaserver.zookeeper.ZooKeeperSettings;
import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.config.PemFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Who reaches ZooKeeper, and has no certificate of the farm, neither deposes nor confuses it. */
class CoordinationRightsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir Path directory;

    private static final class Heard implements Cluster.Listener {
        volatile boolean leads;
        volatile List<Cluster.Member> members = List.of();

        @Override
        public void elected() {
            leads = true;
        }

        @Override
        public void lost() {
            leads = false;
        }

        @Override
        public void deposed(String why) {
            leads = false;
        }

        @Override
        public void members(List<Cluster.Member> there) {
            members = there;
        }

        @Override
        public void reachable(boolean reachable) {}

        List<String> names() {
            return members.stream().map(Cluster.Member::name).toList();
        }
    }

    private static Cluster.Member member(String name, long epoch) {
        return new Cluster.Member(name, "127.0.0.1:1", Cluster.Member.CACHE, epoch);
    }

    private static ZooKeeperCluster cluster(TestZooKeeper zookeeper, String password) {
        return ZooKeeperCluster.connect(
                new ZooKeeperSettings(
                        zookeeper.address(),
                        "/grid/test",
                        Duration.ofSeconds(5),
                        Optional.of(password).filter(text -> !text.isEmpty()),
                        Optional.empty()));
    }

    @Test
    @Timeout(60) // what cannot connect tries for ever
    void throughTlsEachSideShowsACertificateOfTheFarmsAuthority() throws Exception {
        CertificateAuthority authority =
                CertificateAuthority.create("/O=Test/CN=Authority", Instant.now());
        for (String name : List.of("zookeeper", "meta")) {
            authority
                    .issueHost(
                            "/O=Test/CN=" + name, List.of("localhost", "127.0.0.1"), Instant.now())
                    .save(directory.resolve(name + ".pem"));
        }
        Path ca = Files.writeString(directory.resolve("ca.pem"), authority.certificatePem());
        Heard heard = new Heard();
        try (TestZooKeeper zookeeper = TestZooKeeper.secure(directory, directory);
                ZooKeeperCluster one =
                        ZooKeeperCluster.connect(
                                new ZooKeeperSettings(
                                        zookeeper.address(),
                                        "/test",
                                        Duration.ofSeconds(5),
                                        Optional.of("secret"),
                                        Optional.of(
                                                new PemFiles(
                                                        directory.resolve("meta.pem"), ca))))) {
            one.start(member("one", 0), true, heard);
            await().atMost(PATIENCE).until(() -> heard.leads);
        }
    }

    private static CuratorFramework stranger(TestZooKeeper zookeeper) {
        CuratorFramework client =
                CuratorFrameworkFactory.newClient(zookeeper.address(), new RetryOneTime(100));
        client.start();
        return client;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable change) {
        assertThatThrownBy(change).isInstanceOf(KeeperException.NoAuthException.class);
    }

    @Test
    void aStrangerNeitherReadsNorChangesAnything() throws Exception {
        Heard heard = new Heard();
        Heard second = new Heard();
        try (TestZooKeeper zookeeper = new TestZooKeeper(directory);
                ZooKeeperCluster one = cluster(zookeeper, "secret");
                ZooKeeperCluster two = cluster(zookeeper, "secret");
                CuratorFramework mallory = stranger(zookeeper)) {
            one.start(member("one", 0), true, heard);
            await().atMost(PATIENCE).until(() -> heard.leads);
            two.start(member("two", 0), true, second);
            await().atMost(PATIENCE).until(() -> heard.names().equals(List.of("one", "two")));

            refused(() -> mallory.getChildren().forPath("/grid/test/leader"));
            refused(() -> mallory.getData().forPath("/grid/test/members/one"));
            refused(() -> mallory.setData().forPath("/grid/test/members/one", bytes("x")));
            refused(() -> mallory.delete().forPath("/grid/test/members/one"));
            refused(() -> mallory.create().forPath("/grid/test/members/three", bytes("x")));
            refused(() -> mallory.create().forPath("/grid/test/leader/x"));
            mallory.create().forPath("/grid/another"); // which is its own affair
            assertThat(heard.leads).isTrue();
        }
    }

    @Test
    void whatAFarmHadThereBeforeItHadAPasswordIsClosedWhenItsServersStartWithOne()
            throws Exception {
        Heard before = new Heard();
        Heard after = new Heard();
        try (TestZooKeeper zookeeper = new TestZooKeeper(directory);
                CuratorFramework mallory = stranger(zookeeper)) {
            try (ZooKeeperCluster old = cluster(zookeeper, "")) {
                old.start(member("one", 0), true, before);
                await().atMost(PATIENCE).until(() -> before.leads);
                assertThat(mallory.getChildren().forPath("/grid/test/leader")).hasSize(1);
            }
            try (ZooKeeperCluster anew = cluster(zookeeper, "secret")) {
                assertThat(anew.isConnected()).as("before anybody can hear of it").isFalse();
                anew.start(member("one", 0), true, after);
                await().atMost(PATIENCE).until(() -> after.leads);
                await().atMost(PATIENCE)
                        .untilAsserted(() -> {
                            refused(() -> mallory.getChildren().forPath("/grid/test/leader"));
                            refused(() -> mallory.create().forPath("/grid/test/members/x"));
                            refused(() -> mallory.create().forPath("/grid/test/x"));
                        });
            }
        }
    }

    @Test
    void anEntryThatSaysNothingHidesNoOther() throws Exception {
        Heard heard = new Heard();
        try (TestZooKeeper zookeeper = new TestZooKeeper(directory);
                CuratorFramework other = stranger(zookeeper);
                ZooKeeperCluster one = cluster(zookeeper, "")) {
            one.start(member("one", 0), false, heard);
            await().atMost(PATIENCE).until(() -> heard.names().equals(List.of("one")));
            String at = "/grid/test/members/";
            other.create().forPath(at + "number", bytes("number\nh:1\ncache\nmany"));
            other.create().forPath(at + "epoch", bytes("epoch\nh:1\ncache\n-1"));
            other.create().forPath(at + "address", bytes("address\nnowhere\nleader\n9"));
            other.create().forPath(at + "role", bytes("role\nh:1\nroot\n9"));
            other.create().forPath(at + "posing", bytes("one\nh:1\nleader\n9"));
            other.create().forPath(at + "garbage", new byte[] {(byte) 0xff, 0, 10, 10, 10});
            other.create().forPath(at + "empty", new byte[0]);
            other.create().forPath(at + "two", bytes("two\nh:1\ncache\n7"));
            await().atMost(PATIENCE).until(() -> heard.names().equals(List.of("one", "two")));
            one.announce(member("one", 5));
            await().atMost(PATIENCE)
                    .until(() ->
                            heard.members.contains(member("one", 5))
                                    && heard.names().equals(List.of("one", "two")));
        }
    }
}

package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.gridfarm.client.cli.gateway.S3Gateway;
import org.gridfarm.client.cli.gateway.s3.auth.AccessKey;
import org.gridfarm.client.cli.gateway.s3.auth.AccessKeys;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.metadata.Metadata;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.name.Name;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.wire.FileType;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** The endpoint of S3 by TLS, with boto3: each key is somebody's, and he may what he may. */
class S3Test {
    private static final Path CASES =
            Checkout.root().resolve("src/test/src/test/resources/org/gridfarm/test/cluster/s3.py");
    private static final FarmPath ROOT = FarmPath.of("/s3");
    private static TestFarm farm;
    private static Path pki;
    private static Path keys;
    private static AccessKey daemon;
    private static AccessKey bin;
    private static S3Gateway gateway;

    @BeforeAll
    static void start() throws IOException {
        Programs.need("curl");
        Programs.needPython("boto3");
        farm = TestFarm.shared();
        pki = farm.directory().resolve("pki");
        keys = farm.directory().resolve("s3-keys");
        farm.gf("mkdir", "-p", "-m", "777", ROOT.toString());
        daemon = made("daemon");
        bin = made("bin");
        gateway = S3Gateway.start(config(), settings("127.0.0.1", true));
    }

    private static AccessKey made(String account) {
        Path certificate = pki.resolve("s3-" + account + ".pem");
        if (!Files.exists(certificate)) {
            farm.gf(
                    "ca",
                    "issue",
                    "user",
                    account,
                    "--name",
                    "S3 " + account,
                    "--one-file",
                    "--dir",
                    pki.resolve("authority").toString(),
                    "--out",
                    pki.resolve("s3-" + account).toString(),
                    "--map",
                    pki.resolve("grid-mapfile").toString());
        }
        AccessKey key = AccessKey.made(account);
        AccessKeys.add(keys, key);
        return key;
    }

    private static ClientConfig config() {
        return ClientConfig.read(farm.directory().resolve("gateway.toml"));
    }

    private static S3Gateway.Settings settings(String host, boolean tls) {
        return new S3Gateway.Settings(
                new HostPort(host, 0),
                tls
                        ? Optional.of(config().security().web(Clock.system(), Optional.empty()))
                        : Optional.empty(),
                ROOT,
                keys,
                true,
                Optional.empty());
    }

    @AfterAll
    static void stop() {
        if (gateway != null) gateway.close();
        if (farm != null) farm.gf("rm", "-r", "-f", ROOT.toString());
    }

    private static String python(String script, AccessKey key, AccessKey other) {
        TestFarm.Result said =
                farm.run(
                        List.of(
                                "python3",
                                script,
                                gateway.url(),
                                pki.resolve("ca.pem").toString(),
                                key.id(),
                                key.secret(),
                                other.id(),
                                other.secret()));
        return said.output() + said.errors();
    }

    @Test
    void whatBotoAsksForIsDone() {
        assertThat(list(bin)).doesNotContain("Error").contains("Buckets");
        assertThat(list(daemon)).contains("Buckets");
        makeLarge();
        assertThat(python(CASES.toString(), daemon, bin)).contains("ok end");
        assertThat(farm.client().list(ROOT)).isEmpty();
    }

    /** A bucket of so many names that their order is remembered; the cases empty it. */
    private static void makeLarge() {
        farm.gf("mkdir", "-m", "777", "/s3/large");
        Metadata metadata = farm.client().metadata();
        long large = farm.client().stat(ROOT.child("large")).inode();
        List<Name> names = IntStream.rangeClosed(1, 2100).mapToObj(n -> Name.of("f" + n)).toList();
        for (int from = 0; from < names.size(); from += 100) {
            names.subList(from, from + 100).stream()
                    .map(name ->
                            metadata.mknod(
                                    metadata.self(), large, name, 0644, 0, FileType.REGULAR, 0))
                    .toList()
                    .forEach(CompletableFuture::join);
        }
    }

    private static String list(AccessKey key) {
        return farm.run(
                        List.of(
                                "curl",
                                "-sS",
                                "-m",
                                "20",
                                "--cacert",
                                pki.resolve("ca.pem").toString(),
                                "--aws-sigv4",
                                "aws:amz:us-east-1:s3",
                                "--user",
                                key.id() + ":" + key.secret(),
                                "-H",
                                "x-amz-content-sha256: UNSIGNED-PAYLOAD",
                                gateway.url() + "/"))
                .output();
    }

    /** Nor is anybody whom the map does not know. */
    @Test
    void aKeyOfRootIsOfNoUse() {
        AccessKey root = AccessKey.made("root");
        AccessKeys.add(keys, root);
        await().untilAsserted(() -> assertThat(list(root)).contains("<Code>AccessDenied</Code>"));
        AccessKeys.remove(keys, root.id());
        await().untilAsserted(() -> assertThat(list(root)).contains("InvalidAccessKeyId"));
    }

    @Test
    void itListensForOthersOnlyWithTlsAndNeedsASecretFile() throws IOException {
        assertThatThrownBy(() -> S3Gateway.start(config(), settings("0.0.0.0", false)))
                .hasMessageContaining("--tls");
        Path open = Files.writeString(farm.directory().resolve("open-keys"), "# none\n");
        assertThatThrownBy(() -> new AccessKeys(open)).hasMessageContaining("chmod 600");
        Files.delete(open);
    }
}

package org.gridfarm.protocol.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.StringValue;

import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.rpc.Access;
import org.gridfarm.protocol.rpc.ChannelSecurity;
import org.gridfarm.protocol.rpc.ExpectedServer;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.protocol.rpc.Loops;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Retry;
import org.gridfarm.protocol.rpc.RpcClient;
import org.gridfarm.protocol.rpc.RpcServer;
import org.gridfarm.protocol.rpc.RpcServerConfig;
import org.gridfarm.protocol.rpc.Services;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

class SecuritySettingsTest {
    private static final Method<StringValue, StringValue> WHO =
            new Method<>(
                    1,
                    "who",
                    StringValue.parser(),
                    StringValue.parser(),
                    Retry.IDEMPOTENT,
                    Access.PEOPLE);

    @Test
    void aServerAndAClientMadeFromTheirFilesKnowEachOther(@TempDir Path folder) throws Exception {
        Instant now = Instant.now();
        CertificateAuthority authority = CertificateAuthority.create("/O=Test/CN=CA", now);
        Files.writeString(folder.resolve("ca.pem"), authority.certificatePem());
        authority
                .issueHost("/O=Test/CN=m", List.of("127.0.0.1"), now)
                .save(folder.resolve("host.pem"));
        authority.issueUser("/O=Test/CN=alice", now).save(folder.resolve("alice.pem"));
        Files.writeString(
                folder.resolve("map"),
                "\"/O=Test/CN=alice\" alice\n\"/O=Test/CN=m\" @metaserver\n");
        String server =
                """
                [tls]
                certificate = "host.pem"
                key = "host.pem"
                trust = "ca.pem"
                [grid]
                map = "map"
                """;
        String client =
                """
                [tls]
                credential = "alice.pem"
                trust = "ca.pem"
                """;
        Loops loops = Loops.start("test");
        Services services =
                Services.builder()
                        .on(WHO, x -> x.reply(StringValue.of(x.peer().identity().user())))
                        .build();
        HostPort any = new HostPort("127.0.0.1", 0);
        try (RpcServer listening =
                RpcServer.bind(
                        loops,
                        new RpcServerConfig(any, "m", security(server, folder, loops), services))) {
            RpcClient dialler =
                    new RpcClient(
                            loops, security(client, folder, loops), ExpectedServer.metaserver());
            Peer peer = dialler.dial(listening.address()).get(20, TimeUnit.SECONDS);
            StringValue who =
                    peer.callPlain(WHO, StringValue.getDefaultInstance(), Duration.ofSeconds(10))
                            .get(20, TimeUnit.SECONDS);
            assertThat(who.getValue()).isEqualTo("alice");
        } finally {
            loops.close();
        }
    }

    @Test
    void aPersonIsWhomTheFileNamesOrElseWhomTheProxyNames(@TempDir Path folder) throws Exception {
        Path proxy = folder.resolve("proxy.pem");
        Path own = folder.resolve("own.pem");
        String named = "[tls]\ncredential = \"own.pem\"\ntrust = \"ca.pem\"\n";
        String unnamed = "[tls]\ntrust = \"ca.pem\"\n";

        assertThat(credential(named, folder, proxy)).as("neither is there").isEqualTo(own);
        assertThat(credential(unnamed, folder, proxy)).isEqualTo(proxy);
        Files.createFile(proxy);
        assertThat(credential(named, folder, proxy)).as("the named is not there").isEqualTo(proxy);
        Files.createFile(own);
        assertThat(credential(named, folder, proxy)).isEqualTo(own);
        assertThat(credential(unnamed, folder, proxy)).isEqualTo(proxy);
    }

    private static Path credential(String text, Path folder, Path proxy) {
        return Config.read(
                        text,
                        folder.resolve("x.toml"),
                        config -> SecuritySettings.readForPeople(config, proxy))
                .certificate();
    }

    private static ChannelSecurity security(String text, Path folder, Loops loops) {
        return Config.read(text, folder.resolve("x.toml"), SecuritySettings::read)
                .open(Clock.system(), loops.handshakes());
    }
}

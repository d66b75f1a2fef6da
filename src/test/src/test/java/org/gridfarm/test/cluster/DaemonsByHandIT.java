package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.protocol.auth.x509.CertificateAuthority;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;

/** The templates under {@code deploy/config} make daemons that a farm takes in. */
class DaemonsByHandIT {
    private static final String ANY_PORT = "\"127.0.0.1:0\"";

    @Test
    void daemonsStartedFromTheTemplatesJoinAFarm() throws Exception {
        try (TestFarm farm = TestFarm.start("--nodes", "1")) {
            Path data = Files.createDirectories(farm.directory().resolve("n9/data"));
            Map<String, String> node = member(farm, "n9", "@node:n9");
            node.put("metaservers", valueOf(farm, "n1", "metaservers"));
            node.put("data", "[\"" + data + "\"]");
            node.put("reserve", "\"16M\"");
            node.put("mount", "\"\"");
            Map<String, String> metaserver =
                    server(farm, "meta1", member(farm, "meta9", "@metaserver"));
            Map<String, String> scheduler =
                    server(farm, "sched1", member(farm, "sched9", "@scheduler"));
            scheduler.put("metaservers", valueOf(farm, "n1", "metaservers"));

            try (HandStarted n9 = HandStarted.start(farm.directory(), "storagenode", "n9", node);
                    HandStarted meta9 =
                            HandStarted.start(farm.directory(), "metaserver", "meta9", metaserver);
                    HandStarted sched9 =
                            HandStarted.start(farm.directory(), "scheduler", "sched9", scheduler)) {
                for (HandStarted daemon : List.of(n9, meta9, sched9)) {
                    daemon.awaitHealth();
                    assertThat(daemon.metrics()).contains("gf_");
                }
                await().atMost(Duration.ofSeconds(30))
                        .untilAsserted(() -> assertThat(farm.gf("nodes")).contains("n9", "meta9"));
                takesReplicas(farm);
                assertThat(audit(farm, "n9")).exists();
                n9.stop();
                sched9.stop();
                meta9.stop();
            }
        }
    }

    private static Path audit(TestFarm farm, String name) {
        return farm.directory().resolve(name + ".audit");
    }

    private static void takesReplicas(TestFarm farm) throws IOException {
        Path file = Files.writeString(farm.directory().resolve("here.txt"), "some bytes\n");
        farm.gf("put", file.toString(), "/here.txt");
        farm.gf("rep", "--to", "n9", "/here.txt");
        assertThat(farm.gf("where", "/here.txt")).contains("n9");
        assertThat(farm.sh("grep -rl 'some bytes' " + farm.directory().resolve("n9/data")))
                .isNotBlank();
    }

    /** What every daemon's file says of itself, with a certificate from the farm's authority. */
    private static Map<String, String> member(TestFarm farm, String name, String role)
            throws IOException, GeneralSecurityException {
        Path pki = farm.directory().resolve("pki");
        String dn = "/O=Gridfarm development/OU=Hosts/CN=" + name;
        Path credential = pki.resolve(name + ".pem");
        CertificateAuthority.load(pki.resolve("authority"))
                .issueHost(dn, List.of("127.0.0.1", "localhost"), Instant.now())
                .save(credential);
        Files.writeString(
                pki.resolve("grid-mapfile"),
                "\"" + dn + "\" " + role + "\n",
                StandardOpenOption.APPEND);
        Map<String, String> values = new HashMap<>();
        values.put("name", "\"" + name + "\"");
        values.put("listen", ANY_PORT);
        values.put("advertise", ANY_PORT);
        values.put("http", ANY_PORT);
        values.put("certificate", "\"" + credential + "\"");
        values.put("key", "\"" + credential + "\"");
        values.put("trust", "\"" + pki.resolve("ca.pem") + "\"");
        values.put("map", "\"" + pki.resolve("grid-mapfile") + "\"");
        values.put("audit_log", "\"" + audit(farm, name) + "\"");
        return values;
    }

    private static Map<String, String> server(
            TestFarm farm, String like, Map<String, String> member) throws IOException {
        for (String key :
                List.of(
                        "url",
                        "user",
                        "database.password_file",
                        "connect",
                        "path",
                        "zookeeper.password_file")) {
            member.put(key, valueOf(farm, like, key));
        }
        return member;
    }

    /** The value of a key in the file of one of the farm's own daemons. */
    private static String valueOf(TestFarm farm, String daemon, String key) throws IOException {
        String text = Files.readString(farm.directory().resolve(daemon + ".toml"));
        Matcher line = HandStarted.line(key).matcher(text);
        assertThat(line.find()).as("%s in\n%s", key, text).isTrue();
        return line.group(1);
    }
}

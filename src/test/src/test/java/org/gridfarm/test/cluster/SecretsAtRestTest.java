package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.gridfarm.client.cli.cluster.Cluster;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a running farm has on disks and in its database, and who else could read it there. */
class SecretsAtRestTest {
    private static final Pattern SECRET =
            Pattern.compile("(pg|zk)-password.*|.*\\.key|user-.*\\.pem|n[0-9]+\\.pem");
    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
    }

    /** Those that another account may look at. */
    private static List<String> open(Stream<Path> files) throws IOException {
        List<String> open = new ArrayList<>();
        for (Path file : files.toList()) {
            String modes = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
            if (!modes.endsWith("------")) {
                open.add(modes + " " + file);
            }
        }
        return open;
    }

    @Test
    void replicasAndPasswordsAreTheirOwnersAlone() throws IOException {
        Files.writeString(farm.mount().resolve("private"), "nobody else's");
        farm.sh("sync " + farm.mount());
        String all = "find " + farm.directory().resolve("n1/data") + " -ignore_readdir_race ";
        assertThat(farm.sh(all + "-type f -name '*.sum'")).isNotEmpty();
        assertThat(farm.sh(all + "-perm /077")).isEmpty();
        try (Stream<Path> here = Files.list(farm.directory());
                Stream<Path> keys = Files.list(farm.directory().resolve("pki"))) {
            List<Path> secrets =
                    Stream.concat(here, keys)
                            .filter(file -> SECRET.matcher(file.getFileName().toString()).matches())
                            .toList();
            assertThat(secrets).hasSizeGreaterThan(6);
            assertThat(open(secrets.stream())).isEmpty();
        }
    }

    /** Or all would go through the node, more slowly, and nobody would notice. */
    @Test
    void aMountTakesWhatItsOwnNodeNames() throws IOException {
        Path file = farm.mountOf("n1").resolve("local");
        Path log = farm.directory().resolve("log/mount-n1.log");
        int before = Files.readString(log).length();
        Files.write(file, new byte[1 << 20]);
        assertThat(Files.readAllBytes(file)).hasSize(1 << 20);
        assertThat(Files.readString(log).substring(before)).doesNotContain("as a local file");
    }

    private static Connection as(String role) throws IOException, SQLException {
        String password = Files.readString(farm.directory().resolve("pg-password-" + role)).strip();
        return DriverManager.getConnection(
                Cluster.open(farm.directory(), line -> {}).database().url(), role, password);
    }

    private static int count(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM " + table)) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void schedulersAndMetaserversReadNothingOfEachOther() throws IOException, SQLException {
        try (Connection scheduler = as("gridfarm_sched");
                Connection metaserver = as("gridfarm_meta")) {
            assertThat(count(scheduler, "gridfarm_jobs.leader")).isEqualTo(1);
            assertThatThrownBy(() -> count(scheduler, "gridfarm.setting"))
                    .hasMessageContaining("permission denied");
            assertThatThrownBy(() -> count(scheduler, "gridfarm.journal"))
                    .hasMessageContaining("permission denied");
            assertThat(count(metaserver, "gridfarm.leader")).isEqualTo(1);
            assertThatThrownBy(() -> count(metaserver, "gridfarm_jobs.job"))
                    .hasMessageContaining("permission denied");
        }
    }

    @Test
    void theSecretOfTicketsIsReplacedWhileFilesAreReadAndWritten() throws IOException {
        Path file = Files.writeString(farm.mountOf("n1").resolve("before"), "the rotation");
        assertThat(farm.gf("meta", "rotate-secret")).contains("in 10 s", "in 315 s");
        assertThat(farm.mountOf("n2").resolve("before")).hasContent("the rotation");
        Files.writeString(file, " and after it", java.nio.file.StandardOpenOption.APPEND);
        assertThat(farm.gf("cat", "/before")).isEqualTo("the rotation and after it");
        assertThat(farm.tryGf("meta", "rotate-secret").errors())
                .contains("good for")
                .contains("s more");
    }
}

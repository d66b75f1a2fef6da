package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.cli.cluster.Cluster;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Tasks that act for their user, by the program that users have. */
class DelegationTest {
    /** Passwords are drawn; what keys look like is known. */
    private static final Pattern KEY = Pattern.compile("-----BEGIN [A-Z ]*PRIVATE KEY-----");

    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.gf("mkdir", "-p", "/delegation");
    }

    @Test
    void aTaskWorksWithFilesAsItsUserAndDoesNothingElse() throws IOException, SQLException {
        String task =
                ("export GF_BUILD=never; %1$s proxy info; echo from a task | %1$s put - /delegation/made;"
                                + " %1$s run true; echo status $?; test -e $X509_USER_PROXY && echo there")
                        .formatted(Checkout.root().resolve("gf"));
        String done = farm.gf("run", "--env", "GF_CONFIG", "--env", "JAVA_HOME", task);
        assertThat(done).contains("files alone (limited)", "status 77", "there");
        assertThat(farm.gf("cat", "/delegation/made")).isEqualTo("from a task\n");
        assertThat(farm.gf("run", "--proxy-hours", "0", "echo \"<$X509_USER_PROXY>\""))
                .isEqualTo("<>\n");
        assertThat(kept()).isZero();
    }

    /** The step ends when it has another proxy than at its start; these last for some seconds. */
    @Test
    void proxiesOfStepsAreRenewedAsLongAsTheyAreWaitedFor(@TempDir Path here) throws IOException {
        Path rules =
                Files.writeString(
                        here.resolve("renewed.make"),
                        """
                        rule
                          out /delegation/renewed
                          run first=$(cat "$X509_USER_PROXY")
                            until [ "$(cat "$X509_USER_PROXY")" != "$first" ]; do sleep 0.1; done
                            echo renewed > "$GF_OUT"
                        """);
        TestFarm.Result made =
                farm.tryGf(
                        "run",
                        "--proxy-hours",
                        "0.001",
                        "--timeout",
                        "60",
                        "--make",
                        rules.toString());
        assertThat(made.errors()).contains("1 steps made");
        assertThat(farm.gf("cat", "/delegation/renewed")).isEqualTo("renewed\n");
    }

    /** Of jobs that have not ended. */
    private static int kept() throws IOException, SQLException {
        String password =
                Files.readString(farm.directory().resolve("pg-password-gridfarm_sched")).strip();
        try (Connection database =
                        DriverManager.getConnection(
                                Cluster.open(farm.directory(), line -> {}).database().url(),
                                "gridfarm_sched",
                                password);
                Statement statement = database.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT count(*) FROM gridfarm_jobs.delegation")) {
            row.next();
            return row.getInt(1);
        }
    }

    /** All that was logged since the farm began, whichever tests ran on it before. */
    @Test
    void noLogHoldsAKeyOrAPassword() throws IOException {
        farm.gf("run", "true");
        String scheduler = Files.readString(farm.directory().resolve("log/sched1.log"));
        assertThat(scheduler).contains("result=delegated");
        try (Stream<Path> here = Files.list(farm.directory());
                Stream<Path> logs = Files.list(farm.directory().resolve("log"))) {
            var passwords =
                    here.filter(file -> file.getFileName().toString().matches("(pg|zk)-password.*"))
                            .map(DelegationTest::text)
                            .map(String::strip)
                            .toList();
            assertThat(passwords).hasSizeGreaterThan(3).allMatch(word -> word.length() >= 16);
            for (Path log : logs.toList()) {
                String text = text(log);
                assertThat(KEY.matcher(text).find()).as("a key in %s", log).isFalse();
                assertThat(passwords).as(log.toString()).noneMatch(text::contains);
            }
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}

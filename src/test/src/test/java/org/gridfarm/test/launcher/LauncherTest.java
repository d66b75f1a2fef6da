package org.gridfarm.test.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

@Tag("quick")
class LauncherTest {
    private static final String UNAVAILABLE_IN_ONE_LINE = "gf: .*\\n";

    @TempDir private Path temp;

    private Path checkout;
    private Path jdk;
    private Path maven;

    /** A checkout that is built: sources, and a younger {@code target/dist}. */
    @BeforeEach
    void builtCheckout() throws IOException {
        checkout = temp.resolve("check out");
        write("pom.xml", "<project/>");
        write("client/cli/src/main/java/Gf.java", "class Gf {}");
        write("target/dist/lib/gridfarm-cli.jar", "");
        Files.copy(Checkout.root().resolve("gf"), checkout.resolve("gf"));
        age(
                Duration.ofHours(1),
                "pom.xml",
                "client/cli/src/main/java/Gf.java",
                "client/cli/src/main/java",
                "client/cli/src/main");
        write("target/dist/stamp", "");
        age(Duration.ofMinutes(1), "target/dist/stamp");

        jdk = temp.resolve("jdk");
        script(jdk.resolve("bin/java"), "echo pid $$; for word; do echo \"$word\"; done");
        script(jdk.resolve("bin/javac"), "");
        Files.writeString(
                jdk.resolve("release"), "IMPLEMENTOR=\"Somebody\"\nJAVA_VERSION=\"25.0.3\"\n");
        maven = temp.resolve("mvn");
        script(maven, "echo built >>../builds; touch target/dist/stamp");
    }

    @Test
    void wordsArriveAsTheyWereGivenFromWhereverItIsCalled() throws Exception {
        Called called = gf("put", "a b", "", "$HOME", "*");

        assertThat(called.status()).isZero();
        assertThat(called.err()).isEmpty();
        assertThat(called.words())
                .endsWith("org.gridfarm.client.cli.Gf", "put", "a b", "", "$HOME", "*")
                .contains(
                        "-Dgf.invoked=gf",
                        "-Dgf.home=" + checkout,
                        checkout + "/target/dist/lib/gridfarm-cli.jar");
    }

    @Test
    void itStartsWhereTheWorkingDirectoryWasRemoved() throws Exception {
        String gone = "mkdir gone && cd gone && rmdir ../gone && exec '%s/gf' ls x";
        Called called =
                Called.of(temp, environment(), List.of("sh", "-c", gone.formatted(checkout)));

        assertThat(called.status()).isZero();
        assertThat(called.words())
                .contains("-Duser.dir=/proc/self/fd/9")
                .endsWith("org.gridfarm.client.cli.Gf", "ls", "x");
        assertThat(gf("ls").words()).noneMatch(word -> word.startsWith("-Duser.dir"));
    }

    @Test
    void aLinkTellsTheNameItWasCalledBy() throws Exception {
        Files.createDirectories(temp.resolve("bin"));
        Files.createSymbolicLink(temp.resolve("bin/gf"), Path.of("../check out/gf"));
        Files.createSymbolicLink(temp.resolve("bin/gfls"), Path.of("gf"));

        Called called = Called.of(temp, environment(), List.of("bin/gfls", "-l"));

        assertThat(called.words())
                .contains("-Dgf.invoked=gfls")
                .endsWith("org.gridfarm.client.cli.Gf", "-l");
    }

    @Test
    void aDaemonIsTheProcessThatWasStartedWithAHeapOfItsOwn() throws Exception {
        Called called = gf(Map.of("GF_HEAP", "3g"), "metaserver", "--config", "m.toml");

        assertThat(called.words())
                .startsWith("pid " + called.pid())
                .endsWith("org.gridfarm.metaserver.MetaServerMain", "--config", "m.toml")
                .contains("-Xmx3g", "-XX:+UseCompactObjectHeaders", "-Dgf.component=metaserver")
                .doesNotContain("-XX:TieredStopAtLevel=1");
    }

    @Test
    void aMountInTheForegroundIsADaemonAndOneThatGoesToTheBackgroundIsNot() throws Exception {
        assertThat(gf("mount", "/mnt", "-f").words())
                .contains("-Dgf.component=mount", "-XX:+UseCompactObjectHeaders")
                .endsWith("org.gridfarm.client.cli.Gf", "mount", "/mnt", "-f");
        assertThat(gf("mount", "/mnt").out())
                .doesNotContain("-Dgf.component", "CompactObjectHeaders");
    }

    @Test
    void aCommandStartsFromTheCacheWhereThereIsOne() throws Exception {
        assertThat(gf("ls").out()).doesNotContain("AOTCache");

        write("target/dist/gf.aot", "");
        write("target/dist/jdk", "/some/other/jdk\n");
        assertThat(gf("ls").out()).doesNotContain("AOTCache"); // it would not fit

        write("target/dist/jdk", jdk + "\n");
        assertThat(gf("ls").words()).contains("-XX:AOTCache=" + checkout + "/target/dist/gf.aot");
        assertThat(gf("storagenode").out()).doesNotContain("AOTCache");
    }

    @Test
    void sourcesNewerThanTheBuildAreBuiltOnce() throws Exception {
        gf("ls");
        assertThat(temp.resolve("builds")).doesNotExist();

        Files.setLastModifiedTime(
                checkout.resolve("client/cli/src/main/java/Gf.java"), FileTime.from(Instant.now()));
        Called built = gf("ls");
        gf("ls");

        assertThat(Files.readAllLines(temp.resolve("builds"))).hasSize(1);
        assertThat(built.err()).matches("gf: building .*\\n");
        assertThat(built.words()).endsWith("org.gridfarm.client.cli.Gf", "ls");
    }

    @Test
    void aSourceThatIsGoneIsAChangeToo() throws Exception {
        Files.delete(checkout.resolve("client/cli/src/main/java/Gf.java"));

        gf("ls");

        assertThat(temp.resolve("builds")).exists();
    }

    @Test
    void manyCallsAtOnceBuildOnce() throws Exception {
        script(maven, "echo built >>../builds; sleep 1; touch target/dist/stamp");
        Files.delete(checkout.resolve("target/dist/stamp"));
        List<Process> calls = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ProcessBuilder builder =
                    new ProcessBuilder("check out/gf", "ls")
                            .directory(temp.toFile())
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.environment().putAll(environment());
            calls.add(builder.start());
        }
        for (Process call : calls) {
            assertThat(call.waitFor()).isZero();
        }

        assertThat(Files.readAllLines(temp.resolve("builds"))).hasSize(1);
    }

    @Test
    void aBrokenBuildShowsItsErrorsAndWhereTheRestIs() throws Exception {
        script(maven, "echo '[INFO] noise'; echo '[ERROR] Gf.java:[1,7] no such symbol'; exit 1");
        Files.delete(checkout.resolve("target/dist/stamp"));

        Called called = gf("ls");

        assertThat(called.status()).isEqualTo(70);
        assertThat(called.err())
                .contains("[ERROR] Gf.java:[1,7] no such symbol", checkout + "/target/build.log")
                .doesNotContain("noise");
    }

    @Test
    void aMissingJdkIsNamed() throws Exception {
        Called called = gf(Map.of("GF_JAVA_HOME", "/nonexistent"), "ls");

        assertThat(called.status()).isEqualTo(69);
        assertThat(called.err())
                .matches(UNAVAILABLE_IN_ONE_LINE)
                .contains("GF_JAVA_HOME=/nonexistent", "25");
    }

    @Test
    void anOldJdkIsRefused() throws Exception {
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"17.0.15\"\n");

        Called called = gf("ls");

        assertThat(called.status()).isEqualTo(69);
        assertThat(called.err()).matches(UNAVAILABLE_IN_ONE_LINE).contains(jdk.toString());
    }

    @Test
    void aMissingMavenIsNamedWhereThereIsSomethingToBuild() throws Exception {
        Map<String, String> without = Map.of("GF_MVN", "/nonexistent/mvn");
        assertThat(gf(without, "ls").status()).isZero();

        Files.delete(checkout.resolve("target/dist/stamp"));
        Called called = gf(without, "ls");

        assertThat(called.status()).isEqualTo(69);
        assertThat(called.err())
                .matches(UNAVAILABLE_IN_ONE_LINE)
                .contains("GF_MVN=/nonexistent/mvn");
    }

    @Test
    void anInstallationNeedsNoSourcesAndNoMaven() throws Exception {
        Path prefix = temp.resolve("usr");
        Files.createDirectories(prefix.resolve("bin"));
        Files.createDirectories(prefix.resolve("lib/gridfarm"));
        Files.createFile(prefix.resolve("lib/gridfarm/gridfarm-cli.jar"));
        Files.copy(Checkout.root().resolve("gf"), prefix.resolve("bin/gf"));
        Map<String, String> environment = environment();
        environment.put("GF_MVN", "/nonexistent/mvn");

        Called called = Called.of(temp, environment, List.of(prefix + "/bin/gf", "df"));

        assertThat(called.status()).isZero();
        assertThat(called.words())
                .contains(prefix + "/lib/gridfarm/gridfarm-cli.jar")
                .endsWith("org.gridfarm.client.cli.Gf", "df");
    }

    @Test
    void theStatusOfTheCommandIsTheStatusOfTheLauncher() throws Exception {
        script(jdk.resolve("bin/java"), "exit 77");

        assertThat(gf("ls").status()).isEqualTo(77);
    }

    private Called gf(String... words) throws IOException, InterruptedException {
        return gf(Map.of(), words);
    }

    private Called gf(Map<String, String> more, String... words)
            throws IOException, InterruptedException {
        Map<String, String> environment = environment();
        environment.putAll(more);
        List<String> command = new ArrayList<>(List.of(checkout + "/gf"));
        command.addAll(List.of(words));
        return Called.of(Path.of("/"), environment, command);
    }

    private Map<String, String> environment() {
        return new HashMap<>(Map.of("GF_JAVA_HOME", jdk.toString(), "GF_MVN", maven.toString()));
    }

    private void write(String path, String content) throws IOException {
        Path file = checkout.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    private void age(Duration age, String... paths) throws IOException {
        for (String path : paths) {
            Files.setLastModifiedTime(
                    checkout.resolve(path), FileTime.from(Instant.now().minus(age)));
        }
    }

    private static void script(Path file, String body) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}

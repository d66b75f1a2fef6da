package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The sample of docs/java.md, built by Maven with nothing but the one artifact it depends on. */
class SampleProgramTest {
    private static final String VERSION = "0.1.0-SNAPSHOT";
    private static final int CLASS_FILE_OF_JAVA_17 = 61;

    private static TestFarm farm;

    @TempDir private static Path temporary;

    private static Path sample;
    private static Path repository;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        repository = temporary.resolve("repository");
        fill(repository);
        sample = temporary.resolve("sample");
        copyTree(Checkout.root().resolve("docs/examples/java"), sample);
    }

    @AfterAll
    static void cleanUp() {
        farm.gf("rm", "-r", "-f", "/wordcount", "/sample17", "/tour");
    }

    @Test
    void theSampleRunsAsTheDocumentSays() throws IOException {
        String said =
                farm.script(
                        """
                        cd '%s'; export GF_CONFIG='%s' JAVA_HOME='%s' MAVEN_OPTS=-Xmx256m
                        unset JAVA_TOOL_OPTIONS
                        mvn -o -B -q -Dmaven.repo.local='%s' compile exec:exec
                        """
                                .formatted(
                                        sample,
                                        farm.directory().resolve("client.toml"),
                                        System.getProperty("java.home"),
                                        repository));
        counted(said);
        assertThat(farm.gf("cat", "/wordcount/3.txt.count").strip()).isEqualTo("6000");
    }

    @Test
    void whatRunsOnJava25RunsOnJava17() throws IOException {
        Path java17 = JavaMachines.java17();
        counted(java(java17, "WordCount", "/sample17"));
    }

    @Test
    void thePublicApiDoesWhatItsJavadocSays() throws IOException {
        Path java25 = JavaMachines.own();
        assertThat(java(java25, "ApiTour", "/tour")).contains("the tour has ended");
    }

    private static void counted(String said) {
        assertThat(said.lines().filter(line -> line.contains(" words")))
                .hasSize(3)
                .allMatch(line -> line.matches(".*SUCCEEDED on n[1-3]: [246]000 words"));
    }

    /** Compiled by the JDK of these tests, for Java 17, against the artifact alone. */
    private static String java(Path java, String main, String directory) throws IOException {
        String classPath =
                built("gridfarm-client-" + VERSION + ".jar") + ":" + onClassPath("slf4j-api");
        Path program =
                main.equals("ApiTour")
                        ? Checkout.root().resolve("src/test/programs/ApiTour.java")
                        : sample.resolve("src/main/java").resolve(main + ".java");
        Path classes = Files.createTempDirectory(sample, "classes");
        return farm.script(
                """
                export GF_CONFIG='%s'; unset JAVA_TOOL_OPTIONS
                '%s/bin/javac' --release 17 -proc:none -cp '%s' -d '%s' '%s'
                '%s/bin/java' -Xmx256m -cp '%s:%s' %s %s
                """
                        .formatted(
                                farm.directory().resolve("client.toml"),
                                System.getProperty("java.home"),
                                classPath,
                                classes,
                                program,
                                java,
                                classPath,
                                classes,
                                main,
                                directory));
    }

    private static String onClassPath(String artifact) {
        return Stream.of(System.getProperty("java.class.path").split(":"))
                .filter(entry -> entry.contains("/" + artifact + "-"))
                .findFirst()
                .orElseThrow();
    }

    /** Nothing of Netty, protobuf and so on under the names that others use as well. */
    @Test
    void theArtifactHoldsNoNamesButOurs() throws IOException {
        try (JarFile jar = new JarFile(built("gridfarm-client-" + VERSION + ".jar").toFile())) {
            List<JarEntry> classes =
                    jar.stream().filter(entry -> entry.getName().endsWith(".class")).toList();
            assertThat(classes).hasSizeGreaterThan(1_000);
            assertThat(classes)
                    .extracting(JarEntry::getName)
                    .allMatch(name ->
                            name.replaceFirst("^META-INF/versions/[0-9]+/", "")
                                    .startsWith("org/gridfarm/"));
            assertThat(jar.stream().map(JarEntry::getName))
                    .filteredOn(name -> name.matches("META-INF/native/.+"))
                    .isNotEmpty()
                    .allMatch(name -> name.contains("org_gridfarm_client_shaded_netty"));
            for (JarEntry entry : classes) {
                if (!entry.getName().startsWith("META-INF/")) {
                    assertThat(version(jar, entry))
                            .as(entry.getName())
                            .isLessThanOrEqualTo(CLASS_FILE_OF_JAVA_17);
                }
            }
        }
    }

    private static int version(JarFile jar, JarEntry entry) throws IOException {
        try (DataInputStream in = new DataInputStream(jar.getInputStream(entry))) {
            in.readInt();
            in.readUnsignedShort();
            return in.readUnsignedShort();
        }
    }

    /** The user's, seen through links, and in it what {@code mvn install} would put there. */
    private static void fill(Path made) throws IOException {
        Path users = Path.of(System.getProperty("localRepository"));
        Path ours = made.resolve("org/gridfarm");
        Files.createDirectories(ours);
        link(users, made, "org");
        link(users.resolve("org"), made.resolve("org"), "gridfarm");
        put(ours, "gridfarm", "pom", Checkout.root().resolve("pom.xml"));
        put(ours, "gridfarm-client", "pom", built("gridfarm-client.pom"));
        put(ours, "gridfarm-client", "jar", built("gridfarm-client-" + VERSION + ".jar"));
    }

    private static void link(Path from, Path to, String except) throws IOException {
        try (Stream<Path> all = Files.list(from)) {
            for (Path one : all.toList()) {
                if (!one.getFileName().toString().equals(except)) {
                    Files.createSymbolicLink(to.resolve(one.getFileName()), one);
                }
            }
        }
    }

    private static void put(Path ours, String artifact, String type, Path file) throws IOException {
        Path folder = Files.createDirectories(ours.resolve(artifact).resolve(VERSION));
        Files.copy(file, folder.resolve(artifact + "-" + VERSION + "." + type));
    }

    private static Path built(String file) {
        return Checkout.root().resolve("client/java/target").resolve(file);
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path one : all.filter(path -> !path.startsWith(from.resolve("target"))).toList()) {
                Files.copy(one, to.resolve(from.relativize(one).toString()));
            }
        }
    }
}

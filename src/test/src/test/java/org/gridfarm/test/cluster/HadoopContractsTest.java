package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;

/**
 * Hadoop's contracts on a farm, in a process of their own that has Hadoop's class path and our
 * shaded jar alone: a sample in every build, all of them in campaigns.
 */
class HadoopContractsTest {
    private static final Path BUILT = Checkout.root().resolve("client/hadoop/target");
    private static final String JAR = "gridfarm-hadoop-0.1.0-SNAPSHOT.jar";

    private static final List<String> SAMPLE =
            List.of(
                    "FarmCases",
                    "Contracts$Create",
                    "Contracts$Delete",
                    "Contracts$Mkdir",
                    "Contracts$Open",
                    "Contracts$Rename",
                    "OlderContracts$ContextCreateMkdir");

    private static final List<String> ALL =
            List.of(
                    "FarmCases",
                    "Contracts$Append",
                    "Contracts$BulkDelete",
                    "Contracts$Concat",
                    "Contracts$ContentSummary",
                    "Contracts$CopyFromLocal",
                    "Contracts$Create",
                    "Contracts$Delete",
                    "Contracts$EnclosingRoot",
                    "Contracts$GetFileStatus",
                    "Contracts$Mkdir",
                    "Contracts$MultipartUpload",
                    "Contracts$Open",
                    "Contracts$PathHandle",
                    "Contracts$Rename",
                    "Contracts$RootDirectory",
                    "Contracts$Seek",
                    "Contracts$SetTimes",
                    "Contracts$StreamIOStatistics",
                    "Contracts$Unbuffer",
                    "Contracts$VectoredRead",
                    "OlderContracts$BaseContract",
                    "OlderContracts$ContextCreateMkdir",
                    "OlderContracts$ContextMainOperations",
                    "OlderContracts$ContextPermission",
                    "OlderContracts$ContextUri",
                    "OlderContracts$MainOperations",
                    "OlderContracts$Symlinks");

    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
    }

    @AfterAll
    static void cleanUp() {
        farm.gf("rm", "-r", "-f", "/hadoop", "/user");
    }

    @Test
    void theContractsHoldOnJava17() throws IOException {
        run(farm, JavaMachines.java17(), Tier.current() == Tier.GATE ? SAMPLE : ALL, false);
    }

    @Test
    void theContractsHoldOnJava25() throws IOException {
        campaign();
        run(farm, JavaMachines.own(), ALL, false);
    }

    /** These remove all that is in the farm. */
    @Test
    void theContractsOfTheRootHold() throws IOException {
        campaign();
        try (TestFarm own = TestFarm.startOfNodes()) {
            run(own, JavaMachines.own(), List.of("Contracts$RootDirectory"), true);
        } finally {
            farm = TestFarm.shared(); // it ended when that one began
        }
    }

    private static void campaign() {
        Assumptions.assumeTrue(
                Tier.current() == Tier.CAMPAIGN, "one machine and a sample will do in the gate");
    }

    /** Hadoop's client of WebHDFS with a gateway at that address. */
    static void webHdfs(TestFarm farm, String address) throws IOException {
        List<String> sample = List.of("WebHdfsCases", "WebHdfsContracts$Create");
        List<String> all = new ArrayList<>(sample);
        for (String name :
                "Append ContentSummary Delete GetFileStatus Mkdir Open Rename SetTimes"
                        .split(" ")) {
            all.add("WebHdfsContracts$" + name);
        }
        run(
                farm,
                JavaMachines.own(),
                Tier.current() == Tier.GATE ? sample : all,
                false,
                "/gateway/hadoop",
                "-Dgf.webhdfs=" + address);
    }

    private static void run(TestFarm farm, Path java, List<String> classes, boolean root)
            throws IOException {
        run(farm, java, classes, root, "/hadoop", "-Dgf.webhdfs=none");
    }

    private static void run(
            TestFarm farm,
            Path java,
            List<String> classes,
            boolean root,
            String directory,
            String property)
            throws IOException {
        Path work = Files.createDirectories(farm.directory().resolve("hadoop-contracts"));
        String classPath =
                BUILT.resolve(JAR)
                        + ":"
                        + BUILT.resolve("test-classes")
                        + ":"
                        + Files.readString(BUILT.resolve("contracts.classpath")).strip();
        List<String> command =
                new ArrayList<>(
                        List.of(
                                java.resolve("bin/java").toString(),
                                "-Xmx384m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-Dgf.contract.directory=" + directory,
                                property,
                                "-Dgf.contract.root=" + root,
                                "-Dtest.build.data=" + work,
                                "-Djava.io.tmpdir=" + work,
                                "-cp",
                                classPath,
                                "org.gridfarm.client.hadoop.contract.ContractRun"));
        command.addAll(classes);
        TestFarm.Result result = farm.run(command);
        System.out.println(result.output());
        assertThat(result.status()).as(result.output() + result.errors()).isZero();
        for (String one : classes) {
            assertThat(result.output()).contains(one + ": ");
        }
    }

    /** Nothing of Netty, protobuf or Hadoop under the names that others use as well. */
    @Test
    void theJarHoldsNoNamesButOurs() throws IOException {
        try (JarFile jar = new JarFile(BUILT.resolve(JAR).toFile())) {
            List<String> names =
                    jar.stream()
                            .map(entry ->
                                    entry.getName().replaceFirst("^META-INF/versions/[0-9]+/", ""))
                            .filter(name -> name.endsWith(".class"))
                            .toList();
            assertThat(names)
                    .hasSizeGreaterThan(1_000)
                    .allMatch(n -> n.startsWith("org/gridfarm/"));
            assertThat(names)
                    .contains("org/gridfarm/client/hadoop/GridfarmFileSystem.class")
                    .contains("org/gridfarm/client/Gridfarm.class");
            assertThat(jar.getEntry("META-INF/services/org.apache.hadoop.fs.FileSystem"))
                    .isNotNull();
            assertThat(jar.getEntry("META-INF/services/java.nio.file.spi.FileSystemProvider"))
                    .isNotNull();
        }
    }
}

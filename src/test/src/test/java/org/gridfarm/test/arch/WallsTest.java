package org.gridfarm.test.arch;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.gridfarm.test.arch.House.CLASSES;
import static org.gridfarm.test.arch.House.CLIENT;
import static org.gridfarm.test.arch.House.CLIENT_CLI;
import static org.gridfarm.test.arch.House.CLIENT_CORE;
import static org.gridfarm.test.arch.House.CLIENT_MOUNT;
import static org.gridfarm.test.arch.House.FARM_ON_ONE_MACHINE;
import static org.gridfarm.test.arch.House.METASERVER;
import static org.gridfarm.test.arch.House.NAMESPACE;
import static org.gridfarm.test.arch.House.PROTOCOL;
import static org.gridfarm.test.arch.House.PURE;
import static org.gridfarm.test.arch.House.SCHEDULER;
import static org.gridfarm.test.arch.House.STORAGE_NODE;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaPackage;

import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;

@Tag("quick")
class WallsTest {
    @Test
    void everyComponentIsSeen() {
        // Otherwise every rule below would hold for want of classes.
        Stream.of(
                        "protocol",
                        "namespace",
                        "metaserver",
                        "storagenode",
                        "client.core",
                        "client.mount",
                        "client.cli",
                        "scheduler")
                .map(component -> "org.gridfarm." + component)
                .forEach(name -> assertThat(CLASSES.containPackage(name)).as(name).isTrue());
    }

    /** Nor may a rule name a room that is not there: it would forbid nothing. */
    @Test
    void everyRoomThatARuleNamesIsThere() throws IOException {
        Pattern room = Pattern.compile("\"(org\\.gridfarm\\.[a-z0-9.]*[a-z0-9])\\.\\.\"");
        Path rules = Checkout.root().resolve("src/test/src/test/java/org/gridfarm/test/arch");
        List<String> named = new ArrayList<>();
        try (Stream<Path> files = Files.list(rules)) {
            for (Path file : files.toList()) {
                room.matcher(Files.readString(file)).results().forEach(r -> named.add(r.group(1)));
            }
        }
        assertThat(named).hasSizeGreaterThan(PURE.length);
        assertThat(named).allMatch(CLASSES::containPackage);
    }

    @Test
    void protocolKnowsNoComponent() {
        noClasses()
                .that()
                .resideInAPackage(PROTOCOL)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(NAMESPACE, METASERVER, STORAGE_NODE, SCHEDULER, CLIENT)
                .check(CLASSES);
    }

    /** The leader decides by its rules, and a mount may do the same for what it alone works in. */
    @Test
    void theRulesOfTheNamespaceKnowProtocolAlone() {
        noClasses()
                .that()
                .resideInAPackage(NAMESPACE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(METASERVER, STORAGE_NODE, SCHEDULER, CLIENT)
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackages(NAMESPACE, METASERVER, CLIENT_MOUNT)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(NAMESPACE)
                .check(CLASSES);
    }

    @Test
    void metaserverAndStorageNodeKnowNeitherEachOtherNorClients() {
        noClasses()
                .that()
                .resideInAPackage(METASERVER)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(STORAGE_NODE, SCHEDULER, CLIENT)
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage(STORAGE_NODE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(METASERVER, SCHEDULER, CLIENT)
                .check(CLASSES);
    }

    @Test
    void schedulerKnowsTheClientLibraryAndNoServer() {
        noClasses()
                .that()
                .resideInAPackage(SCHEDULER)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(METASERVER, STORAGE_NODE, CLIENT_MOUNT, CLIENT_CLI)
                .check(CLASSES);
    }

    @Test
    void clientsKnowNoServer() {
        noClasses()
                .that()
                .resideInAPackage(CLIENT)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(METASERVER, STORAGE_NODE, SCHEDULER)
                .check(CLASSES);
    }

    @Test
    void clientLibraryKnowsNeitherMountNorCommandLine() {
        noClasses()
                .that()
                .resideInAPackage(CLIENT_CORE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(CLIENT_MOUNT, CLIENT_CLI)
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage(CLIENT_MOUNT)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(CLIENT_CLI)
                .check(CLASSES);
    }

    @Test
    void onlyPostgresRoomsSpeakSql() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "org.gridfarm.protocol.database..",
                        "org.gridfarm.metaserver.postgres..",
                        "org.gridfarm.scheduler.queue..",
                        "org.gridfarm.client.cli.bench.postgres..",
                        FARM_ON_ONE_MACHINE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "java.sql..",
                        "javax.sql..",
                        "org.postgresql..",
                        "com.zaxxer.hikari..",
                        "org.flywaydb..")
                .check(CLASSES);
    }

    @Test
    void onlyZookeeperRoomsSpeakZooKeeper() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "org.gridfarm.metaserver.zookeeper..",
                        "org.gridfarm.scheduler.zookeeper..",
                        FARM_ON_ONE_MACHINE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.zookeeper..", "org.apache.curator..")
                .check(CLASSES);
    }

    @Test
    void onlyLinuxRoomsCallNativeCode() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "org.gridfarm.client.mount.fuse.linux..",
                        "org.gridfarm.storagenode.disk.linux..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.lang.foreign..")
                .check(CLASSES);
    }

    @Test
    void onlyMainsWireAdaptors() {
        noClasses()
                .that()
                .haveNameNotMatching(".*Main(\\$.*)?")
                .and()
                .resideOutsideOfPackages(
                        "org.gridfarm.metaserver.postgres..", "org.gridfarm.metaserver.zookeeper..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.gridfarm.metaserver.postgres..", "org.gridfarm.metaserver.zookeeper..")
                .check(CLASSES);
        noClasses()
                .that()
                .haveNameNotMatching(".*Main(\\$.*)?")
                .and()
                .resideOutsideOfPackage("org.gridfarm.scheduler.zookeeper..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.gridfarm.scheduler.zookeeper..")
                .check(CLASSES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "protocol",
                "metaserver",
                "storagenode",
                "scheduler",
                "client.core",
                "client.mount",
                "client.cli"
            })
    void roomsFormNoCycles(String component) {
        slices().matching("org.gridfarm." + component + ".(**)")
                .should()
                .beFreeOfCycles()
                .check(CLASSES);
    }

    /** The one table of the rooms of a running metaserver: who may know which. */
    @Test
    void roomsOfTheMetaserverKnowEachOtherOneWay() {
        String server = "org.gridfarm.metaserver.server";
        layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage(server + "..")
                .layer("server")
                .definedBy(server)
                .layer("admin")
                .definedBy(server + ".admin..")
                .layer("sessions")
                .definedBy(server + ".sessions..")
                .layer("files")
                .definedBy(server + ".files..")
                .layer("nodes")
                .definedBy(server + ".nodes..")
                .layer("state")
                .definedBy(server + ".state..")
                .whereLayer("admin")
                .mayOnlyAccessLayers("sessions", "files", "nodes", "state")
                .whereLayer("sessions")
                .mayOnlyAccessLayers("state")
                .whereLayer("files")
                .mayOnlyAccessLayers("nodes", "state")
                .whereLayer("nodes")
                .mayOnlyAccessLayers("state")
                .whereLayer("state")
                .mayNotAccessAnyLayer()
                .check(CLASSES);
        // A room that the table above leaves out could know anybody.
        assertThat(CLASSES.getPackage(server).getSubpackages())
                .extracting(JavaPackage::getRelativeName)
                .containsExactlyInAnyOrder("admin", "sessions", "files", "nodes", "state");
    }

    /** The first is what others see; each of the others knows those before it alone. */
    private static final List<String> CONTENTS =
            Stream.of(
                            "",
                            ".node",
                            ".known",
                            ".grant",
                            ".sending",
                            ".chain",
                            ".local",
                            ".idle",
                            ".file",
                            ".client")
                    .map(room -> "org.gridfarm.client.core.transfer" + room)
                    .toList();

    @Test
    void roomsOfFileContentsKnowThoseBeneathThemAlone() {
        assertThat(CONTENTS).allMatch(CLASSES::containPackage);
        for (int room = 0; room < CONTENTS.size() - 1; room++) {
            noClasses()
                    .that()
                    .resideInAPackage(CONTENTS.get(room))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(
                            CONTENTS.subList(room + 1, CONTENTS.size()).toArray(String[]::new))
                    .check(CLASSES);
        }
    }

    @Test
    void othersSeeOfFileContentsTheDoorAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackages("org.gridfarm.client.core", CONTENTS.getFirst() + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(CONTENTS.subList(1, CONTENTS.size()).toArray(String[]::new))
                .check(CLASSES);
    }

    /** Else a simulation could not run it in virtual time. */
    @Test
    void theMetaserverIsGivenItsTime() {
        noClasses()
                .that()
                .resideInAPackage(METASERVER)
                .should()
                .accessTargetWhere(
                        reads(System.class, "nanoTime")
                                .or(reads(System.class, "currentTimeMillis"))
                                .or(reads(Instant.class, "now")))
                .check(CLASSES);
    }

    /** By a call or as a method reference. */
    private static DescribedPredicate<JavaAccess<?>> reads(Class<?> clock, String method) {
        return DescribedPredicate.describe(
                clock.getSimpleName() + "." + method,
                access ->
                        access.getTarget().getOwner().isEquivalentTo(clock)
                                && access.getTarget().getName().equals(method));
    }

    @Test
    void classesAreNamedByWhatTheyAre() {
        // TLS has its own words for those who hold keys and trust.
        classes()
                .that()
                .areNotAssignableTo(TrustManager.class)
                .and()
                .areNotAssignableTo(KeyManager.class)
                .should()
                .haveNameNotMatching(".*(Util|Utils|Helper|Helpers|Manager|Impl|Base)")
                .check(CLASSES);
    }
}

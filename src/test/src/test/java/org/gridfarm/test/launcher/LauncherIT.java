package org.gridfarm.test.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.gridfarm.client.cli.cluster.Jvm;
import org.gridfarm.client.cli.cluster.Mounts;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;

/** The launcher with the JDK of this machine and what the build has just made. */
class LauncherIT {
    private static final Map<String, String> AS_BUILT = Map.of("GF_BUILD", "never");

    @Test
    void theBuildLeavesSomethingThatRuns(@TempDir Path elsewhere) throws Exception {
        Called called = Called.of(elsewhere, AS_BUILT, List.of(Checkout.root() + "/gf", "--help"));

        assertThat(called.err()).isEmpty();
        assertThat(called.status()).isZero();
        assertThat(called.out()).contains("Usage: gf");
    }

    @Test
    void aWrongCommandIsAUsageError(@TempDir Path elsewhere) throws Exception {
        Called called =
                Called.of(elsewhere, AS_BUILT, List.of(Checkout.root() + "/gf", "nonsense"));

        assertThat(called.status()).isEqualTo(64);
        assertThat(called.err()).startsWith("gf: ").contains("nonsense");
    }

    @Test
    void theBuildTrainsTheStartUpCache() {
        assertThat(Checkout.root().resolve("target/dist/gf.aot")).isNotEmptyFile();
    }

    /**
     * Start-up caches cannot have such packages where the place is gone at which they were made.
     */
    @Test
    void noJarSealsItsPackages() throws Exception {
        try (Stream<Path> jars = Files.list(Checkout.root().resolve("target/dist/lib"))) {
            for (Path path : jars.filter(p -> p.toString().endsWith(".jar")).toList()) {
                try (JarFile jar = new JarFile(path.toFile())) {
                    Manifest manifest = jar.getManifest();
                    if (manifest == null) continue;
                    assertThat(manifest.getMainAttributes().getValue(Attributes.Name.SEALED))
                            .as("%s", path)
                            .isNotEqualToIgnoringCase("true");
                }
            }
        }
    }

    @Test
    void theBuildTrainsTheDaemons() {
        assumeThat(System.getenv("GF_REHEARSAL")).isNotEqualTo("no");
        for (String kind : Jvm.DAEMONS) {
            if (kind.endsWith("MountMain") && !Mounts.obstacle().isEmpty()) continue;
            assertThat(Checkout.root().resolve("target/dist/lib"))
                    .isDirectoryContaining("glob:**" + Jvm.simpleName(kind) + "-*.aot");
        }
    }

    @Test
    void theInstallerMakesAPlaceOfItsOwn(@TempDir Path temp) throws Exception {
        Path prefix = temp.resolve("prefix");
        Called installed =
                Called.of(
                        temp,
                        AS_BUILT,
                        List.of(
                                Checkout.root() + "/deploy/install",
                                "--prefix",
                                prefix.toString(),
                                "--etc",
                                temp + "/etc"));
        assertThat(installed.err()).isEmpty();
        assertThat(installed.status()).isZero();

        Called called = Called.of(temp, Map.of(), List.of(prefix + "/bin/gf", "--help"));

        assertThat(called.err()).isEmpty();
        assertThat(called.status()).isZero();
        assertThat(called.out()).contains("Usage: gf");
        assertThat(prefix.resolve("lib/gridfarm/gf.aot")).isNotEmptyFile();
        assertThat(started(prefix))
                .contains("source: shared objects file")
                .doesNotContain("source: file:");
        assertThat(temp.resolve("etc/metaserver.toml")).exists();
        assertThat(temp.resolve("etc/grid-mapfile")).exists();
        assertThat(prefix.resolve("lib/sysusers.d/gridfarm.conf")).exists();
        assertThat(prefix.resolve("sbin/mount.gf")).isExecutable();
        assertThat(prefix.resolve("sbin/mount.fuse.gf")).isExecutable();
    }

    /** Where it took its classes from. */
    private static String started(Path prefix) throws Exception {
        Called called =
                Called.of(
                        prefix,
                        Map.of("GF_JAVA_OPTS", "-Xlog:class+load"),
                        List.of(prefix + "/bin/gf", "--help"));
        return called.out();
    }
}

package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.cli.gateway.Gateway;
import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.rpc.HostPort;
import org.gridfarm.test.tidy.Checkout;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The package for Python, by its own tests, over the mount and over a gateway. */
class PythonPackageTest {
    private static final Path PACKAGE = Checkout.root().resolve("client/python");
    private static final String WHERE = "/python";
    private static final String SAMPLE = "-k 'Open or Pipe or file_to'";

    private static TestFarm farm;
    private static Gateway gateway;

    @BeforeAll
    static void start() throws IOException {
        Programs.needPython("fsspec", "pytest");
        farm = TestFarm.shared();
        farm.directory(WHERE, 1);
        gateway =
                Gateway.start(
                        ClientConfig.read(farm.directory().resolve("client.toml")),
                        new Gateway.Settings(
                                new HostPort("127.0.0.1", 0),
                                Optional.empty(),
                                Optional.empty(),
                                Set.of(),
                                true,
                                Optional.empty(),
                                Optional.empty()));
    }

    @AfterAll
    static void stop() {
        if (gateway != null) gateway.close();
        if (farm != null) farm.client().deleteRecursively(FarmPath.of(WHERE));
    }

    private static String pytest(String... words) {
        String variables =
                "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='%s' GF_TEST_MOUNT='%s' GF_TEST_GATEWAY='%s' GF_TEST_DIRECTORY='%s' GF_TEST_TIER='%s'"
                        .formatted(
                                PACKAGE.resolve("src"),
                                farm.mount(),
                                gateway.url(),
                                WHERE,
                                Tier.current().name().toLowerCase(Locale.ROOT));
        return farm.sh(
                "cd '%s' && %s python3 -m pytest -q -rs -p no:cacheprovider %s"
                        .formatted(PACKAGE, variables, String.join(" ", words)));
    }

    @Test
    void filesAreReadAndWrittenOverMountAndGateway() {
        assertThat(pytest("tests/test_files.py tests/test_bearer.py"))
                .contains(" passed")
                .doesNotContain("skipped");
    }

    @Test
    void fsspecsOwnTestsHold() {
        boolean all = Tier.current() == Tier.CAMPAIGN; // some hundred, which differ little
        assertThat(pytest("tests/test_abstract.py", all ? "" : SAMPLE)).contains(" passed");
    }

    @Test
    void pandasArrowAndZarrWorkOnIt() throws IOException {
        Programs.needPython("pandas", "pyarrow", "zarr");
        assertThat(pytest("tests/test_libraries.py")).contains(" passed").doesNotContain("skipped");
    }

    /** Installed from the wheel, fsspec finds it by itself. */
    @Test
    void aWheelIsBuiltAndFound() throws IOException {
        Programs.needPython("setuptools", "wheel", "pip");
        Path built = Files.createDirectories(farm.directory().resolve("python-dist"));
        String said = farm.sh("'%s' '%s'".formatted(PACKAGE.resolve("build"), built));
        List<String> files;
        try (var made = Files.list(built)) {
            files = made.map(file -> file.getFileName().toString()).sorted().toList();
        }
        assertThat(files)
                .as(said)
                .anyMatch(f -> f.endsWith(".whl"))
                .anyMatch(f -> f.endsWith(".tar.gz"));
        String wheel = files.stream().filter(f -> f.endsWith(".whl")).findFirst().orElseThrow();
        assertThat(
                        farm.sh(
                                """
                                cd '%1$s' && python3 -m pip install -q --no-deps --no-index --target site '%2$s' 2>/dev/null
                                PYTHONPATH=site python3 -c '
                                import fsspec
                                print(fsspec.filesystem("gf", mount="%3$s").ls("/", detail=False))'
                                """
                                        .formatted(built, wheel, farm.mount())))
                .contains("'" + WHERE + "'");
    }
}

package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The POSIX cases of pjdfstest on the farm's mount, where the program is installed ({@code cargo
 * install pjdfstest}; on PATH or named by {@code gf.pjdfstest}) and the tests run as root.
 */
class PjdfstestTest {
    private static final int CASES_MIN = 350; // fewer were run: then it has not looked
    private static final Pattern FAILED = Pattern.compile("(?m)^(\\S+)\\s+FAILED");
    private static final Pattern SUMMARY = Pattern.compile("Summary: .*?(\\d+) passed");

    @Test
    void theMountFailsNoCaseButTheKnownOnes() throws IOException {
        Optional<Path> program = program();
        Assumptions.assumeTrue(program.isPresent(), "pjdfstest is not installed");
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        try (TestFarm farm = TestFarm.shared()) {
            Path config = farm.directory().resolve("pjdfstest.toml");
            Files.writeString(config, resource("pjdfstest.toml"));
            Path place = Files.createDirectory(farm.mount().resolve("posix"));
            // Cases of other users must reach it.
            farm.sh("chmod 711 " + farm.directory() + " && chmod 777 " + place);
            TestFarm.Result result =
                    farm.run(
                            Stream.of(program.get(), "-c", config, "-p", place)
                                    .map(Object::toString)
                                    .toList());
            Matcher summary = SUMMARY.matcher(result.output());
            assertThat(summary.find()).as(result.output() + result.errors()).isTrue();
            assertThat(Integer.parseInt(summary.group(1))).isGreaterThan(CASES_MIN);
            assertThat(failed(result.output())).as(result.output()).isSubsetOf(known());
        }
    }

    private static Set<String> failed(String output) {
        return FAILED.matcher(output)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> known() throws IOException {
        return resource("pjdfstest-known-failures.txt")
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> line.split(" ", 2)[0])
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = PjdfstestTest.class.getResourceAsStream("/posix/" + name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Optional<Path> program() {
        String named = System.getProperty("gf.pjdfstest", "");
        Stream<Path> places =
                named.isEmpty()
                        ? Stream.of(System.getenv("PATH").split(":"))
                                .map(folder -> Path.of(folder, "pjdfstest"))
                        : Stream.of(Path.of(named));
        return places.filter(Files::isExecutable).findFirst();
    }
}

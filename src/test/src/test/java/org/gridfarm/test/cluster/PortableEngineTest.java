package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** {@code gf mount --engine=jnr}: the same farm through libfuse 2. */
class PortableEngineTest {
    private static final String CALLS =
            """
            set -e
            cd "$1"
            mkdir d && cp -r "$2" d/copy && diff -r "$2" d/copy
            mv d/copy d/moved && ln -s moved d/link && diff -r "$2" d/link/
            echo one >f && ln f g && echo two >>g && test "$(cat f)" = "one
            two" && test "$(stat -c %h f)" = 2
            truncate -s 3 f && test "$(cat g)" = one
            chmod 640 f && test "$(stat -c %a g)" = 640
            setfattr -n user.note -v hello f && test "$(getfattr --only-values -n user.note g)" = hello
            dd if=/dev/urandom of=big bs=1M count=20 status=none && cmp big big
            rm -r d g && test "$(echo *)" = 'big f'
            ! rmdir f 2>/dev/null && ! cat gone 2>/dev/null
            """;

    @Test
    void programsWorkThroughItAndOthersSeeWhatTheyDid() throws IOException {
        assumeTrue(
                Stream.of("/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu")
                        .anyMatch(folder -> Files.exists(Path.of(folder, "libfuse.so.2"))),
                "no libfuse.so.2 (package libfuse2)");
        Programs.need("setfattr");
        try (TestFarm farm = TestFarm.shared()) {
            Path portable = Files.createDirectory(farm.directory().resolve("portable"));
            farm.gf("mount", "--engine=jnr", portable.toString());
            try {
                Path calls = Files.writeString(farm.directory().resolve("calls.sh"), CALLS);
                farm.gf("mkdir", "/p");
                farm.sh(
                        "bash %s %s %s"
                                .formatted(
                                        calls,
                                        portable.resolve("p"),
                                        Path.of(System.getProperty("java.home"), "conf")));
                assertThat(farm.mount().resolve("p/big"))
                        .hasSameBinaryContentAs(portable.resolve("p/big"));
                Files.writeString(farm.mount().resolve("p/f"), "from elsewhere");
                assertThat(portable.resolve("p/f")).hasContent("from elsewhere");
                assertThat(farm.tryGf("mount", "--upgrade", portable.toString()).errors())
                        .contains("no supervised mount");
            } finally {
                farm.gf("umount", portable.toString());
            }
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            farm.sh("pgrep -f -- '--engine jnr .*%s$' || :".formatted(portable))
                                    .isBlank());
            assertThat(farm.tryGf("mount", "--engine=ext4", portable.toString()).status())
                    .isEqualTo(64);
        }
    }
}

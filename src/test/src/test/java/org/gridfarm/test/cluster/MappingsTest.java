package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What is written through mappings, of which no call tells, is in every copy and seen everywhere.
 */
class MappingsTest {
    /** Less than the half minute after which a writer who has told nothing is missed. */
    private static final Duration SUMMED_MAX = Duration.ofSeconds(25);

    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        Programs.needPython("mmap");
        Programs.needPython("ctypes");
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    @Test
    void mappedWritersOnTwoMountsKeepEachOthersPages() throws IOException {
        Programs.needPython("mmap");
        Path program = Files.writeString(farm.directory().resolve("mapped.py"), MAPPED);
        Path file = farm.mount().resolve("mapped");
        farm.sh("truncate -s 1M " + file);
        farm.sh(
                "python3 %1$s %2$s 0 & p=$!; python3 %1$s %3$s 1 && wait $p"
                        .formatted(program, file, farm.mountOf("n2").resolve("mapped")));
        byte[] content = Files.readAllBytes(farm.mountOf("n3").resolve("mapped"));
        for (int page = 0; page < content.length / 4096; page++) {
            assertThat(content[page * 4096 + 17])
                    .as("page " + page)
                    .isEqualTo((byte) (1 + page % 2));
        }
    }

    private static final String MAPPED =
            """
            import mmap, os, sys
            who = int(sys.argv[2])
            f = os.open(sys.argv[1], os.O_RDWR)
            with mmap.mmap(f, 0) as m:
                for page in range(who, len(m) // 4096, 2):
                    m[page * 4096:(page + 1) * 4096] = bytes([1 + who]) * 4096
                    if page % 16 == who:
                        m.flush(page * 4096, 4096)
                m.flush()
            os.fsync(f)
            os.close(f)
            """;

    /**
     * The kernel then serves the reader from the replica, and gives the mapping to that as well.
     */
    @ParameterizedTest(name = "level {0}, {1}, opened elsewhere: {2}")
    @CsvSource({
        "1,plain,false",
        "1,reader-leaves,false",
        "1,closed-before,false",
        "1,written-too,false",
        "2,plain,false",
        "2,written-too,false",
        "1,plain,true",
        "3,plain,true",
        "3,closed-before,true",
        "3,written-too,true",
        "3,reader-leaves,true",
        "3,interleaved,true"
    })
    void aMappingBesideAReaderIsInEveryCopy(int level, String how, boolean elsewhere)
            throws IOException {
        String name = "beside-" + level + how + elsewhere;
        String path = name + "/f";
        farm.directory("/" + name, level);
        if (level == 3) put(path); // closed for sure: the next who writes heads its chain
        String other = elsewhere ? farm.mountOf("n2").resolve(path).toString() : "";
        farm.sh(
                "python3 %s %s %s %s"
                        .formatted(
                                farm.program("mapped.py"), farm.mount().resolve(path), how, other));
        byte[] expected = "a".repeat(300_000).getBytes(StandardCharsets.US_ASCII);
        put(expected, 0, "first");
        put(expected, 200_000, "later");
        if (how.equals("written-too")) put(expected, 100_000, "between");
        if (elsewhere) put(expected, 150_000, "elsewhere");
        if (how.equals("interleaved")) put(expected, 50_000, "m2".repeat(2_000));
        await().atMost(SUMMED_MAX).until(() -> farm.hasSum("/" + path));
        assertThat(farm.mountOf("n3").resolve(path)).hasBinaryContent(expected);
        assertThat(farm.mount().resolve(path)).hasBinaryContent(expected);
        farm.requireVerified("/" + path);
    }

    /** The next process of the mount does not know that another node heads the chain. */
    @Test
    void aMappingBesideAReaderSurvivesTheMountsProcess() throws Exception {
        farm.directory("/survives", 3);
        put("survives/f");
        Process mapping = mapping("survives/f", "waits");
        try (Writer orders = mapping.outputWriter();
                BufferedReader steps = mapping.inputReader()) {
            assertThat(steps.readLine()).isEqualTo("stored");
            farm.mountServer().destroyForcibly();
            orders.write("go on\n");
        }
        assertThat(mapping.waitFor()).isZero();
        byte[] expected = "a".repeat(300_000).getBytes(StandardCharsets.US_ASCII);
        put(expected, 0, "first");
        put(expected, 200_000, "later");
        put(expected, 150_000, "elsewhere");
        await().atMost(SUMMED_MAX).until(() -> farm.hasSum("/survives/f"));
        assertThat(farm.mountOf("n3").resolve("survives/f")).hasBinaryContent(expected);
        farm.requireVerified("/survives/f");
    }

    /**
     * Another machine goes on writing to the nodes that are left: which of the bytes here are newer
     * cannot be told then, and a loss that nobody hears of is the worst.
     */
    @ParameterizedTest
    @ValueSource(strings = {"waits", "waits-first", "waits-then-writes"})
    void whoMappedBesideAnotherWriterHearsThatItsNodeIsGone(String how) throws Exception {
        String path = "gone-" + how + "/f";
        farm.directory("/gone-" + how, 2);
        farm.gf("node", "readonly", "n3"); // so that the copies are at n1 and n2, and stay there
        try {
            farm.awaitNodes();
            put(path);
            awaitNamed(path);
            Path elsewhere = farm.mountOf("n2").resolve(path);
            Process mapping = mapping(path, how);
            try (Writer orders = mapping.outputWriter();
                    BufferedReader steps = mapping.inputReader()) {
                assertThat(steps.readLine()).isEqualTo("stored");
                farm.kill("n1", "KILL");
                farm.sh(
                        "printf more | dd of=%s bs=1 seek=99 conv=notrunc,fsync"
                                .formatted(elsewhere));
                orders.write("go on\n");
            }
            int fsync = mapping.waitFor();
            String there = Files.readString(elsewhere);
            assertThat(fsync).as("EIO; there is " + there.substring(0, 110)).isEqualTo(5);
            assertThat(there).startsWith("a".repeat(99) + "more").contains("elsewhere");
        } finally {
            farm.restart("n1");
            farm.gf("node", "readwrite", "n3");
        }
    }

    /**
     * Until the node that has just started names its file to the mount in time. Else the kernel
     * would keep what is stored, and give it to the mount, which sends it to the nodes that are
     * left: then nothing is lost.
     */
    private static void awaitNamed(String path) {
        Path objects = farm.directory().resolve("n1/data/objects");
        await().atMost(SUMMED_MAX)
                .until(() -> {
                    try (InputStream reader = Files.newInputStream(farm.mount().resolve(path))) {
                        assertThat(reader.read()).isEqualTo('a');
                        return Descriptors.leadInto(objects, farm.mountServer());
                    }
                });
    }

    /** Of mapped.py, which waits after it has said what it stored. */
    private static Process mapping(String path, String how) throws IOException {
        return new ProcessBuilder(
                        "python3",
                        farm.program("mapped.py"),
                        farm.mount().resolve(path).toString(),
                        how,
                        farm.mountOf("n2").resolve(path).toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static void put(String path) throws IOException {
        Path file = Files.writeString(farm.directory().resolve("content"), "a".repeat(300_000));
        farm.gf("put", file.toString(), "gf:/" + path);
    }

    private static void put(byte[] content, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, content, at, bytes.length);
    }

    /**
     * close(2) has made the chain agree by then, and what follows comes without a call: the file
     * stays open at the servers as long as it is mapped, and no longer.
     */
    @Test
    void whatIsWrittenThroughAMappingAfterTheLastCloseIsSeenElsewhere() throws IOException {
        Programs.needPython("ctypes");
        Path program = Files.writeString(farm.directory().resolve("late.py"), MAPPED_LATE);
        Path folder = Files.createDirectory(farm.mount().resolve("late"));
        Path there = farm.mountOf("n2").resolve("late");
        farm.gf("setrep", "2", "/late");
        Process mapping =
                new ProcessBuilder("python3", program.toString(), folder.toString(), "30").start();
        try (Writer orders = mapping.outputWriter();
                BufferedReader steps = mapping.inputReader()) {
            assertThat(steps.readLine()).isEqualTo("closed");
            orders.write("write\n");
            orders.flush();
            assertThat(steps.readLine()).isEqualTo("written");
            assertThat(contents(there, 30)).allMatch("b".repeat(5000)::equals);
            assertThat(farm.tryGf("sum", "/late/f0").errors()).contains("open for writing");
        }
        await().atMost(SUMMED_MAX).until(() -> farm.hasSum("/late/f0"));
        assertThat(contents(there, 30)).allMatch("c".repeat(5000)::equals);
        assertThat(contents(farm.mountOf("n3").resolve("late"), 30))
                .allMatch("c".repeat(5000)::equals);
        assertThat(farm.gf("sum", "--verify", "/late/f0", "/late/f29")).isNotEmpty();
    }

    private static List<String> contents(Path folder, int count) throws IOException {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(Files.readString(folder.resolve("f" + i)));
        }
        return all;
    }

    private static final String MAPPED_LATE =
            """
            import ctypes, mmap, os, sys
            libc = ctypes.CDLL(None, use_errno=True)
            libc.mmap.restype = ctypes.c_void_p
            mapped = []
            for i in range(int(sys.argv[2])):
                f = os.open(sys.argv[1] + "/f%d" % i, os.O_RDWR | os.O_CREAT | os.O_EXCL)
                os.write(f, b"a" * 5000)
                # Python's own mapping keeps a descriptor, whose close(2) would be the last.
                mapped.append(libc.mmap(None, ctypes.c_size_t(5000), mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, f, ctypes.c_long(0)))
                os.close(f)
            print("closed", flush=True)
            sys.stdin.readline()
            for at in mapped:
                ctypes.memset(at, ord("b"), 5000)
            print("written", flush=True)
            sys.stdin.readline()
            for at in mapped:
                ctypes.memset(at, ord("c"), 5000)
            """;
}

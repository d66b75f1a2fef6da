package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.gridfarm.campaign.Tier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a program may expect of a local disk, tried on the mounts of a farm: random calls beside the
 * same calls on the local disk, locks from two mounts, a build, and the tests that Lucene has for
 * file systems.
 */
class LocalDiskHabitsTest {
    private static final int EXAMPLES = Tier.count("differential.examples");

    /** What one seed passes another may find: a campaign tries others. */
    private static final long SEED = Tier.seed(20261124);

    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.sh("chmod 755 " + farm.directory()); // other users are tried as well
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    @Test
    void randomCallsGiveWhatTheLocalDiskGives() throws IOException {
        compare(farm.mount().toString(), EXAMPLES);
    }

    /** Open files cut, appended to, mapped, duplicated and renamed: what any other call dilutes. */
    @Test
    void randomCallsOnContentsGiveWhatTheLocalDiskGives() throws IOException {
        compare(farm.mount().toString(), EXAMPLES, "--contents");
    }

    @Test
    void randomCallsOnContentsThroughTwoMountsGiveWhatTheLocalDiskGives() throws IOException {
        String mounts = farm.mount() + "," + farm.mountOf("n2");
        compare(mounts, EXAMPLES / 2, "--contents");
    }

    @Test
    void randomCallsThroughThreeMountsGiveWhatTheLocalDiskGives() throws IOException {
        String mounts =
                List.of("n1", "n2", "n3").stream()
                        .map(node -> farm.mountOf(node).toString())
                        .collect(Collectors.joining(","));
        compare(mounts, EXAMPLES / 2);
    }

    @Test
    void randomCallsOnOneFileThroughTwoMountsGiveWhatAModelGives() throws IOException {
        Programs.need("python3");
        int operations = Tier.count("interleaved.operations");
        Path directory = farm.mount().resolve("interleaved");
        farm.sh("mkdir " + directory);
        farm.gf("setrep", "2", "/interleaved");
        TestFarm.Result result =
                farm.run(
                        List.of(
                                "python3",
                                farm.program("interleaved.py"),
                                directory.resolve("f")
                                        + ","
                                        + farm.mountOf("n2").resolve("interleaved/f"),
                                "--operations",
                                Integer.toString(operations),
                                "--seed",
                                Long.toString(SEED)));
        assertThat(result.status()).as(result.output() + result.errors()).isZero();
        assertThat(result.output()).contains(operations + " operations");
    }

    /** The kernel keeps listings: a change through another mount takes them back. */
    @Test
    void aListingTellsWhatIsThereWhoeverMadeIt() throws IOException {
        Programs.need("python3");
        int rounds = Tier.count("listed.rounds");
        for (String other : List.of("n1", "n2")) {
            String name = "listed-" + other;
            TestFarm.Result result =
                    farm.run(
                            List.of(
                                    "python3",
                                    farm.program("listed.py"),
                                    farm.mount().resolve(name).toString(),
                                    farm.mountOf(other).resolve(name).toString(),
                                    "--rounds",
                                    Integer.toString(rounds),
                                    "--seed",
                                    Long.toString(SEED)));
            assertThat(result.status()).as(result.output() + result.errors()).isZero();
            assertThat(result.output()).contains(rounds + " rounds");
        }
    }

    private static void compare(String mounts, int examples, String... more) throws IOException {
        Programs.needPython("hypothesis", "xattr");
        Path local = Files.createTempDirectory("gf-local-");
        try {
            farm.sh("chmod 755 " + local); // other users are tried as well
            List<String> command =
                    new ArrayList<>(
                            List.of(
                                    "python3",
                                    farm.program("differential.py"),
                                    local.toString(),
                                    mounts,
                                    "--examples",
                                    Integer.toString(examples),
                                    "--seed",
                                    Long.toString(SEED)));
            command.addAll(List.of(more));
            TestFarm.Result result = farm.run(command);
            assertThat(result.status()).as(result.output() + result.errors()).isZero();
            assertThat(result.output()).contains(examples + " sequences");
        } finally {
            farm.sh("rm -rf " + local);
        }
    }

    /** Where containers keep what they change. */
    @Test
    void aMountIsTheUpperLayerOfAnOverlay() throws IOException {
        assumeTrue(Files.readString(Path.of("/proc/filesystems")).contains("overlay"));
        Path place = Files.createTempDirectory("gf-overlay-");
        Path upper = farm.mount().resolve("upper");
        try {
            String seen =
                    farm.sh(
                            """
                            cd %s; mkdir -p lower/d merged %2$s %2$s-work
                            echo low >lower/gone; echo low >lower/changed; echo low >lower/d/moved
                            mount -t overlay gf -o lowerdir=lower,upperdir=%2$s,workdir=%2$s-work merged
                            rm merged/gone; echo more >>merged/changed; mv merged/d/moved merged/here
                            ls merged merged/d; cat merged/changed merged/here
                            umount merged
                            find %2$s -type c -printf '%%P\\n' | sort
                            """
                                    .formatted(place, upper));
            assertThat(seen)
                    .isEqualTo(
                            """
                            merged:
                            changed
                            d
                            here

                            merged/d:
                            low
                            more
                            low
                            d/moved
                            gone
                            """);
        } finally {
            farm.sh("umount -l -q %s/merged; rm -rf %s".formatted(place, place));
        }
    }

    @Test
    void readingMovesAccessTimesAsOnALocalDisk() throws IOException {
        Programs.need("python3");
        assertThat(sameAsOnALocalDisk("access-times.sh", farm.mount(), "times"))
                .contains("read: moves", "read again: stays");
        otherMountShows("stat -c %x", "times/f");
    }

    @Test
    void callsMoveTimesAndCountsAsOnALocalDisk() throws IOException {
        Programs.need("python3");
        Programs.need("setfacl");
        Programs.need("setpriv");
        assertThat(sameAsOnALocalDisk("moved.py", farm.mount(), "moved"))
                .contains("write: f: mtime ctime", "unlink of a link: f: ctime nlink 2 to 1");
        sameAsOnALocalDisk("moved.py", farm.mountOf("n2"), "moved2");
    }

    /** At once, though no call tells of a store, and also within a tick of the kernel's clock. */
    @Test
    void whatTheKernelStoresAndWritesItselfMovesTimesAsOnALocalDisk() throws IOException {
        Programs.need("python3");
        assertThat(sameAsOnALocalDisk("stored.py", farm.mount(), "stored"))
                .contains("plain, 65536: mtime", "only_read, 65536: in order");
        sameAsOnALocalDisk("stored.py", farm.mountOf("n2"), "stored2");
    }

    /** At another mount, too, which knows no more of the file than one that was just mounted. */
    @Test
    void handlesLeadToTheirFilesAsOnALocalDisk() throws IOException {
        Programs.need("python3");
        assumeTrue("root".equals(System.getProperty("user.name")), "for open_by_handle_at");
        String expected = sameAsOnALocalDisk("handles.py", farm.mount(), "handles");
        assertThat(expected).contains("file moved: b'content and more'", "made up: ESTALE");
        Path directory = Files.createDirectory(farm.mount().resolve("handles2"));
        Path other = farm.mountOf("n2").resolve("handles2");
        String run = "python3 " + farm.program("handles.py") + " ";
        assertThat(farm.sh(run + directory + " " + other)).isEqualTo(expected);
    }

    @Test
    void whatNoDiskCanHoldIsRefusedAndHarmsNothing() throws IOException {
        Programs.need("python3");
        assertThat(sameAsOnALocalDisk("far.py", farm.mount(), "far"))
                .contains("old: write far: EFBIG", "old: sync: None");
        sameAsOnALocalDisk("far.py", farm.mountOf("n2"), "far2");
    }

    /** Anybody may have a size of sixteen tebibytes: it must cost nobody memory, disk or time. */
    @Test
    void aPageFarOutCostsTheNodesNoMoreThanAPage() throws IOException {
        Programs.need("python3");
        List<Long> nodes = List.of(farm.pid("n1"), farm.pid("n2"), farm.pid("n3"));
        for (String name : List.of("page", "cut")) {
            farm.sh(
                    """
                    python3 -c '
                    import os, sys
                    f = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o644)
                    os.pwrite(f, b"p" * 4096, 17592186036224)
                    os.fsync(f)
                    if sys.argv[1].endswith("cut"):
                        os.ftruncate(f, 1 << 43)
                        os.fsync(f)
                    os.close(f)' %s
                    """
                            .formatted(farm.mount().resolve("farout-" + name)));
            String path = "/farout-" + name;
            for (String node : List.of("n1", "n2", "n3")) {
                farm.gf("rep", "--to", node, path);
            }
            farm.gf("sum", "--verify", path);
            String used = farm.sh("du -k " + farm.mountOf("n2").resolve("farout-" + name));
            assertThat(Long.parseLong(used.split("\\s")[0])).isLessThan(100);
        }
        String read =
                farm.sh(
                        "tail -c 4096 "
                                + farm.mountOf("n3").resolve("farout-page")
                                + " | tr -d p | wc -c");
        assertThat(read.strip()).isEqualTo("0");
        assertThat(List.of(farm.pid("n1"), farm.pid("n2"), farm.pid("n3"))).isEqualTo(nodes);
    }

    @Test
    void aFileClosedAndOpenedAgainIsTheOneThatWasWritten() throws IOException {
        Programs.need("python3");
        int rounds = Tier.count("reopened.rounds");
        assertThat(sameAsOnALocalDisk("reopened.py", farm.mount(), "reopened", " " + rounds))
                .contains(
                        "empty_first, write: [{0}, {8192}, {8192}, {16384}]",
                        ": " + rounds + " times");
        sameAsOnALocalDisk("reopened.py", farm.mountOf("n2"), "reopened2", " " + rounds);
    }

    @Test
    void aSignalThatAProgramHandlesInterruptsNoCallOnFiles() throws IOException {
        Programs.need("python3");
        assertThat(sameAsOnALocalDisk("signals.py", farm.mount(), "signals"))
                .contains("many signals");
        sameAsOnALocalDisk("signals.py", farm.mountOf("n2"), "signals2");
    }

    @Test
    void whatIsRemovedWhileAProgramRefersToItIsThereForThatProgram() throws IOException {
        Programs.need("python3");
        assertThat(sameAsOnALocalDisk("removed.py", farm.mount(), "removed"))
                .contains("descriptor-emptied\n  fstat: drwxr-xr-x 0 ", "fifo, replaced");
    }

    @Test
    void writesTakeSetUserBitsAwayAsOnALocalDisk() throws IOException {
        Programs.need("python3");
        assertThat(sameAsOnALocalDisk("setuid.py", farm.mount(), "setuid"))
                .contains("new-0-1000-4755: 0o4755 0o755 0o755", "new-0-0-4755: 0o4755 0o4755");
        sameAsOnALocalDisk("setuid.py", farm.mountOf("n2"), "setuid2");
    }

    /** Whoever runs a program at once, on any mount, runs it with what it has by then. */
    @Test
    void changesTakePrivilegesFromProgramsAsOnALocalDisk() throws IOException {
        Programs.need("python3");
        Path n1 = Files.createDirectory(farm.mount().resolve("privileges"));
        Path n2 = farm.mountOf("n2").resolve("privileges");
        Path local = Files.createTempDirectory("gf-local-");
        String run = "python3 " + farm.program("privileges.py") + " %s %s %s";
        try {
            farm.sh("chmod 755 " + local);
            String expected = farm.sh(run.formatted(local, local, local));
            assertThat(expected)
                    .contains(
                            "6777, 1001, write: ok; 777 ; 777 ; user 1002 group 1002",
                            "capable, 1000, open: ok; 777 capable; 777 capable; user 1002",
                            "711 of 0, 1002: user 1002 group 1002");
            assertThat(farm.sh(run.formatted(n1, n1, n2))).isEqualTo(expected);
            farm.sh("rm -r " + n1 + "/*");
            assertThat(farm.sh(run.formatted(n1, n2, n1))).isEqualTo(expected);
        } finally {
            farm.sh("rm -r " + local);
        }
    }

    @Test
    void locksEndWithTheirOwnersAndFiles() throws IOException {
        Programs.need("python3");
        assertThat(sameAsOnALocalDisk("locks.py", farm.mount(), "locks"))
                .contains("both are closed: locked, 8 times", "flock after close: locked, 8");
        sameAsOnALocalDisk("locks.py", farm.mountOf("n2"), "locks2");
    }

    @Test
    void filesTakeTheSpaceThatTheyTakeOnALocalDisk() throws IOException {
        assertThat(sameAsOnALocalDisk("space.sh", farm.mount(), "space"))
                .contains("only a hole: 10485760 bytes, 0 blocks", "one byte: 1 bytes, 8 blocks");
        otherMountShows("stat -c %b", "space/i");
        Path remote = farm.mountOf("n2");
        sameAsOnALocalDisk("space.sh", remote, "space2");
    }

    @Test
    void aFileKeepsTheTimeOfItsBirth() throws IOException {
        Path file = farm.mount().resolve("born");
        String before = farm.sh("date +%s.%N");
        Files.createFile(file);
        String after = farm.sh("date +%s.%N");
        String born = farm.sh("date -d \"$(stat -c %w " + file + ")\" +%s.%N");
        assertThat(born).isBetween(before, after);
        Files.writeString(file, "changed");
        farm.sh(
                "chmod 600 %1$s; mv %1$s %1$s-moved; touch -d 2001-01-01 %1$s-moved"
                        .formatted(file));
        assertThat(farm.sh("date -d \"$(stat -c %w " + file + "-moved)\" +%s.%N")).isEqualTo(born);
        otherMountShows("stat -c %w", "born-moved");
    }

    /** What git, for one, keeps of a file that it has just written, to know it again. */
    @Test
    void closingAFileMovesNothingThatStatTells() throws IOException {
        Programs.need("python3");
        Path local = Files.createTempDirectory("gf-local-");
        Path directory = Files.createDirectory(farm.mount().resolve("closed"));
        String run = "python3 " + farm.program("closed.py") + " ";
        try {
            assertThat(farm.sh(run + local)).isEmpty();
            assertThat(farm.sh(run + directory + " " + farm.mountOf("n2").resolve("closed")))
                    .isEmpty();
        } finally {
            farm.sh("rm -r " + local);
        }
    }

    /** Runs the program on a directory of the mount and on a local one; returns what it said. */
    private static String sameAsOnALocalDisk(String program, Path mount, String name)
            throws IOException {
        return sameAsOnALocalDisk(program, mount, name, "");
    }

    private static String sameAsOnALocalDisk(
            String program, Path mount, String name, String arguments) throws IOException {
        Path local = Files.createTempDirectory("gf-local-");
        Path directory = Files.createDirectory(mount.resolve(name));
        String run = (program.endsWith(".py") ? "python3 " : "bash ") + farm.program(program) + " ";
        try {
            farm.sh("chmod 755 " + local);
            String expected = farm.sh(run + local + arguments);
            assertThat(farm.sh(run + directory + arguments)).isEqualTo(expected);
            return expected;
        } finally {
            farm.sh("rm -r " + local);
        }
    }

    private static void otherMountShows(String command, String file) {
        String shown = farm.sh(command + " " + farm.mount().resolve(file));
        await("the other mount shows it")
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() ->
                        assertThat(farm.sh(command + " " + farm.mountOf("n2").resolve(file)))
                                .isEqualTo(shown));
    }

    /** Samba's test of clustered file systems: each waits for the byte that the other holds. */
    @Test
    void pingPongAlternatesBetweenTwoMounts() throws IOException {
        Programs.need("ping_pong");
        Files.createFile(farm.mount().resolve("ping"));
        String output =
                farm.sh(
                        """
                        timeout 6 ping_pong -rw %s 3 >%3$s/a 2>&1 & first=$!
                        timeout 6 ping_pong -rw %s 3 >%3$s/b 2>&1 & second=$!
                        wait $first; wait $second
                        tr '\\r' '\\n' <%3$s/a; tr '\\r' '\\n' <%3$s/b
                        """
                                .formatted(
                                        farm.mountOf("n1").resolve("ping"),
                                        farm.mountOf("n2").resolve("ping"),
                                        farm.directory()));
        System.out.println("ping_pong on two mounts: " + output.lines().toList());
        // Each counted the other's step besides its own: no byte was seen stale, no lock was held
        // by two.
        assertThat(output.lines().filter(line -> line.equals("data increment = 2")))
                .hasSizeGreaterThanOrEqualTo(2);
        assertThat(output).contains("locks/sec").doesNotContain("fail");
    }

    /** As a log that is cut while its writer goes on. */
    @Test
    void anAppendGoesToTheEndThatATruncateHasLeft() throws IOException {
        Path log = Files.writeString(farm.mount().resolve("cut.log"), "a".repeat(100));
        farm.sh("exec 3>>%1$s; echo one >&3; truncate -s 0 %1$s; echo two >&3".formatted(log));
        assertThat(log).hasContent("two\n");
        farm.sh("exec 3>>%1$s; truncate -s 2 %1$s; echo three >&3".formatted(log));
        assertThat(farm.mountOf("n2").resolve("cut.log")).hasContent("twthree\n");
    }

    /** The writer learns that it is alone again by opening the file once more. */
    @Test
    void anAppendAfterAnotherMountsTruncateIsSeenThere() throws IOException {
        Path here = farm.mount().resolve("cut-there");
        Path there = farm.mountOf("n2").resolve("cut-there");
        farm.sh(
                "exec 3>>%1$s; truncate -s 0 %2$s; printf x >&3; exec 4>>%1$s"
                        .formatted(here, there));
        assertThat(there).hasContent("x");
        assertThat(here).hasContent("x");
    }

    /** As on a local disk: nothing is there and nothing can be made, and nobody hears of ESTALE. */
    @Test
    void aDirectoryThatAnotherMountRemovesIsThereOrNot() throws IOException {
        Programs.need("python3");
        TestFarm.Result result =
                farm.run(
                        List.of(
                                "python3",
                                farm.program("come_and_go.py"),
                                farm.mount().toString(),
                                farm.mountOf("n2").toString()));
        assertThat(result.output().strip())
                .as(result.errors())
                .isEqualTo("['ENOENT', 'ENOTEMPTY', 'done']");
    }

    /** Nothing of it has been committed by then. */
    @Test
    void aFileThatAnotherMountIsWritingIsEmptiedByItsOpening() throws IOException {
        Path here = farm.mount().resolve("emptied");
        Path there = farm.mountOf("n2").resolve("emptied");
        farm.sh("exec 3>%2$s; printf one >&3; : >%1$s; test ! -s %1$s".formatted(here, there));
        assertThat(here).isEmptyFile();
        assertThat(there).isEmptyFile();
    }

    @Test
    void makeBuildsOnceAndThenOnlyWhatChanged() throws IOException {
        Programs.need("make");
        Programs.need("cc");
        Path place = Files.createDirectory(farm.mount().resolve("build"));
        StringBuilder main = new StringBuilder("#include <stdio.h>\n");
        for (int i = 0; i < 12; i++) {
            Files.writeString(place.resolve("f" + i + ".h"), "int f" + i + "(int x);\n");
            Files.writeString(
                    place.resolve("f" + i + ".c"),
                    "#include \"f%1$d.h\"\nint f%1$d(int x) { return x + %1$d; }\n".formatted(i));
            main.append("#include \"f").append(i).append(".h\"\n");
        }
        main.append("int main(void) { int x = 0;");
        for (int i = 0; i < 12; i++) {
            main.append(" x = f").append(i).append("(x);");
        }
        Files.writeString(place.resolve("main.c"), main + " printf(\"%d\\n\", x); return 0; }\n");
        Files.writeString(
                place.resolve("Makefile"),
                """
                OBJECTS = $(patsubst %.c,%.o,$(wildcard *.c))
                CFLAGS = -MMD -g
                program: lib.a
                \tcc -o $@ main.o lib.a
                lib.a: $(OBJECTS)
                \tar rcs $@ $(filter-out main.o,$^)
                -include $(wildcard *.d)
                """);
        farm.sh("make -s -j 4 -C %1$s 2>&1 && test $(%1$s/program) = 66".formatted(place));
        // Nothing to do, and on another mount neither.
        farm.sh("make -q -C " + place);
        farm.sh("make -q -C " + farm.mountOf("n2").resolve("build"));
        farm.sh("touch %s/f7.h".formatted(farm.mountOf("n2").resolve("build")));
        String again = farm.sh("make -C " + place + " 2>&1 | grep -c ' -c '");
        assertThat(again.strip()).isEqualTo("2"); // f7.c and main.c
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                LuceneCases.ByChannel.class,
                LuceneCases.ByMapping.class,
                LuceneCases.NativeLocks.class
            })
    void lucenesOwnTestsOfDirectoriesAndLocksPass(Class<?> cases) throws IOException {
        Path place = Files.createDirectory(farm.mount().resolve(cases.getSimpleName()));
        TestFarm.Result result =
                farm.run(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "-ea",
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-Djava.io.tmpdir=" + place,
                                "-DtempDir=" + place,
                                "-Dtests.seed=" + Long.toHexString(SEED),
                                "-cp",
                                System.getProperty("java.class.path"),
                                "org.junit.runner.JUnitCore",
                                cases.getName()));
        assertThat(result.status()).as(result.output() + result.errors()).isZero();
        assertThat(result.output()).containsPattern("OK \\(\\d+ tests\\)");
    }
}

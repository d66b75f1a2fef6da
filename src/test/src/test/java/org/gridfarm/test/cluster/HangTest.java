package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.gridfarm.campaign.Tier;
import org.gridfarm.client.cli.cluster.Mounts;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * SIGSTOP to one process of each kind in turn, for longer than any call may wait, while programs
 * use the mount: no system call exceeds its deadline, and the mount answers again afterwards.
 */
@Tag("alone")
class HangTest {
    private static final long STOPPED_MILLIS = Tier.count("hang.millis");
    private static final long DEADLINE_MILLIS = 10_000;

    /** For threads that are not scheduled at once, and a call's own work. */
    private static final long ALLOWANCE_MILLIS = Integer.getInteger("gf.hang.allowance", 2_000);

    private static final long FORCED_MILLIS_MAX = 5_000;
    private static TestFarm farm;

    private final Map<String, Long> slowest = new ConcurrentHashMap<>();
    private final AtomicBoolean ending = new AtomicBoolean();
    private final AtomicInteger calls = new AtomicInteger();
    private final Map<String, Integer> refusals = new ConcurrentHashMap<>();

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.directory("/hang", 2);
    }

    @AfterAll
    static void stop() throws IOException {
        if (farm != null) {
            farm.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"meta1", "cache1", "n1", "n2", "mount"})
    void noCallOutlivesItsDeadline(String victim) throws Exception {
        Path place = Files.createDirectory(farm.mount().resolve("hang/while-" + victim));
        List<Thread> load = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int number = i;
            load.add(Thread.ofPlatform().start(() -> writeFiles(place.resolve("w" + number))));
            load.add(Thread.ofPlatform().start(() -> readFiles(place)));
        }
        await("load").atMost(Duration.ofSeconds(60)).until(() -> calls.get() > 100);
        farm.kill(victim, "STOP");
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOPPED_MILLIS);
        await().atMost(Duration.ofMillis(2 * STOPPED_MILLIS))
                .until(() -> System.nanoTime() > until);
        if (!victim.equals("mount")) { // its supervisor has put another in its place
            farm.kill(victim, "CONT");
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> answers(place));
        ending.set(true);
        for (Thread thread : load) {
            thread.join();
        }
        System.out.println(
                victim + " stopped: slowest calls in ms " + slowest + ", refused " + refusals);
        assertThat(slowest)
                .allSatisfy((call, millis) ->
                        assertThat(millis)
                                .as(call)
                                .isLessThanOrEqualTo(DEADLINE_MILLIS + ALLOWANCE_MILLIS));
    }

    @Test
    void aMountIsTakenAwayByForceWhateverIsBroken() {
        Path mount = farm.anotherMount("n1");
        long server = farm.mountServer(mount).pid();
        List<String> all = List.of("meta1", "cache1", "n1", "n2", "n3");
        try {
            all.forEach(victim -> farm.kill(victim, "STOP"));
            farm.sh("kill -STOP " + server);
            Thread waiting =
                    Thread.ofPlatform()
                            .start(() ->
                                    timed(
                                            "stat",
                                            () -> Files.getLastModifiedTime(mount.resolve("x"))));
            long began = System.nanoTime();
            farm.gf("umount", "--force", mount.toString());
            waiting.join();
            long millis = (System.nanoTime() - began) / 1_000_000;
            System.out.println("umount --force with everything stopped: " + millis + " ms");
            assertThat(Mounts.isMounted(mount)).isFalse();
            assertThat(millis).isLessThanOrEqualTo(FORCED_MILLIS_MAX + ALLOWANCE_MILLIS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            all.forEach(victim -> farm.kill(victim, "CONT"));
        }
    }

    private interface Call {
        void run() throws IOException;
    }

    private boolean timed(String name, Call call) {
        long began = System.nanoTime();
        try {
            call.run();
            return true;
        } catch (IOException e) {
            String why = String.valueOf(e.getMessage());
            refusals.merge(name + why.substring(why.lastIndexOf(':') + 1), 1, Integer::sum);
            return false;
        } finally {
            slowest.merge(name, (System.nanoTime() - began) / 1_000_000, Math::max);
            calls.incrementAndGet();
        }
    }

    private boolean answers(Path place) {
        return makeDirectory(place.resolve("again"));
    }

    /** One call, which may have been done before it was refused as too late. */
    private boolean makeDirectory(Path folder) {
        return timed(
                "mkdir",
                () -> {
                    try {
                        Files.createDirectory(folder);
                    } catch (FileAlreadyExistsException e) {
                        // An earlier call made it.
                    }
                });
    }

    private void writeFiles(Path folder) {
        makeDirectory(folder);
        for (int i = 0; !ending.get(); i++) {
            Path file = folder.resolve("f" + i);
            write(file);
            Path renamed = folder.resolve("g" + file.getFileName());
            timed("rename", () -> Files.move(file, renamed, StandardCopyOption.ATOMIC_MOVE));
        }
    }

    private void write(Path file) {
        AtomicReference<FileChannel> opened = new AtomicReference<>();
        timed(
                "create",
                () ->
                        opened.set(
                                FileChannel.open(
                                        file,
                                        StandardOpenOption.CREATE_NEW,
                                        StandardOpenOption.WRITE)));
        FileChannel channel = opened.get();
        if (channel != null) {
            timed("write", () -> channel.write(ByteBuffer.allocate(10_000)));
            timed("fsync", () -> channel.force(true));
            timed("close", channel::close);
        }
    }

    private void readFiles(Path place) {
        int round = 0;
        while (!ending.get()) {
            String absent = "absent" + round++;
            timed("stat", () -> Files.exists(place.resolve(absent)));
            Path folder = place.resolve("w" + round % 2);
            List<Path> some = list(folder);
            for (Path file : some) {
                read(file);
            }
        }
    }

    /** Each of these is one call of the kernel that may wait, or two of which one is cached. */
    private List<Path> list(Path folder) {
        List<Path> some = new ArrayList<>();
        AtomicReference<DirectoryStream<Path>> opened = new AtomicReference<>();
        if (timed("opendir", () -> opened.set(Files.newDirectoryStream(folder)))) {
            DirectoryStream<Path> stream = opened.get();
            timed(
                    "readdir",
                    () -> {
                        try {
                            Iterator<Path> names = stream.iterator();
                            while (names.hasNext() && some.size() < 5) {
                                some.add(names.next());
                            }
                        } catch (DirectoryIteratorException e) {
                            throw e.getCause();
                        }
                    });
            timed("closedir", stream::close);
        }
        return some;
    }

    private void read(Path file) {
        AtomicReference<FileChannel> opened = new AtomicReference<>();
        timed("open", () -> opened.set(FileChannel.open(file, StandardOpenOption.READ)));
        FileChannel channel = opened.get();
        if (channel != null) {
            timed("read", () -> channel.read(ByteBuffer.allocate(20_000)));
            timed("close", channel::close);
        }
    }
}

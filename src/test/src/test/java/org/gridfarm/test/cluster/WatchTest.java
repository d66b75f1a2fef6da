package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.nio.FarmFileSystemProvider;
import org.gridfarm.protocol.name.FarmPath;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What programs do on a mount is told to a Java program that watches: by the real metaserver. */
@Timeout(120)
class WatchTest {
    private static TestFarm farm;

    @BeforeAll
    static void start() throws IOException {
        farm = TestFarm.shared();
        farm.directory("/watched", 1);
    }

    @AfterAll
    static void stop() {
        if (farm != null && farm.client().exists(FarmPath.of("/watched"))) {
            farm.client().deleteRecursively(FarmPath.of("/watched"));
        }
    }

    private static void until(WatchService watcher, String wanted) throws InterruptedException {
        List<String> seen = new ArrayList<>();
        while (!seen.contains(wanted)) {
            WatchKey key = watcher.poll(30, TimeUnit.SECONDS);
            assertThat(key).as(wanted + " after " + seen).isNotNull();
            key.pollEvents()
                    .forEach(event -> seen.add(event.kind().name() + " " + event.context()));
            if (!key.reset()) seen.add("invalid");
        }
    }

    private static void onMount(String command) {
        farm.sh("cd '%s/watched' && %s".formatted(farm.mount(), command));
    }

    @Test
    void whatAMountDoesIsTold() throws IOException, InterruptedException {
        Gridfarm client = Gridfarm.open(ClientConfig.read(farm.directory().resolve("client.toml")));
        try (FileSystem files = new FarmFileSystemProvider().newFileSystem(client);
                WatchService watcher = files.newWatchService()) {
            WatchKey key =
                    files.getPath("/watched")
                            .register(watcher, ENTRY_CREATE, ENTRY_DELETE, ENTRY_MODIFY);
            onMount("echo one >f");
            until(watcher, "ENTRY_CREATE f");
            onMount("echo two >>f");
            until(watcher, "ENTRY_MODIFY f");
            onMount("mv f g");
            until(watcher, "ENTRY_CREATE g");
            onMount("rm g && cd .. && rmdir watched");
            until(watcher, "invalid");
            assertThat(key.isValid()).isFalse();
        }
    }
}

package org.gridfarm.client.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.error.FarmException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A mount whose address for monitors somebody else has. */
@Timeout(60)
class MountDoorTest {
    private final Timers clock = new Timers();

    /** What is to be done later is done when the test says so. */
    private static final class Timers implements Clock {
        final BlockingQueue<Runnable> set = new LinkedBlockingQueue<>();

        @Override
        public Timer after(Duration delay, Runnable action) {
            assertThat(delay).isEqualTo(MountDoor.AGAIN);
            set.add(action);
            return () -> set.remove(action);
        }

        void run() throws InterruptedException {
            Runnable next = set.poll(30, TimeUnit.SECONDS);
            assertThat(next).isNotNull();
            next.run();
        }

        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public long nanoTime() {
            return 0;
        }
    }

    private MountDoor open(ServerSocket taken, boolean goesOn) {
        String option = "http=127.0.0.1:" + taken.getLocalPort();
        String[] words = {"--config", "/etc/none", "-o", option, "/mnt/somewhere"};
        return Objects.requireNonNull(
                MountDoor.open(MountSettings.parse(words), () -> 1, meters -> {}, goesOn, clock));
    }

    private static ServerSocket takeOne() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    private static String metrics(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String request = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** As a process does of which the kernel keeps a thread. */
    @Test
    void whoGoesOnShowsMetricsOnceTheProcessBeforeItListensNoMore() throws Exception {
        ServerSocket former = takeOne();
        try (MountDoor _ = open(former, true)) {
            clock.run();
            Runnable second = clock.set.poll(30, TimeUnit.SECONDS); // the first was in vain
            assertThat(second).isNotNull();
            former.close();
            second.run();
            await().atMost(Duration.ofSeconds(50))
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> metrics(former.getLocalPort()).contains("gf_"));
            assertThat(clock.set).isEmpty();
        }
    }

    @Test
    void whoHasEndedListensNoMore() throws Exception {
        ServerSocket former = takeOne();
        open(former, true).close();
        former.close();
        clock.run();
        await().until(() ->
                Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("gf-mount-http-bind")));
        assertThat(clock.set).isEmpty();
        assertThatThrownBy(() -> metrics(former.getLocalPort())).isInstanceOf(IOException.class);
    }

    @Test
    void aNewMountIsRefused() throws Exception {
        try (ServerSocket other = takeOne()) {
            assertThatThrownBy(() -> open(other, false))
                    .isInstanceOf(FarmException.class)
                    .hasMessageContaining("127.0.0.1:" + other.getLocalPort());
        }
    }
}

package org.gridfarm.protocol.observe;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Told to systemd, where it has started this process and waits until it is of use. */
public final class Readiness {
    private static final Logger log = LoggerFactory.getLogger(Readiness.class);

    private static final AtomicBoolean told = new AtomicBoolean();

    private Readiness() {}

    /** Once, by systemd's own program: its socket is of a kind that Java does not speak. */
    public static void tell() {
        String socket = System.getenv("NOTIFY_SOCKET");
        if (socket == null || socket.isEmpty() || !told.compareAndSet(false, true)) {
            return;
        }
        try {
            new ProcessBuilder("systemd-notify", "--ready").inheritIO().start();
        } catch (IOException e) {
            log.warn(
                    "systemd waits for this process and cannot be told that it is ready: {}",
                    e.getMessage());
        }
    }
}

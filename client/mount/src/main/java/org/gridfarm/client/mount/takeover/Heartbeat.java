package org.gridfarm.client.mount.takeover;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Tells the supervisor that the serving process is alive, as long as it is. */
public final class Heartbeat {
    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);
    private static final long PERIOD_MILLIS = 500;

    private final Path file;
    private final LongSupplier life;
    private boolean ended; // guarded by this

    /**
     * @param ledger whose supervisor is told
     * @param life changes while the heart of the process beats
     */
    public Heartbeat(Path ledger, LongSupplier life) {
        this.file = ledger.resolveSibling(ledger.getFileName() + ".beat");
        this.life = life;
    }

    /** Says that the mount is served, and begins to beat. */
    public void start(Path ledger) throws IOException {
        beat();
        Files.writeString(ledger.resolveSibling(ledger.getFileName() + ".served"), "");
        Thread.ofPlatform().name("gf-heartbeat").daemon().start(this::run);
    }

    public synchronized void end() {
        ended = true;
        notifyAll();
    }

    private void run() {
        try {
            while (pause()) {
                beat();
            }
        } catch (IOException e) {
            log.warn("the supervisor cannot be told of: {}", e.getMessage());
        }
    }

    private synchronized boolean pause() {
        try {
            TimeUnit.MILLISECONDS.timedWait(this, PERIOD_MILLIS);
            return !ended;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void beat() throws IOException {
        Files.writeString(file, life.getAsLong() + "\n");
    }
}

package org.gridfarm.client.mount.takeover;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Tells the supervisor that the serving process is alive, as long as it is. */
public final class Heartbeat {
    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);
    private static final long PERIOD_MILLIS = 500;

    private final Path file;
    private final LongSupplier life;
    private @Nullable FileChannel open; // kept: when descriptors are short, the heart beats on
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
        String toldOf = "";
        while (pause()) {
            try {
                beat();
                toldOf = "";
            } catch (IOException e) {
                if (!e.toString().equals(toldOf)) {
                    toldOf = e.toString();
                    log.warn("the supervisor cannot be told of this process: {}", toldOf);
                }
            }
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

    /** The supervisor may take the file away when it has noticed the end of the process before. */
    void beat() throws IOException {
        FileChannel to = open;
        if (to == null || !Files.exists(file)) {
            if (to != null) {
                to.close();
            }
            to = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            open = to;
        }
        // Never shorter than the last one: it grows, and a reader sees a whole line.
        byte[] line = "%020d\n".formatted(life.getAsLong()).getBytes(StandardCharsets.US_ASCII);
        to.write(ByteBuffer.wrap(line), 0);
    }
}

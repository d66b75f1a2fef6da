package org.gridfarm.test.faults.meta;

import org.gridfarm.client.core.ClientConfig;
import org.gridfarm.test.linear.Tree.Call;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Changes the same file's mode over and over and tells when a change was last acknowledged. */
final class Pulse implements AutoCloseable {
    private static final String DIRECTORY = "pulse";
    private static final Call.Create FILE = new Call.Create("/beat", true);

    private record Beat(long called, long returned) {}

    private final LibraryActor actor;
    private final BlockingQueue<Beat> beats = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean ended;

    Pulse(ClientConfig config) {
        actor = new LibraryActor(config, "pulse");
        actor.furnish(DIRECTORY, List.of(FILE));
        thread = new Thread(this::beat, "pulse");
        thread.start();
    }

    private void beat() {
        for (int i = 0; !ended; i++) {
            long called = System.nanoTime();
            String answer = actor.perform(new Call.ChangeMode(FILE.path(), 0600 | (i & 077)));
            if ("ok".equals(answer)) {
                beats.add(new Beat(called, System.nanoTime()));
            }
        }
    }

    /** Seconds from the instant to the first change that was begun and acknowledged after it. */
    double outage(long since, int patienceSeconds) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(patienceSeconds);
        while (true) {
            Beat beat = beats.poll(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (beat == null) {
                throw new AssertionError("no change for " + patienceSeconds + " s");
            }
            // One that was under way may have been acknowledged by the dead leader's last breath.
            if (beat.called() - since >= 0) {
                return (beat.returned() - since) / 1e9;
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        ended = true;
        thread.join();
        actor.close();
    }
}

package org.gridfarm.test.faults.meta;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Disturbs one process of the farm at a time, from outside, until it is told to end; then
 * everything runs again. Owned by its thread.
 */
final class Disturber implements AutoCloseable {
    private static final int QUIET_MILLIS_MAX = 1500;
    private static final int STOP_MILLIS_MAX = 2500;

    /** After so many it is looked whether anybody leads; in between one fault meets another. */
    private static final int FAULTS_IN_A_ROW = 10;

    private enum Fault {
        KILL_METASERVER,
        STOP_METASERVER,
        STOP_MOUNT,
        STUTTER,
        CUT,
        CUT_AGAIN,
        RESTART_DATABASE
    }

    private final MetaFarm farm;
    private final Random random;
    private final List<String> metaservers;
    private final Map<String, Integer> done = new TreeMap<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread;
    private volatile Throwable failure;

    Disturber(MetaFarm farm, long seed) {
        this.farm = farm;
        this.random = new Random(seed);
        this.metaservers = farm.metaservers().stream().map(c -> c.name()).toList();
        this.thread = new Thread(this::run, "disturber");
        thread.start();
    }

    private void run() {
        try {
            int faults = 0;
            while (!end.await(random.nextInt(QUIET_MILLIS_MAX), TimeUnit.MILLISECONDS)) {
                Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
                disturb(fault);
                done.merge(fault.name(), 1, Integer::sum);
                if (++faults % FAULTS_IN_A_ROW == 0) farm.leader();
            }
            farm.leader();
        } catch (InterruptedException | IOException | RuntimeException e) {
            failure = e;
        }
    }

    private void disturb(Fault fault) throws InterruptedException, IOException {
        String metaserver = metaservers.get(random.nextInt(metaservers.size()));
        switch (fault) {
            case KILL_METASERVER -> {
                farm.cluster().kill(metaserver, "KILL");
                end.await(random.nextInt(1000), TimeUnit.MILLISECONDS);
                farm.cluster().restart(metaserver);
            }
            case STOP_METASERVER -> stop(metaserver, random.nextInt(2 * STOP_MILLIS_MAX));
            case STOP_MOUNT ->
                    stop(
                            random.nextBoolean() ? "mount-n1" : "mount-n2",
                            random.nextInt(STOP_MILLIS_MAX));
            case STUTTER -> {
                for (int i = 0; i < 10; i++) {
                    stop(metaserver, random.nextInt(150));
                    end.await(random.nextInt(50), TimeUnit.MILLISECONDS);
                }
            }
            case CUT, CUT_AGAIN -> cut(metaserver);
            case RESTART_DATABASE -> farm.cluster().restart("postgres");
        }
    }

    /**
     * By the system call: a program started to do it would first close what it inherits of the
     * stopped mount, and wait for it.
     */
    private void stop(String component, int millis) throws InterruptedException {
        long pid = farm.pid(component);
        Syscalls.kill(pid, Syscalls.SIGSTOP);
        end.await(millis, TimeUnit.MILLISECONDS);
        Syscalls.kill(pid, Syscalls.SIGCONT);
    }

    /** Every TCP connection of the server ends as by a reset. */
    private void cut(String component) throws IOException, InterruptedException {
        String address =
                farm.metaservers().stream()
                        .filter(c -> c.name().equals(component))
                        .findFirst()
                        .orElseThrow()
                        .address();
        String port = address.substring(address.lastIndexOf(':'));
        Process process =
                new ProcessBuilder("ss", "-K", "sport = " + port + " or dport = " + port)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        if (process.waitFor() != 0) {
            throw new IOException("ss -K cannot cut connections here");
        }
    }

    /** Nobody leads any more: what is played now waits in vain. */
    boolean hasFailed() {
        return failure != null;
    }

    /** What was done, by kind. */
    Map<String, Integer> done() {
        return done;
    }

    @Override
    public void close() throws InterruptedException {
        end.countDown();
        thread.join();
        if (failure != null) {
            throw new AssertionError("the disturber failed", failure);
        }
    }
}

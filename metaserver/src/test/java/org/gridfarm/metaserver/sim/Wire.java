package org.gridfarm.metaserver.sim;

import org.gridfarm.protocol.auth.Identity;
import org.gridfarm.protocol.env.Clock;
import org.gridfarm.protocol.env.SimClock;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.rpc.Method;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.RpcObserver;
import org.gridfarm.protocol.rpc.Services;
import org.gridfarm.protocol.rpc.SimConnection;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Random;
import java.util.function.Consumer;

/** What lies between the two ends of a connection: bytes in order, with delays, until it is cut. */
final class Wire {
    private static final int DELAY_MICROS_MAX = 2_000;
    private static final int SLOW_MICROS_MAX = 60_000;
    private static final int SLOW_EVERY = 30;

    private final SimClock clock;
    private final Random random;
    private final Ledger ledger;
    private @Nullable End one;
    private @Nullable End other;
    private boolean isCut;

    Wire(SimClock clock, long seed, Ledger ledger) {
        this.clock = clock;
        this.random = new Random(seed);
        this.ledger = ledger;
    }

    /** One end of it, in a process. */
    final class End {
        private final Process process;
        private final int life;
        private final SimConnection connection;
        private long last;
        private boolean over;

        private End(
                Process process,
                Clock time,
                Services services,
                boolean accepted,
                Identity far,
                String address) {
            this.process = process;
            this.life = process.life();
            this.connection =
                    new SimConnection(time, services, accepted, far, address, new Watch(process));
            process.has(this);
        }

        Peer peer() {
            return connection.peer();
        }

        /** Takes what was written on its way; whether there was anything. */
        boolean carry() {
            if (over) return false;
            byte[] bytes = connection.written();
            if (bytes != null) send(to -> to.connection.receive(bytes));
            if (!connection.isOpen()) {
                over = true;
                send(to -> to.connection.end());
            }
            return bytes != null;
        }

        private void send(Consumer<End> arrival) {
            End to = this == one ? other : one;
            if (isCut || to == null) return;
            later(
                    to,
                    () -> {
                        if (!isCut) arrival.accept(to);
                    });
        }

        boolean isOver() {
            return over;
        }

        void cut() {
            Wire.this.cut();
        }

        private boolean isOf(Process that) {
            return process == that;
        }
    }

    /** What nobody expects of a server is a fault. */
    private final class Watch implements RpcObserver {
        private final Process process;

        private Watch(Process process) {
            this.process = process;
        }

        @Override
        public void requestEnded(Method<?, ?> method, @Nullable ErrorKind failure, long nanos) {
            if (failure == ErrorKind.INTERNAL || failure == ErrorKind.PROTOCOL) {
                ledger.fault(process.name + " answered " + method + " with " + failure);
            }
        }
    }

    End dialled(Process by, Clock time, Services services, Identity server, String address) {
        return one = new End(by, time, services, false, server, address);
    }

    End accepted(Process by, Clock time, Services services, Identity client, String address) {
        return other = new End(by, time, services, true, client, address);
    }

    /** As far as its ends know; it may lead nowhere any more. */
    boolean open() {
        End first = one;
        End second = other;
        return !isCut && (first == null || !first.over) && (second == null || !second.over);
    }

    boolean touches(Process process) {
        End first = one;
        End second = other;
        return first != null && first.isOf(process) || second != null && second.isOf(process);
    }

    /** Ends at once; both ends hear of it, and what was under way is lost. */
    void cut() {
        if (isCut) return;
        isCut = true;
        for (End end : new End[] {one, other}) {
            if (end != null) later(end, () -> end.connection.end());
        }
    }

    private void later(End to, Runnable action) {
        to.last = Math.max(to.last + 1, clock.nanoTime() + delay());
        clock.after(
                Duration.ofNanos(to.last - clock.nanoTime()),
                () -> to.process.run(to.life, action));
    }

    private long delay() {
        int most = random.nextInt(SLOW_EVERY) == 0 ? SLOW_MICROS_MAX : DELAY_MICROS_MAX;
        return 1_000L * (1 + random.nextInt(most));
    }
}

package org.gridfarm.metaserver.sim;

import org.gridfarm.metaserver.server.state.Cluster;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * The coordination service: candidates stand in a queue, and the first may lead. A process that is
 * not heard of for a session loses its place and its entry, and hears of it when it is back.
 */
final class Coordination {
    private static final long SESSION = 3_000_000_000L;
    private static final Duration LOOK_EVERY = Duration.ofMillis(100);
    private static final int TOLD_MILLIS_MAX = 30;
    private static final int LOST_MILLIS_MAX = 500;

    private final World world;
    private final Random random;
    private final List<Seat> seats = new ArrayList<>();
    private final List<Seat> queue = new ArrayList<>();

    Coordination(World world) {
        this.world = world;
        this.random = new Random(world.random.nextLong());
        world.clock.after(LOOK_EVERY, this::look);
    }

    /** For one life of a process. */
    Cluster seat(Process process) {
        return new Seat(process);
    }

    /** Who says that it leads, as clients are told; null: nobody does. */
    Cluster.@Nullable Member leader() {
        return seats.stream()
                .filter(seat -> !seat.expired && seat.self.leads())
                .map(seat -> seat.self)
                .max(Comparator.comparingLong(Cluster.Member::epoch))
                .orElse(null);
    }

    /** The session of whoever may lead is lost, though its process runs. */
    void loseSession() {
        if (!queue.isEmpty()) expire(queue.getFirst());
    }

    private void look() {
        for (Seat seat : List.copyOf(seats)) {
            boolean lives = seat.process.isIn(seat.life);
            if (lives && seat.process.running()) {
                seat.heardAt = world.now();
                if (seat.expired) comeBack(seat);
            } else if (world.now() - seat.heardAt >= SESSION) {
                if (!seat.expired) expire(seat);
                if (!lives) seats.remove(seat);
            }
        }
        world.clock.after(LOOK_EVERY, this::look);
    }

    private void comeBack(Seat seat) {
        seat.expired = false;
        if (seat.lost) seat.hears(LOST_MILLIS_MAX, Cluster.Listener::lost);
        seat.lost = false;
        queue.add(seat);
        changed();
    }

    private void expire(Seat seat) {
        seat.expired = true;
        leave(seat);
        changed();
    }

    /** Who might lead hears that it may no longer some time after it can be reached again. */
    private void leave(Seat seat) {
        queue.remove(seat);
        if (seat.elected) seat.lost = true;
        seat.elected = false;
        elect();
    }

    private void elect() {
        if (queue.isEmpty()) return;
        Seat first = queue.getFirst();
        if (first.elected) return;
        first.elected = true;
        first.hears(TOLD_MILLIS_MAX, Cluster.Listener::elected);
        world.elected(first.process);
    }

    private void changed() {
        List<Cluster.Member> members =
                seats.stream()
                        .filter(seat -> !seat.expired)
                        .map(seat -> seat.self)
                        .sorted(Comparator.comparing(Cluster.Member::name))
                        .toList();
        for (Seat seat : seats) seat.hears(TOLD_MILLIS_MAX, heard -> heard.members(members));
    }

    private final class Seat implements Cluster {
        private final Process process;
        private final int life;
        private Member self = new Member("", "", Member.CACHE, 0);
        private @Nullable Listener listener;
        private boolean expired;
        private boolean elected;
        private boolean lost; // and not told yet
        private long heardAt = world.now();
        private long lastTold;

        private Seat(Process process) {
            this.process = process;
            this.life = process.life();
        }

        private void hears(int millisMax, Consumer<Listener> what) {
            Listener heard = listener;
            if (heard == null) return;
            lastTold =
                    Math.max(
                            lastTold + 1, world.now() + 1_000L * random.nextInt(1_000 * millisMax));
            world.after(lastTold - world.now(), () -> process.run(life, () -> what.accept(heard)));
        }

        @Override
        public void start(Member member, boolean candidate, Listener heard) {
            self = member;
            listener = heard;
            // What its former life had said of itself is overwritten; its place in the queue stays.
            seats.stream()
                    .filter(seat -> seat.self.name().equals(member.name()))
                    .forEach(seat -> seat.self = member);
            seats.removeIf(seat -> seat.self.name().equals(member.name()) && !queue.contains(seat));
            seats.add(this);
            queue.add(this);
            elect();
            changed();
        }

        @Override
        public void announce(Member member) {
            self = member;
            changed();
        }

        @Override
        public void vacate(Member leader) {
            for (Seat seat : List.copyOf(queue)) {
                if (seat == this || !seat.self.name().equals(leader.name())) continue;
                queue.remove(seat);
                boolean led = seat.elected;
                seat.elected = false;
                if (!seat.process.isIn(seat.life)) continue;
                if (led) seat.hears(TOLD_MILLIS_MAX, heard -> heard.deposed("vacated"));
                queue.add(seat);
            }
            elect();
        }

        @Override
        public void resign() {
            if (expired) return;
            queue.remove(this);
            elected = false;
            queue.add(this);
            elect();
        }

        @Override
        public void close() {
            queue.remove(this);
            seats.remove(this);
        }
    }
}

package org.gridfarm.client.core.transfer.known;

import org.gridfarm.metaserver.session.OpenFiles;
import org.gridfarm.protocol.wire.DataMode;
import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * One file, its chain, its leader, and sessions whose programs open it, append a line and close it,
 * over and over. Around {@link KnownEnd} and {@link OpenFiles} it does what the shells of client
 * and leader do. Messages of one connection keep their order; all else is the seed's choice.
 */
final class Appenders {
    /** What may be left out of the protocol. */
    enum Plant {
        NOTHING,
        RECALL_DOES_NOT_WAIT_FOR_PLACES,
        APPEND_DOES_NOT_WAIT_FOR_PLACES,
        OVERTAKEN_COMMITS_ARE_TAKEN,
        CHANGES_UNDER_WAY_ARE_FORGOTTEN,
        CHANGES_SINCE_THE_QUESTION_COUNT_AS_TOLD,
        COMMITS_OVERTAKE,
        OPENS_DO_NOT_WAIT_FOR_RECALLS,
        SECOND_OPENS_DO_NOT_WAIT
    }

    private static final int SESSIONS = 3;
    private static final int PROGRAMS = 2; // of each session
    private static final int OPENS = 4; // of each program
    private static final long INODE = 7;
    private static final int HOLE = 0;
    private static final int STEPS_OF_A_MOOD = 50;

    private final Random random;
    private final Plant plant;
    private final List<Integer> chain = new ArrayList<>(); // the line at each place
    private final Map<Object, Double> speeds = new IdentityHashMap<>();
    private final OpenFiles opens = new OpenFiles();
    private final Map<Long, Session> sessions = new HashMap<>();
    private final Set<String> faults = new TreeSet<>();
    private long version = 1;
    private long committedSize;
    private int lines;
    private long handles;

    Appenders(long seed, Plant plant) {
        this.random = new Random(seed);
        this.plant = plant;
        for (long id = 1; id <= SESSIONS; id++) {
            sessions.put(id, new Session(id));
        }
    }

    /** What went wrong; empty: nothing. */
    Set<String> run() {
        while (faults.isEmpty()) {
            List<Step> possible = new ArrayList<>();
            sessions.values().forEach(session -> session.offer(possible));
            if (possible.isEmpty()) {
                break;
            }
            if (random.nextInt(STEPS_OF_A_MOOD) == 0) {
                speeds.clear();
            }
            double all = possible.stream().mapToDouble(this::speed).sum();
            double at = random.nextDouble() * all;
            Step chosen = possible.get(0);
            for (Step step : possible) {
                chosen = step;
                at -= speed(step);
                if (at < 0) {
                    break;
                }
            }
            chosen.action.run();
        }
        if (faults.isEmpty()
                && (chain.contains(HOLE) || chain.size() != SESSIONS * PROGRAMS * OPENS)) {
            faults.add("the run came to a halt: " + chain.size() + " lines");
        }
        if (faults.isEmpty() && committedSize != chain.size()) {
            faults.add("committed " + committedSize + " of " + chain.size() + " lines");
        }
        return faults;
    }

    /**
     * What could happen next.
     *
     * @param place a connection or a program
     */
    private record Step(Object place, Runnable action) {}

    /** Some connections and programs are a hundred times as slow as others, for a while. */
    private double speed(Step step) {
        return speeds.computeIfAbsent(step.place, place -> Math.pow(10, -2 * random.nextInt(2)));
    }

    /** A client's process, which has the file open through any number of handles. */
    private final class Session {
        final long id;
        final List<Program> programs = new ArrayList<>();
        final Deque<Runnable> toLeader = new ArrayDeque<>();
        final Deque<Runnable> fromLeader = new ArrayDeque<>();
        final Deque<Runnable> toChain = new ArrayDeque<>();
        final Deque<Runnable> fromChain = new ArrayDeque<>();
        final Deque<Runnable> sizes = new ArrayDeque<>(); // from the chain, beside the writes
        final List<Deque<Runnable>> lines =
                List.of(toLeader, fromLeader, toChain, fromChain, sizes);
        final Deque<Runnable> commits = new ArrayDeque<>();
        @Nullable KnownEnd end; // while anything is open
        int open;
        int underWay; // changes on the chain
        boolean committing;

        Session(long id) {
            this.id = id;
            for (int i = 0; i < PROGRAMS; i++) {
                programs.add(new Program(this));
            }
        }

        void offer(List<Step> possible) {
            boolean reorders = plant == Plant.COMMITS_OVERTAKE;
            for (Deque<Runnable> line : lines) {
                if (!line.isEmpty()) {
                    possible.add(new Step(line, () -> line.removeFirst().run()));
                }
                if (reorders && line == toLeader && line.size() > 1) {
                    possible.add(new Step(line, () -> line.removeLast().run()));
                }
            }
            programs.stream()
                    .filter(program -> program.next != null)
                    .forEach(program -> possible.add(new Step(program, program::go)));
        }

        KnownEnd end() {
            if (end == null) {
                end = new KnownEnd();
            }
            return end;
        }

        void commitNext() {
            boolean inTurn = plant != Plant.COMMITS_OVERTAKE;
            while (!commits.isEmpty() && !(inTurn && committing)) {
                committing = true;
                commits.removeFirst().run();
            }
        }

        void commitEnded() {
            committing = false;
            commitNext();
        }

        void recalled(DataMode most, Runnable answer) {
            if (end == null) {
                toLeader.add(answer);
                return;
            }
            end.lowered(most);
            boolean waits = plant != Plant.RECALL_DOES_NOT_WAIT_FOR_PLACES;
            if (waits) {
                end.reservedEnded().thenRun(() -> toLeader.add(answer));
            } else {
                toLeader.add(answer);
            }
        }
    }

    /**
     * Opens, appends, closes. Its close has returned when the line is there: the rest is beside.
     */
    private final class Program {
        final Session session;
        int left = OPENS;
        @Nullable Runnable next = this::open;

        Program(Session session) {
            this.session = session;
        }

        void go() {
            Runnable step = next;
            next = null;
            if (step != null) {
                step.run();
            }
        }

        private void open() {
            long handle = ++handles;
            session.toLeader.add(() -> openAtLeader(handle));
        }

        private void openAtLeader(long handle) {
            OpenFiles.Opened opened =
                    opens.open(
                            new OpenFiles.Handle(
                                    session.id, handle, INODE, true, true, 1000, false),
                            false);
            if (plant == Plant.SECOND_OPENS_DO_NOT_WAIT) {
                opens.lowered(INODE, opened.lowered().keySet());
            }
            int[] waiting = {opened.lowered().size()};
            Runnable answer =
                    () -> {
                        if (plant != Plant.SECOND_OPENS_DO_NOT_WAIT) {
                            opens.lowered(INODE, opened.lowered().keySet());
                        }
                        opens.answered(handle);
                        DataMode mode = opens.mode(INODE, session.id);
                        long now = version;
                        long size = committedSize;
                        session.fromLeader.add(() -> opened(handle, mode, now, size));
                    };
            boolean waits = plant != Plant.OPENS_DO_NOT_WAIT_FOR_RECALLS;
            opened.lowered()
                    .forEach((other, mode) -> {
                        Session lowered = Objects.requireNonNull(sessions.get(other));
                        Runnable acknowledged =
                                () -> {
                                    if (--waiting[0] == 0 && waits) {
                                        answer.run();
                                    }
                                };
                        lowered.fromLeader.add(() -> lowered.recalled(mode, acknowledged));
                    });
            if (waiting[0] == 0 || !waits) {
                answer.run();
            }
        }

        private void opened(long handle, DataMode mode, long now, long size) {
            session.open++;
            session.end().answered(mode, now, size);
            next = () -> append(handle);
        }

        private void append(long handle) {
            KnownEnd end = session.end();
            int line = ++lines;
            changing(end, 1);
            long place = end.reserve(1);
            if (place >= 0) {
                send(() -> writeAt((int) place, line), handle, end, true);
                return;
            }
            Runnable atEnd = () -> send(() -> writeAt(chain.size(), line), handle, end, false);
            if (plant == Plant.APPEND_DOES_NOT_WAIT_FOR_PLACES) {
                atEnd.run();
            } else {
                end.reservedEnded().thenRun(atEnd);
            }
        }

        private void changing(KnownEnd end, int more) {
            if (plant != Plant.CHANGES_UNDER_WAY_ARE_FORGOTTEN) {
                end.changing(more);
            }
        }

        /** Finding the chain may take its time: what has its place is not sent at once. */
        private void send(Writing write, long handle, KnownEnd end, boolean reserved) {
            next =
                    () ->
                            session.toChain.add(() -> {
                                int at = write.run();
                                session.fromChain.add(() -> wrote(handle, end, at, reserved));
                            });
        }

        private int writeAt(int place, int line) {
            while (chain.size() <= place) {
                chain.add(HOLE); // until who has the place before arrives
            }
            if (chain.set(place, line) != HOLE) {
                faults.add("a line is overwritten");
            }
            return place;
        }

        private void wrote(long handle, KnownEnd end, int at, boolean reserved) {
            end.wrote(at + 1, 1);
            changing(end, -1);
            if (reserved) {
                end.appendEnded().complete(null);
            }
            next = () -> release(handle);
        }

        private void release(long handle) {
            next = --left > 0 ? this::open : null;
            if (!session.end().uncommitted.isDirty()) {
                session.toLeader.add(() -> opens.close(handle));
                closed();
                return;
            }
            session.commits.add(() -> commit(handle));
            session.commitNext();
        }

        private void closed() {
            if (--session.open == 0) {
                session.end = null;
            }
        }

        private void commit(long handle) {
            KnownEnd end = session.end();
            KnownEnd.Told alone = end.told();
            if (alone != null) {
                send(handle, end, alone);
                return;
            }
            long changes = end.uncommitted.changes();
            session.toLeader.add(() -> {
                long seen = version;
                session.fromLeader.add(() ->
                        session.toChain.add(() -> {
                            long size = chain.size();
                            session.sizes.add(() ->
                                    send(handle, end, new KnownEnd.Told(seen, changes, size, 0)));
                        }));
            });
        }

        private void send(long handle, KnownEnd end, KnownEnd.Told told) {
            boolean all = plant == Plant.CHANGES_SINCE_THE_QUESTION_COUNT_AS_TOLD;
            end.uncommitted.take(all ? Long.MAX_VALUE : told.changes());
            session.toLeader.add(() -> commitAtLeader(handle, end, told));
        }

        private void commitAtLeader(long handle, KnownEnd end, KnownEnd.Told told) {
            boolean checks = plant != Plant.OVERTAKEN_COMMITS_ARE_TAKEN;
            if (checks && opens.isOvertaken(INODE, session.id, told.seen())) {
                session.fromLeader.add(() -> refused(handle, end));
                return;
            }
            committedSize = told.size();
            long now = ++version;
            opens.committed(INODE, session.id, now);
            opens.close(handle);
            session.fromLeader.add(() -> {
                end.committed(now, told.size());
                closed();
                session.commitEnded();
            });
        }

        private void refused(long handle, KnownEnd end) {
            end.uncommitted.failed(0);
            session.toLeader.add(() -> {
                DataMode mode = opens.mode(INODE, session.id);
                long now = version;
                long size = committedSize;
                session.fromLeader.add(() -> {
                    end.answered(mode, now, size);
                    commit(handle);
                });
            });
        }
    }

    /** Where the line is. */
    private interface Writing {
        int run();
    }
}

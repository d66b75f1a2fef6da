package org.gridfarm.metaserver.server.state;

import org.gridfarm.metaserver.commit.Worker;
import org.gridfarm.metaserver.commit.WorkerThread;
import org.gridfarm.protocol.env.Clock;

import java.util.function.Consumer;

/** The time of a metaserver and what does its work. A simulation has a body of its own. */
public interface ServerThreads {
    Clock clock();

    /**
     * @param failed told, within the same action, of what an action threw
     */
    Events events(Runnable endOfRound, Runnable tick, Consumer<Throwable> failed);

    /** Somebody for work that waits for the database. */
    Worker worker(String name);

    /** A running server's: a thread for each. */
    static ServerThreads of(Clock clock) {
        return new ServerThreads() {
            @Override
            public Clock clock() {
                return clock;
            }

            @Override
            public Events events(Runnable endOfRound, Runnable tick, Consumer<Throwable> failed) {
                return new EventThread(clock, endOfRound, tick, failed);
            }

            @Override
            public Worker worker(String name) {
                return new WorkerThread(name);
            }
        };
    }
}

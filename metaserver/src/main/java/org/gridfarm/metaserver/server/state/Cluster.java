package org.gridfarm.metaserver.server.state;

import java.util.List;

/** The metaservers of the farm, as the coordination service knows them. Thread-safe. */
public interface Cluster extends AutoCloseable {
    /** One metaserver; {@code epoch} is that of a leader, 0 for others. */
    record Member(String name, String address, String role, long epoch) {
        public static final String LEADER = "leader";
        public static final String CACHE = "cache";

        public boolean leads() {
            return role.equals(LEADER);
        }
    }

    /** Told on threads of the coordination client; must be quick. */
    interface Listener {
        /** This server may take the lead, or have it still. */
        void elected();

        /**
         * It can no longer be said whether another server is elected: whoever leads has to find out
         * by other means, or stop.
         */
        void lost();

        /** Somebody else may lead now: stop. */
        void deposed(String why);

        /** The servers there are, this one included. */
        void members(List<Member> members);

        /** Whether the coordination service can be reached at the moment. */
        void reachable(boolean reachable);
    }

    /** Announces this server and, if it is a candidate, stands for election. */
    void start(Member self, boolean candidate, Listener listener);

    /** Changes what the others see of this server. */
    void announce(Member self);

    /**
     * The process that led as this member has ended, as its host says: nobody need wait until its
     * session runs out. Where that is wrong it is deposed, and its epoch is over with the next
     * claim. Does not wait.
     */
    void vacate(Member leader);

    /** Gives up the lead and stands again. */
    void resign();

    @Override
    void close();
}
